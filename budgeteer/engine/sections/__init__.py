"""How each section of a prompt fits its limit."""
