"""What is drawn: items, figures, routes and marks. Knows nothing of gestures or verbs."""
