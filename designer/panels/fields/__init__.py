"""Fields for single values, their errors, and what a JSON Schema says of a value."""
