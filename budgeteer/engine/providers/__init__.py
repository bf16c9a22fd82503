"""Providers: what each request form accepts, what its overhead costs, and how it prices pictures."""
