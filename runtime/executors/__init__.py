"""The nodes of a workflow: executors, their handlers, and what a handler sees and asks
for (context, effects).
"""
