"""Pages and actions of the workbench, one module for each part of the page."""
