"""Sign-in by an OpenID Connect provider: what is asked of it, whose account its answer means, and the pages."""
