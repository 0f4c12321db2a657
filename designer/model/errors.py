"""What an edit says when it cannot be done."""

from __future__ import annotations


class EditError(Exception):
    """An edit is refused and nothing has changed. The text is for the person who draws;
    `ids` are what it speaks of.
    """

    def __init__(self, message: str, *ids: str) -> None:
        super().__init__(message)
        self.ids = ids
