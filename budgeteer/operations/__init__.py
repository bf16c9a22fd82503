"""Health of the dashboard: health and readiness for machines, the doctor for people. It owns no data."""
