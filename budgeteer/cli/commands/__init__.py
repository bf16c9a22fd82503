"""Commands of `budgeteer`: one module each."""
