"""Many people at once: locust's journeys through a dashboard that runs as for a team, and what they waited for."""
