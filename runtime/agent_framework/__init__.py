"""What only agent-framework's names need: its checkpoint storages and their shape, edge
runners, arguments of `run`.
"""
