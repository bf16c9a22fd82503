"""The fit plan: its steps of a plan with what each saves, loses and costs."""
