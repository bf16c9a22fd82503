"""A language model behind the engine's summariser protocol: any endpoint that speaks OpenAI's chat completions."""
