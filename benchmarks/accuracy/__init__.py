"""Whether answers are right: counts beside providers' own, limits beside others' tables, real sessions packed."""
