"""Secrets and personal data in a source: looked for by a worker, kept by place, told on the source's page."""
