"""The sweep panel: the what-if curve, its drawing, its page."""
