"""What is sent to services that watch the dashboard, where settings name them: traces, and errors nobody expected.

Neither holds a word that people uploaded or wrote, an address, a token or a name; both need the extra `telemetry`.
"""
