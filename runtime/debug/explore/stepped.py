"""`SteppedCall`: a handler call that asks before it goes on after an await."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Generator
from typing import Any, Protocol

from runtime.debug.explore.orders import Call


class Steps(Protocol):
    """Who decides when a call goes on."""

    def suspended(self, call: Call) -> None:
        """The handler begins to wait for something."""

    def resumed(self, call: Call) -> Awaitable[None]:
        """What it waited for is there. It goes on when this returns."""
        ...

    def cancelled(self, call: Call) -> bool:
        """The handler is about to get a cancellation. Return whether it is ended by
        force instead.
        """
        ...

    def went_on(self, call: Call) -> None:
        """The handler has returned, or had to be ended by force, although it was
        cancelled.
        """


class SteppedCall(Awaitable[Any]):
    """Awaits what a handler call returned. Whatever the handler awaits is awaited as
    before; tasks that it makes are its own affair.
    """

    def __init__(self, handler_call: Awaitable[Any], call: Call, steps: Steps) -> None:
        self._handler_call = handler_call
        self._call = call
        self._steps = steps

    def __await__(self) -> Generator[Any, None, Any]:
        handler_call: Any = self._handler_call.__await__()
        error: BaseException | None = None
        is_cancelled = False
        while True:
            try:
                if error is None:
                    awaited = next(handler_call)
                else:
                    awaited = handler_call.throw(error)
            except StopIteration as end:
                if is_cancelled:
                    self._steps.went_on(self._call)
                return end.value
            try:
                self._steps.suspended(self._call)
                yield awaited
                yield from self._steps.resumed(self._call).__await__()
                error = None
            except GeneratorExit:
                handler_call.close()
                raise
            except asyncio.CancelledError as cancelled:
                if self._steps.cancelled(self._call):
                    self._steps.went_on(self._call)
                    handler_call.close()
                    raise
                is_cancelled = True
                error = cancelled
            except BaseException as raised:  # noqa: BLE001 - it is the handler's
                error = raised
