"""What stands between a report and whoever has its link: a password, and the pages that may embed it."""
