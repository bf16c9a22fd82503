"""Who meets in a race: Budgeteer, other packers, bare tokenizers and the seed's loop."""
