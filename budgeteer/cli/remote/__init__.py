"""The commands that talk to a dashboard over the network: login, push, pull."""
