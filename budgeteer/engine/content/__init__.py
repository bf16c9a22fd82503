"""What a prompt is made of: conversations, libraries, call and result pairing, media, tool schemas. No numbers."""
