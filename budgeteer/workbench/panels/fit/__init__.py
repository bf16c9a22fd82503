"""The fit plan: its steps, with what each saves, loses and costs."""
