"""Values of a run as a tree whose children are loaded on demand, and viewers for them.
State, Messages, Selected, Output and Requests use them.
"""
