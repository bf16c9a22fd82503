"""Every way to keep a workspace's conversation within its budget, replayed and laid side by side."""
