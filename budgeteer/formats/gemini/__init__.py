"""Gemini: requests, AI Studio prompts and Gemini CLI sessions."""
