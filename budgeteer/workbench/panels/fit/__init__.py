"""Make it fit: the steps of a plan with what each saves, loses and costs."""
