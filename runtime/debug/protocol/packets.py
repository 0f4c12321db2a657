"""Packets: a command, its reply, and a notice; and the base of all models."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

PROTOCOL_VERSION = 1
# A line of the host's stderr that begins with this was written as an error, not
# printed.
ERROR_MARK = b"\x1e"


# Of a packet's class and of a record's. Each is built when it is first used, because a
# process uses few of them, and to build all takes a tenth of the start of a host.
RECORD = ConfigDict(extra="ignore", defer_build=True)


class Model(BaseModel):
    model_config = ConfigDict(frozen=True, **RECORD)


class Command(Model):
    type: Literal["request"] = "request"
    seq: int
    command: str
    arguments: dict[str, Any] = Field(default_factory=dict)


class Reply(Model):
    type: Literal["response"] = "response"
    request_seq: int
    command: str
    success: bool
    message: str = ""
    error_type: str = ""
    body: Any = None

    @classmethod
    def failure(
        cls, number: int, message: str, error_type: str, command: str = ""
    ) -> Reply:
        return cls(
            request_seq=number,
            command=command,
            success=False,
            message=message,
            error_type=error_type,
        )


class Notice(Model):
    type: Literal["event"] = "event"
    event: str
    body: Any = None
