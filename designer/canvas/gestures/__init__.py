"""What the mouse does from a press to a release; `table` has all of it in order."""
