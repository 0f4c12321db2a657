"""Calls that reach outside of a run: what they did is recorded, and when the run goes on
from the past they have the recorded result, one of the user's, or are made again.
"""
