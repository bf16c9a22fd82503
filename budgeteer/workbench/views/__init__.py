"""Pages and actions of the workbench, one module a part of the page."""
