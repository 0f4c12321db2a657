"""A question to the host of which only the last one matters: one is asked at a time, and
one that differs from the pending one takes its place.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

Body = TypeVar("Body", bound=BaseModel)


class Ask(Protocol):
    """Sends a question to the host. `done` gets the answer, or None if there is none;
    `sent` gets the number of the question, by which it can be dropped.
    """

    def __call__(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        sent: Callable[[int], None],
    ) -> None: ...


class LatestQuestion(Generic[Body]):
    """One question at a time, and the last answer. A question that differs from the
    pending one takes its place.
    """

    def __init__(
        self,
        command: str,
        body: type[Body],
        ask: Ask,
        drop: Callable[[int], None],
        answered: Callable[[], None],
    ) -> None:
        self.answer: Body | None = None
        self._answered_to: BaseModel | None = None
        self._command = command
        self._body = body
        self._ask = ask
        self._drop = drop
        self._answered = answered
        self._asked: BaseModel | None = None
        self._number = 0
        self._is_pending = False

    def forget(self) -> None:
        """Drop the pending question, and the answer."""
        self.drop()
        self.answer = None
        self._answered_to = None
        self._asked = None

    def drop(self) -> None:
        if self._is_pending:
            self._is_pending = False
            self._asked = None
            if self._number:
                self._drop(self._number)

    def ask(self, arguments: BaseModel) -> None:
        """Ask, unless the same is asked or answered already."""
        if arguments == self._asked:
            return
        self.drop()
        self._asked = arguments
        self._is_pending = True
        self._number = 0
        self._ask(
            self._command,
            arguments,
            self._body,
            lambda body: self._on_answer(arguments, body),
            lambda number: self._on_sent(arguments, number),
        )

    @property
    def has_failed(self) -> bool:
        """Whether the host has refused the last question."""
        return self._answered_to is not None and self.answer is None

    def is_answer_to(self, arguments: BaseModel) -> bool:
        """Return whether the answer is one to this question."""
        return self.answer is not None and self._answered_to == arguments

    def again(self) -> None:
        """Let the next question be asked although it is the same."""
        if not self._is_pending:
            self._asked = None

    def _on_sent(self, arguments: BaseModel, number: int) -> None:
        if arguments is self._asked:
            self._number = number
        else:  # it was dropped before the store was open
            self._drop(number)

    def _on_answer(self, arguments: BaseModel, body: Body | None) -> None:
        if arguments is not self._asked:
            return  # it was dropped
        self._is_pending = False
        self.answer = body
        self._answered_to = arguments
        self._answered()
