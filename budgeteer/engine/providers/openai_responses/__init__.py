"""OpenAI Responses: its requests, its rules, what it accepts and what it charges."""
