"""Expressions over a message, evaluated for a node: errors name the node's id."""

from __future__ import annotations

from typing import Any

from runtime.errors import ConditionError, NodeError
from runtime.expressions.cel import VARIABLE
from runtime.expressions.cel_long_lists import Transform


class MessageExpression:
    """A CEL expression over `message`. The expression `message` alone is the message
    itself, whatever type it has.
    """

    def __init__(self, text: str, node_id: str) -> None:
        self._node_id = node_id
        self._transform = None if text.strip() == VARIABLE else Transform(text)

    def __call__(self, message: Any) -> Any:
        """Evaluate the expression. Raise `NodeError` if it fails."""
        if self._transform is None:
            return message
        try:
            return self._transform(message=message)
        except ConditionError as error:
            raise NodeError(str(error), self._node_id) from error

    def items(self, message: Any) -> list[Any]:
        """Evaluate the expression to a list. Raise `NodeError` if it fails or is no
        list.
        """
        items = self(message)
        if not isinstance(items, list | tuple):
            raise NodeError(
                f"a list is needed, not {type(items).__name__}. Name the list in 'Items', such as message.items.",
                self._node_id,
            )
        return list(items)
