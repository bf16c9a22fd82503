"""The timeline panel: the replay, its drawing, its page."""
