"""Commands out, replies to whoever asked, notices to whoever listens: the protocol over a link."""

from __future__ import annotations

from collections.abc import Callable

from pydantic import BaseModel, ValidationError
from PySide6.QtCore import QObject, QTimer, Signal

from designer.session.link import UNREADABLE, Link
from runtime.debug.protocol import REPLY_BODIES, Command, Notice, Reply

Done = Callable[[Reply], None]
HOST_CLOSED = "HostClosed"  # `error_type` of replies that a dead host owes
CANCELLED = "Cancelled"  # of those that nobody waits for any more
UNSENDABLE = "Unsendable"  # of those to what could not be sent
LONG = 1500  # ms after which a person would like to know that one waits


class Client(QObject):
    """Starts its link with the first request. Every request gets exactly one reply, also when the other side dies, or
    answers what cannot be read; `cancel` answers those that wait. `waits_long` tells whether one has waited for long.
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
        self._waiting: dict[int, tuple[str, Done | None]] = {}
        self._after_end: list[Command] = []
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
    ) -> None:
        """Send a command; `done` gets its reply. A killed process is waited for, then a new one gets the command."""
        self._seq += 1
        self._waiting[self._seq] = (command, done)
        try:
            if arguments is not None:
                fields = arguments.model_dump(mode="json", by_alias=True)
            else:
                fields = {}
            packet = Command(seq=self._seq, command=command, arguments=fields)
        except (ValueError, RecursionError) as error:
            self._refuse(self._seq, error)
            return
        if self._killed:
            self._after_end.append(packet)
        else:
            self._send(packet)
        self._look_at_the_time()

    def kill(self, patience: int = 0) -> None:
        if self._link.is_open:
            self._killed = True
            self._link.kill(patience)

    def abandon(self) -> None:
        """Nobody waits for replies any more: whoever asked may be gone."""
        self._waiting = dict.fromkeys(self._waiting, ("", None))

    def cancel(self) -> None:
        """Wait no longer: all that wait are told so now, and what the host still answers is not listened to."""
        waiting = self._waiting
        self._waiting = {}
        self._after_end.clear()
        self._look_at_the_time()
        for command, done in waiting.values():
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
        command, done = self._waiting.pop(number, ("", None))
        self._look_at_the_time()
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
            if type(number) is int:  # a reply that is none: somebody waits for it
                self._on_reply(Reply.failure(number, _NO_ANSWER, UNREADABLE))

    def _on_reply(self, reply: Reply) -> None:
        if reply.request_seq not in self._waiting:
            return  # it was cancelled, or is answered already
        command, done = self._waiting.pop(reply.request_seq)
        self._look_at_the_time()
        if done is not None:
            done(self._checked(command, reply))

    def _checked(self, command: str, reply: Reply) -> Reply:
        """The reply with the body that belongs to its command, or a failure."""
        body = REPLY_BODIES.get(command)
        if not reply.success or body is None:
            return reply
        try:
            return reply.model_copy(update={"body": body.model_validate(reply.body)})
        except (ValidationError, RecursionError) as error:
            self._complain(error)
            return Reply.failure(reply.request_seq, _NO_ANSWER, UNREADABLE, command)

    def _complain(self, error: Exception) -> None:
        self.console.emit(
            "stderr",
            f"A packet of the run's process does not follow the protocol: {error}"[
                :_MOST_SAID
            ],
        )

    def _on_closed(self, reason: str) -> None:
        was_killed = self._killed
        self._killed = False
        later = self._after_end
        self._after_end = []
        lost = {
            seq: entry
            for seq, entry in self._waiting.items()
            if seq not in {packet.seq for packet in later}
        }
        for seq in lost:
            del self._waiting[seq]
        self._look_at_the_time()
        self.closed.emit(reason, was_killed)
        for command, done in lost.values():
            if done is not None:
                done(refusal(command, reason, HOST_CLOSED))
        for packet in later:
            self._send(packet)

    # --- how long one waits -------------------------------------------------------------------------------------------

    def _look_at_the_time(self) -> None:
        """With each question and each answer: one waits from the first that is open on, and a host that answers others
        is at work.
        """
        self._set_long(False)
        if self._waiting:
            self._patience.start()
        else:
            self._patience.stop()

    def _set_long(self, is_long: bool) -> None:
        if is_long != self._is_long:
            self._is_long = is_long
            self.waits_long.emit(is_long)


_NO_ANSWER = "The run's process sent a wrong reply to this."
_MOST_SAID = 4000  # characters


def refusal(command: str, text: str, kind: str = "") -> Reply:
    """A reply of our own, for a command that never reached a host or will never be answered by it."""
    return Reply.failure(0, text, kind, command)
