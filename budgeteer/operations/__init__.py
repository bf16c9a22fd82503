"""Whether the dashboard is well: health and readiness for machines, the doctor for people. It owns no data."""
