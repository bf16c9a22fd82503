"""A frozen document as files: CSV, Markdown, a picture."""
