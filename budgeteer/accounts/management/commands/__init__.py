"""What `manage.py` can do about accounts."""
