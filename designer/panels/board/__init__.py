"""The superstep board: executors down, supersteps across, barriers as lines."""
