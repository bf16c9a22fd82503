"""Work done outside a request: a Job row is the truth, Celery the transport."""
