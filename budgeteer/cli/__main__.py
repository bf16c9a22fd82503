"""`python -m budgeteer.cli`: the program where no script is installed."""

from budgeteer.cli import main

main()
