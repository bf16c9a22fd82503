"""What stands between a report and whoever has its link: a password."""
