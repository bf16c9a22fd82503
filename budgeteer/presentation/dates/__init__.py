"""How dates stand where Django writes them itself: the admin. Django looks in the folder of the language."""
