"""A client of the HTTP API: the functions of the Python API at a dashboard's address. No Django."""
