"""Copies, types and texts of values, and the records that the runtime itself is made
of.
"""
