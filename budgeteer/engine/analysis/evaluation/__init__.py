"""Many conversations under one or several configurations, as summaries that merge."""
