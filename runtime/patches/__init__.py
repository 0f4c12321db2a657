"""A patch: changes to a checkpoint as data, to be read, kept, and applied to other
checkpoints too. It never changes a checkpoint: what it makes is a fork.

    {
      "format": 1,
      "name": "cheaper model",
      "changes": [
        {"id": "c1", "do": "set", "section": "state", "key": "limit", "value": 3},
        {"id": "c2", "do": "drop", "section": "queue", "spot": {"place": 0}}
      ]
    }
"""

from runtime.patches.patch import Patch, PatchChange, Spot

__all__ = ["Patch", "PatchChange", "Spot"]
