"""Where an account is signed in: its sessions, which their owner sees and ends."""
