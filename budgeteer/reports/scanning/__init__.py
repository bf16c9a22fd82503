"""Find secrets and personal data in a report before its link opens, and mask them in it."""
