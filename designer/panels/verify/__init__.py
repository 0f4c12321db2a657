"""The task Restore proof: is each checkpoint complete, does it come back, does the run go
on from it.
"""
