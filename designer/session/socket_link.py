"""The connection to a program that listens. Closing it leaves the program running."""

from __future__ import annotations

from typing import Any, Protocol

from pydantic import ValidationError
from PySide6.QtCore import QByteArray, QObject, Signal, SignalInstance
from PySide6.QtNetwork import QAbstractSocket, QLocalSocket, QTcpSocket

from designer.session.line_link import LAST, SLICE, LineLink, encode
from runtime.debug.wire.greeting import Hello, Refused, Welcome
from runtime.debug.wire.lines import LONGEST, Line
from runtime.system.listeners import Address

ENDED = "The program has ended, or it listens no more."
DETACHED = "Detached. The program goes on by itself."


class _Socket(Protocol):
    """What the two kinds of sockets have in common."""

    readyRead: SignalInstance  # noqa: N815 - as Qt names it
    connected: SignalInstance
    disconnected: SignalInstance
    errorOccurred: SignalInstance  # noqa: N815 - as Qt names it

    def write(self, data: bytes) -> int: ...
    def readAll(self) -> QByteArray: ...
    def isOpen(self) -> bool: ...
    def bytesAvailable(self) -> int: ...
    def abort(self) -> None: ...
    def errorString(self) -> str: ...
    def waitForBytesWritten(self, msecs: int) -> bool: ...


class SocketLink(LineLink):
    """A link to the address of a program. A refusal of the program is the reason of
    `closed`; `greeted` says to which program it leads.
    """

    greeted = Signal(object)  # Welcome

    def __init__(
        self,
        address: Address,
        token: str = "",
        *,
        turn: float = SLICE,
        longest: int = LONGEST,
        last: float = LAST,
        parent: QObject | None = None,
    ) -> None:
        super().__init__(turn, longest, last, parent)
        self.address = address
        self._token = token
        self._is_greeted = False
        # Lines for when the program has answered the greeting.
        self._unsent: list[bytes] = []
        self._tcp: QTcpSocket | None = None
        self._local: QLocalSocket | None = None
        self._socket: _Socket
        if address.path:
            self._socket = self._local = QLocalSocket(self)
        else:
            self._socket = self._tcp = QTcpSocket(self)
        self._socket.connected.connect(self._on_connected)
        self._socket.readyRead.connect(self._on_ready)
        self._socket.disconnected.connect(self._on_disconnected)
        self._socket.errorOccurred.connect(self._on_error)

    @property
    def owns_process(self) -> bool:
        return False

    def start(self) -> None:
        self._begin()
        self._is_greeted = False
        self._unsent.clear()
        if self._local is not None:
            self._local.connectToServer(self.address.path)
        elif self._tcp is not None:
            self._tcp.connectToHost(self.address.host, self.address.port)

    def send(self, packet: dict[str, Any]) -> None:
        line = encode(packet) + b"\n"
        if not self._open or self._ending:
            return
        if self._is_greeted:
            self._socket.write(line)
        else:
            self._unsent.append(line)

    def kill(self, patience: int = 0) -> None:
        if patience and not self._is_over():
            self._socket.waitForBytesWritten(patience)
        self._end_reading(DETACHED)
        self._socket.abort()
        self._schedule()

    def _is_over(self) -> bool:
        if self._local is not None:
            return self._local.state() == QLocalSocket.LocalSocketState.UnconnectedState
        return (
            self._tcp is None
            or self._tcp.state() == QAbstractSocket.SocketState.UnconnectedState
        )

    def _on_connected(self) -> None:
        hello = Hello(token=self._token)
        self._socket.write(hello.model_dump_json().encode() + b"\n")

    def _on_ready(self) -> None:
        if self._socket.isOpen() and self._socket.bytesAvailable():
            self._split(bytes(self._socket.readAll().data()))
            self._schedule()

    def _on_disconnected(self) -> None:
        self._finish(ENDED)

    def _on_error(self, _error: object) -> None:
        if not self._is_greeted:
            reason = self._socket.errorString().rstrip(".")
            self._finish(f"No program answers at {self.address}: {reason}.")

    def _finish(self, reason: str) -> None:
        self._on_ready()
        self._ending = self._ending or reason
        self._schedule()

    def _read(self, line: Line) -> None:
        if self._is_greeted:
            super()._read(line)
        else:
            self._greet(line)

    def _greet(self, line: Line) -> None:
        """Take the first line of the program: a welcome or a refusal."""
        try:
            welcome = Welcome.model_validate_json(line.content)
        except ValidationError:
            self._ending = _refusal_in(line)
            self._socket.abort()
            return
        self._is_greeted = True
        self.greeted.emit(welcome)
        for unsent in self._unsent:
            self._socket.write(unsent)
        self._unsent.clear()


def _refusal_in(line: Line) -> str:
    try:
        return Refused.model_validate_json(line.content).reason
    except ValidationError:
        return "Whoever listens there is no program that can be attached to."
