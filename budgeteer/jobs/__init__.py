"""Background jobs: the Job row is the source of truth, Celery the transport."""
