"""BudgetConfig: its schema, its form fields, and deltas over it."""
