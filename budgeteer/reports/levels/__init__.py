"""How much a report tells between its figures and everything: the redacted level."""
