"""OpenAI chat completions: its requests, its rules, what it accepts and what it charges."""
