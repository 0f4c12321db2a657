"""Tasks, threads, locks and clocks, for an engine that awaits code which it cannot
trust to behave.
"""
