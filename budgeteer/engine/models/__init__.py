"""Language models: window, limits, tokenizer and prices, one row each with a source and a date."""
