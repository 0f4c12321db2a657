"""What was staged over one checkpoint, step by step: its undo and redo."""

from __future__ import annotations

from dataclasses import dataclass, field

from designer.model.staged_changes import Draft

NO_CHANGES = Draft()


@dataclass
class Pages:
    """What was staged over one checkpoint, step by step; `at` is the present step."""

    steps: list[Draft] = field(default_factory=lambda: [NO_CHANGES])
    at: int = 0
    # What the user types at present, so that a word is one step and not one a letter.
    typing: object = None

    @property
    def draft(self) -> Draft:
        return self.steps[self.at]

    def put(self, draft: Draft, typing: object = None) -> None:
        """Add a step, or replace the last one while the same is typed."""
        is_same = typing is not None and typing == self.typing
        if is_same and self.at == len(self.steps) - 1 and self.at > 0:
            self.steps[self.at] = draft
        else:
            self.steps[self.at + 1 :] = [draft]
            self.at += 1
        self.typing = typing
