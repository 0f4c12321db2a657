"""The breakpoints of a document in the debug host, and what the host says of them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import ValidationError
from PySide6.QtCore import QObject, Signal

from designer.session.client import HOST_CLOSED, Client, Done
from designer.session.opener import Opener
from runtime.debug.protocol import (
    Breakpoint,
    BreakpointsArguments,
    BreakpointsBody,
    BreakpointStatus,
    HoldArguments,
    HoldBody,
    LoggedBody,
    Notice,
    Reply,
)


class HostBreakpoints(QObject):
    """A part of the session. It sends the breakpoints to each host that can run, and
    again with each change, also while a superstep runs.

    held       the executors that the host keeps from running, each with the way to it
    statuses   what the host says of each, by its id; empty as long as no host knows them
    changed    `statuses` or `held`
    logged     a `LoggedBody`, when a log point was hit
    refused    why the host does not take them
    """

    changed = Signal()
    logged = Signal(object)
    refused = Signal(str)

    def __init__(self, client: Client, opener: Opener, parent: QObject) -> None:
        super().__init__(parent)
        self.statuses: dict[str, BreakpointStatus] = {}
        self.held: frozenset[tuple[tuple[str, ...], str]] = frozenset()
        self._client = client
        self._points: tuple[Breakpoint, ...] = ()
        self._muted = False
        self._is_suspended = False
        # What the present host got last; None before it got any.
        self._sent: tuple[tuple[Breakpoint, ...], bool] | None = None
        self._can_run = False
        opener.opened.connect(self._on_opened)
        opener.attached.connect(self._on_opened)
        client.closed.connect(self._on_closed)
        client.notice.connect(self._on_notice)

    def use(self, points: Sequence[Breakpoint], *, muted: bool) -> None:
        """Stop at these from now on."""
        self._points = tuple(points)
        self._muted = muted
        self._send()

    def suspend(self, *, on: bool) -> None:
        """Pass all breakpoints until `suspend` is called with False."""
        self._is_suspended = on
        self._send()

    def hold(self, arguments: HoldArguments, failed: Done) -> None:
        """Hold an executor, or let it go on."""

        def on_reply(reply: Reply) -> None:
            if reply.success:
                self._take_held(HoldBody.model_validate(reply.body).held)
            else:
                failed(reply)

        self._client.request("hold", arguments, on_reply)

    def _on_opened(self) -> None:
        self._can_run = True
        # The host holds nothing of another workflow.
        self._take_held(())
        self._send(again=True)

    def _on_closed(self, _reason: str, _was_killed: bool) -> None:
        self._can_run = False
        self._sent = None
        self._is_suspended = False
        self._take({})
        self._take_held(())

    def _send(self, *, again: bool = False) -> None:
        muted = self._muted or self._is_suspended
        wanted = (self._points, muted)
        if not self._can_run or (wanted == self._sent and not again):
            return
        if self._sent is None and not self._points:
            return  # because a host begins without any
        self._sent = wanted
        arguments = BreakpointsArguments(breakpoints=self._points, muted=muted)
        self._client.request("breakpoints", arguments, self._on_reply)

    def _on_reply(self, reply: Reply) -> None:
        if reply.success:
            self._on_statuses(reply.body)
        elif reply.error_type != HOST_CLOSED:
            self.refused.emit(reply.message)

    def _on_notice(self, notice: Notice) -> None:
        try:
            if notice.event == "breakpoints":
                self._on_statuses(notice.body)
            elif notice.event == "logged":
                self.logged.emit(LoggedBody.model_validate(notice.body))
        except ValidationError as error:
            self.refused.emit(f"The run's process sent something unreadable: {error}")

    def _on_statuses(self, body: Any) -> None:
        statuses = BreakpointsBody.model_validate(body).statuses
        self._take({status.id: status for status in statuses})

    def _take_held(self, held: Iterable[tuple[tuple[str, ...], str]]) -> None:
        if frozenset(held) != self.held:
            self.held = frozenset(held)
            self.changed.emit()

    def _take(self, statuses: dict[str, BreakpointStatus]) -> None:
        if statuses != self.statuses:
            self.statuses = statuses
            self.changed.emit()
