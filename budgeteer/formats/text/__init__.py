"""Transcripts as text: Markdown, flattened conversations, pasted chats."""
