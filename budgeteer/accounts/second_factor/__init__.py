"""A second factor: codes of an authenticator app after the password, and recovery codes; and passkeys beside them."""
