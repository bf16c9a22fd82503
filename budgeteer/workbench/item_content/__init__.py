"""The content of single items: their texts as read, and the edits of one workspace."""
