"""Presentation shared by the workbench and the reports: bars, scales, labels, the header."""
