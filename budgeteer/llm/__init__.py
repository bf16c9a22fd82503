"""A language model behind the engine's summariser protocol: any endpoint with OpenAI's chat completions API."""
