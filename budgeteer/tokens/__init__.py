"""Personal access tokens: what a program shows instead of a password, with scopes and a last day."""
