"""The engine: measure, fit and explain a prompt. Pure Python; imports no Django, no network, no clock."""
