"""A process that reads or writes a store beside the run, such as for a shared file that
takes a while.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from pydantic import BaseModel
from PySide6.QtCore import QObject, Signal

from designer.session.client import Client, Done
from designer.session.line_link import Link
from designer.session.link import ProcessLink
from runtime.debug.protocol import (
    DropArguments,
    Notice,
    OpenArguments,
    Reply,
    SharingBody,
)


class StoreProcess(QObject):
    """Answers questions about one store at a time. The process starts with the first
    question, and ends with `close`.

    progressed  carries how many checkpoints are done, of how many; 0 where that is not known
    """

    progressed = Signal(int, int)

    def __init__(self, link: Link | None = None, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link if link is not None else ProcessLink()
        self._client = Client(self._link, self)
        self._client.notice.connect(self._on_notice)
        self._client.closed.connect(self._on_closed)
        self._open = ("", True)
        self._number = 0

    def ask(
        self,
        store: str,
        command: str,
        arguments: BaseModel,
        done: Done,
        *,
        read_only: bool = True,
    ) -> None:
        """Send a command about a store; `done` gets the reply. Of several commands only
        the last one is answered.
        """
        self.cancel()
        send = partial(self._send, command, arguments, done)
        if (store, read_only) == self._open:
            send()
            return
        opened = partial(self._on_opened, (store, read_only), send, done)
        request = OpenArguments(store=store, read_only=read_only)
        self._number = self._client.request("open", request, opened)

    def cancel(self) -> None:
        """End what is being done. What was begun is taken back; nobody gets a reply."""
        if self._number and self._client.is_open:
            self._client.abandon()
            self._client.request("drop", DropArguments(number=self._number))
        self._number = 0

    def close(self) -> None:
        """End the process."""
        self._client.abandon()
        self._client.kill()

    def _send(self, command: str, arguments: BaseModel, done: Done) -> None:
        def on_reply(reply: Reply) -> None:
            self._number = 0
            done(reply)

        self._number = self._client.request(command, arguments, on_reply)

    def _on_opened(
        self,
        store: tuple[str, bool],
        send: Callable[[], None],
        done: Done,
        reply: Reply,
    ) -> None:
        self._number = 0
        if reply.success:
            self._open = store
            send()
        else:
            self._open = ("", True)
            done(reply)

    def _on_notice(self, notice: Notice) -> None:
        if notice.event == "sharing":
            body = SharingBody.model_validate(notice.body)
            self.progressed.emit(body.done, body.total)

    def _on_closed(self, _reason: str, _was_killed: bool) -> None:
        self._open = ("", True)
