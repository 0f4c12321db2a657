"""The protocol over a link: commands out, replies to their callers, notices to
everybody.
"""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.line_link import UNREADABLE, Link
from runtime.debug.protocol import REPLY_BODIES, Command, Notice, Reply

Done = Callable[[Reply], None]
# `error_type` of the replies that the client itself gives:
HOST_CLOSED = "HostClosed"  # the host ended before it replied
CANCELLED = "Cancelled"  # the user did not want to wait
UNSENDABLE = "Unsendable"  # the command cannot be encoded
# and that of a question which the client has dropped:
DROPPED = "Dropped"
CLOSE_PATIENCE = 300  # ms that a host has to end by itself
LONG = 1500  # ms of waiting after which the user wants to know about it


class Client(QObject):
    """Starts its link with the first request. Every request gets exactly one reply,
    also when the host ends or sends something unreadable; `cancel` replies to all
    pending requests. `waits_long` says whether the host has not replied for long.
    """

    notice = Signal(object)  # Notice
    console = Signal(str, str)
    closed = Signal(str, bool)  # why, for people; whether `kill` ended it
    waits_long = Signal(bool)

    def __init__(
        self, link: Link, parent: QObject | None = None, patience: int = LONG
    ) -> None:
        super().__init__(parent)
        self._link = link
        self._seq = 0
        self._pending: dict[int, tuple[str, Done | None]] = {}
        # Commands for the next process, while a killed one has not ended yet.
        self._for_next_process: list[Command] = []
        self._killed = False
        self._is_long = False
        self._patience = QTimer(self, interval=patience, singleShot=True)
        self._patience.timeout.connect(lambda: self._set_long(True))
        link.packet.connect(self._on_packet)
        link.console.connect(self.console)
        link.closed.connect(self._on_closed)

    @property
    def is_open(self) -> bool:
        return self._link.is_open and not self._killed

    def request(
        self, command: str, arguments: BaseModel | None = None, done: Done | None = None
    ) -> int:
        """Send a command; `done` gets its reply. If the process was killed, a new one
        gets the command as soon as the old one has ended. Return its number.
        """
        self._seq += 1
        number = self._seq
        self._pending[number] = (command, done)
        try:
            if arguments is not None:
                fields = arguments.model_dump(mode="json", by_alias=True)
            else:
                fields = {}
            packet = Command(seq=number, command=command, arguments=fields)
        except (ValueError, RecursionError) as error:
            self._refuse(number, error)
            return number
        if self._killed:
            self._for_next_process.append(packet)
        else:
            self._send(packet)
        self._restart_clock()
        return number

    def kill(self, patience: int = 0) -> None:
        if self._link.is_open:
            self._killed = True
            self._link.kill(patience)

    def abandon(self) -> None:
        """Drop all replies, because their callers may be deleted."""
        self._pending = dict.fromkeys(self._pending, ("", None))

    def cancel(self) -> None:
        """Reply to all pending requests that they were cancelled, and ignore what the
        host still sends for them.
        """
        pending = self._pending
        self._pending = {}
        self._for_next_process.clear()
        self._restart_clock()
        for command, done in pending.values():
            if done is not None:
                done(refusal(command, "It was cancelled.", CANCELLED))

    def _send(self, packet: Command) -> None:
        if not self._link.is_open:
            self._link.start()
        try:
            self._link.send(packet.model_dump(mode="json"))
        except (ValueError, RecursionError) as error:
            self._refuse(packet.seq, error)

    def _refuse(self, number: int, error: Exception) -> None:
        command, done = self._pending.pop(number, ("", None))
        self._restart_clock()
        if done is not None:
            done(
                refusal(
                    command,
                    f"This cannot be sent to the run's process: {error}.",
                    UNSENDABLE,
                )
            )

    def _on_packet(self, packet: dict[str, object]) -> None:
        try:
            if packet.get("type") == "response":
                self._on_reply(Reply.model_validate(packet))
            else:
                self.notice.emit(Notice.model_validate(packet))
        except ValidationError as error:
            self._complain(error)
            number = packet.get("request_seq")
            if type(number) is int:  # an unreadable reply, whose caller waits for one
                self._on_reply(Reply.failure(number, _WRONG_REPLY, UNREADABLE))

    def _on_reply(self, reply: Reply) -> None:
        if reply.request_seq not in self._pending:
            return  # the request was cancelled, or already has its reply
        command, done = self._pending.pop(reply.request_seq)
        self._restart_clock()
        if done is not None:
            done(self._checked(command, reply))

    def _checked(self, command: str, reply: Reply) -> Reply:
        """Return the reply with its body validated for its command, or a failure."""
        body = REPLY_BODIES.get(command)
        if not reply.success or body is None:
            return reply
        try:
            return reply.model_copy(update={"body": body.model_validate(reply.body)})
        except (ValidationError, RecursionError) as error:
            self._complain(error)
            return Reply.failure(reply.request_seq, _WRONG_REPLY, UNREADABLE, command)

    def _complain(self, error: Exception) -> None:
        self.console.emit(
            "stderr",
            f"A packet of the run's process does not follow the protocol: {error}"[
                :_LONGEST_TEXT
            ],
        )

    def _on_closed(self, reason: str) -> None:
        was_killed = self._killed
        self._killed = False
        later = self._for_next_process
        self._for_next_process = []
        kept = {packet.seq for packet in later}
        lost = [
            self._pending.pop(number)
            for number in list(self._pending)
            if number not in kept
        ]
        self._restart_clock()
        self.closed.emit(reason, was_killed)
        for command, done in lost:
            if done is not None:
                done(refusal(command, reason, HOST_CLOSED))
        for packet in later:
            self._send(packet)

    # --- how long the host has not replied ---

    def _restart_clock(self) -> None:
        """Count the time from the last request or reply, because a host that replies to
        some requests works.
        """
        self._set_long(False)
        if self._pending:
            self._patience.start()
        else:
            self._patience.stop()

    def _set_long(self, is_long: bool) -> None:
        if is_long != self._is_long:
            self._is_long = is_long
            self.waits_long.emit(is_long)


_WRONG_REPLY = "The run's process sent a wrong reply to this."
_LONGEST_TEXT = 4000  # characters


def refusal(command: str, text: str, kind: str = "") -> Reply:
    """Return a failure for a command that no host will reply to."""
    return Reply.failure(0, text, kind, command)
