"""Providers: one folder each with its requests, rules, capabilities and prices; `registry` lists them."""
