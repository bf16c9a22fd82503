"""Collections: many sources under one name, and what configurations do to all of their conversations."""
