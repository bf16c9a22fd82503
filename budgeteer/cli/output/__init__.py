"""What the commands print: tables, reports, progress."""
