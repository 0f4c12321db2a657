"""The debugger in the terminal: the protocol of the window, spoken by words."""
