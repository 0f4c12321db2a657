"""The log: what happened in a run, from its observer or from the store."""
