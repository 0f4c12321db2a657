"""Editors for code: text, syntax colours, completion, and a larger window."""
