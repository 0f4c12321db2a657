"""The task Compare: what differs between two moments, and where two branches part."""
