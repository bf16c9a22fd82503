"""Measurements for Prometheus: requests of this web process, and jobs and processes of the whole installation."""
