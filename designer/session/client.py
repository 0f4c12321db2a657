"""Commands out, replies to whoever asked, notices to whoever listens: the protocol over a link."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, Signal

from designer.session.link import Link
from runtime.debug.protocol import Command, Notice, Reply

Done = Callable[[Reply], None]
HOST_CLOSED = "HostClosed"  # `error_type` of replies that a dead host owes


class Client(QObject):
    """Starts its link with the first request. Every request gets exactly one reply, also when the other side dies."""

    notice = Signal(object)  # Notice
    console = Signal(str, str)
    closed = Signal(str)

    def __init__(self, link: Link, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._link = link
        self._seq = 0
        self._waiting: dict[int, tuple[str, Done | None]] = {}
        self._after_end: list[Command] = []
        self._killed = False
        link.packet.connect(self._on_packet)
        link.console.connect(self.console)
        link.closed.connect(self._on_closed)

    @property
    def is_open(self) -> bool:
        return self._link.is_open and not self._killed

    def request(self, command: str, arguments: BaseModel | None = None, done: Done | None = None) -> None:
        """Send a command; `done` gets its reply. A killed process is waited for, then a new one gets the command."""
        self._seq += 1
        fields = arguments.model_dump(mode="json", by_alias=True) if arguments is not None else {}
        packet = Command(seq=self._seq, command=command, arguments=fields)
        self._waiting[self._seq] = (command, done)
        if self._killed:
            self._after_end.append(packet)
            return
        if not self._link.is_open:
            self._link.start()
        self._link.send(packet.model_dump(mode="json"))

    def kill(self, patience: int = 0) -> None:
        if self._link.is_open:
            self._killed = True
            self._link.kill(patience)

    def abandon(self) -> None:
        """Nobody waits for replies any more: whoever asked may be gone."""
        self._waiting = dict.fromkeys(self._waiting, ("", None))

    def _on_packet(self, packet: dict[str, object]) -> None:
        try:
            if packet.get("type") == "response":
                self._on_reply(Reply.model_validate(packet))
            else:
                self.notice.emit(Notice.model_validate(packet))
        except ValidationError as error:
            self.console.emit("stderr", f"A packet of the run's process does not follow the protocol: {error}")

    def _on_reply(self, reply: Reply) -> None:
        _, done = self._waiting.pop(reply.request_seq, ("", None))
        if done is not None:
            done(reply)

    def _on_closed(self, reason: str) -> None:
        self._killed = False
        later, self._after_end = self._after_end, []
        lost = {seq: entry for seq, entry in self._waiting.items() if seq not in {packet.seq for packet in later}}
        for seq in lost:
            del self._waiting[seq]
        self.closed.emit(reason)
        for command, done in lost.values():
            if done is not None:
                done(refusal(command, reason, HOST_CLOSED))
        for packet in later:
            if not self._link.is_open:
                self._link.start()
            self._link.send(packet.model_dump(mode="json"))


def refusal(command: str, text: str, kind: str = "") -> Reply:
    """A reply of our own, for a command that never reached a host or will never be answered by it."""
    return Reply(request_seq=0, command=command, success=False, message=text, error_type=kind)
