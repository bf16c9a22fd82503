"""What a scan found in a report before its link opens: kept by place, and masked in it."""
