"""The first line in each direction between a client and a program that listens.

The client says who it is, the program answers with a welcome or with a refusal, and
then both speak the protocol. Before the welcome nothing of the protocol is read, so
that a stranger's line is never a command.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict

LONGEST_GREETING = 4096  # bytes of a line
PROTOCOL_VERSION = 1


class _Line(BaseModel):
    model_config = ConfigDict(frozen=True, extra="ignore")


class Hello(_Line):
    """What a client sends first. The `token` is empty where the program needs none."""

    type: Literal["hello"] = "hello"
    protocol: int = PROTOCOL_VERSION
    token: str = ""


class Welcome(_Line):
    """The program's answer: which program, which process, and the workflow it watches."""

    type: Literal["welcome"] = "welcome"
    protocol: int = PROTOCOL_VERSION
    program: str = ""
    pid: int = 0
    workflow: str = ""


class Refused(_Line):
    """The program's other answer; it closes the connection."""

    type: Literal["refused"] = "refused"
    reason: str
