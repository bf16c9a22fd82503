"""What is measured over: generated conversations, skills and files, the same every time."""
