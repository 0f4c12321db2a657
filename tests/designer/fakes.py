"""Fakes at the designer's seams: a link that records what is sent and says what it is
told, and made-up headers.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from designer.session.line_link import Link
from runtime.checkpoint import Cause
from runtime.debug.protocol import Header


class RecordingLink(Link):
    """`sent` has the packets of the session; `reply`, `notice` and `close` speak for
    the host.
    """

    def __init__(self) -> None:
        super().__init__()
        self.sent: list[dict[str, Any]] = []
        self.starts = 0
        self.kills = 0
        self._open = False

    @property
    def is_open(self) -> bool:
        return self._open

    @property
    def commands(self) -> list[str]:
        return [packet["command"] for packet in self.sent]

    def start(self) -> None:
        self.starts += 1
        self._open = True

    def send(self, packet: dict[str, Any]) -> None:
        self.sent.append(packet)

    def kill(self, patience: int = 0) -> None:
        self.kills += 1
        self.close("The process of the run was ended.")

    def close(self, reason: str) -> None:
        if self._open:
            self._open = False
            self.closed.emit(reason)

    def last(self, command: str) -> dict[str, Any]:
        return next(
            packet for packet in reversed(self.sent) if packet["command"] == command
        )

    def reply(
        self,
        command: str,
        body: BaseModel | dict[str, Any] | None = None,
        *,
        error: str = "",
        error_type: str = "",
    ) -> None:
        """Answer the newest packet of that command."""
        packet = {
            "type": "response",
            "request_seq": self.last(command)["seq"],
            "command": command,
        }
        self.packet.emit(
            {
                **packet,
                "success": not error,
                "message": error,
                "error_type": error_type,
                "body": _plain(body),
            }
        )

    def notice(self, event: str, body: BaseModel | dict[str, Any]) -> None:
        self.packet.emit({"type": "event", "event": event, "body": _plain(body)})


def _plain(body: BaseModel | dict[str, Any] | None) -> Any:
    return body.model_dump(mode="json") if isinstance(body, BaseModel) else body


def header(number: int, **fields: Any) -> Header:
    """Checkpoint `c<number>` of run `r1`: superstep and parent follow from the number
    unless they are given.
    """
    given = {
        "superstep": number - 1,
        "parent": f"c{number - 1}" if number > 1 else None,
        **fields,
    }
    given.setdefault("cause", "superstep" if given["parent"] else "input")
    given["cause"] = Cause(given["cause"])
    return Header(
        id=f"c{number}",
        run_id=given.pop("run_id", "r1"),
        workflow="w",
        sequence=number,
        **given,
    )


def straight(count: int, **fields: Any) -> list[Header]:
    """A run without a fork."""
    return [header(number, **fields) for number in range(1, count + 1)]


def when(
    link: RecordingLink, command: str, body: Callable[[dict[str, Any]], Any]
) -> None:
    """Answer the newest `command` with what `body` makes of its arguments."""
    link.reply(command, body(link.last(command)["arguments"]))
