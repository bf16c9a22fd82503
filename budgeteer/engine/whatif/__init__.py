"""What if: every breakpoint of a limit, a conversation turn by turn, two configurations item by item."""
