"""What keys and menus do; gestures end in the same commands."""
