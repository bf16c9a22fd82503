"""What a person has here: all of it as one file, and the deletion of an account with everything that is its own."""
