"""OpenAI chat completions and Responses."""
