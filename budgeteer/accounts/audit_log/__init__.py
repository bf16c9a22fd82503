"""The audit log: what was done to accounts, presets and what is shared, kept for administrators."""
