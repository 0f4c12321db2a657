"""The task Edit and fork, in the place of the inspector."""
