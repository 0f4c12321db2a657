"""The list of breakpoints, the editor of one, and the watches."""
