"""A frozen document as files that stand alone: a page without script, and a picture."""
