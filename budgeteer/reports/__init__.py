"""Frozen reports: a packing as it stood, shared by a link that expires and can be revoked."""
