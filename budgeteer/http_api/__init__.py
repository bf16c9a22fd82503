"""The HTTP API `/api/v1/`: the services of the dashboard for programs, by token."""
