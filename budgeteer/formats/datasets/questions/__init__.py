"""Sets of questions: with an answer each, with several ranked ones, and asked in a row about a text."""
