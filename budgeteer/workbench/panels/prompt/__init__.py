"""The prompt panel: the packed prompt and the texts that go with it."""
