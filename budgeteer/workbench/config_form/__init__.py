"""The configuration form: fields, values, undo steps, preset and model menus."""
