"""Budgeteer beside other packers over the same conversations and skills: `make bench`."""
