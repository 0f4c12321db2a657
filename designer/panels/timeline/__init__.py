"""The timeline panel: lanes of checkpoints, stepping, and details of a checkpoint."""
