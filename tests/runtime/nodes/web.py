"""A server on loopback that plays a script: one answer for each request, which it
keeps.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any, Literal


@dataclass(frozen=True)
class Asked:
    method: str
    target: str
    headers: dict[str, str]
    body: bytes


@dataclass(frozen=True)
class Reply:
    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = field(default_factory=dict)

    def encoded(self) -> bytes:
        if isinstance(self.body, bytes):
            content = self.body
        else:
            content = json.dumps(self.body).encode()
        if isinstance(self.body, bytes):
            kind = {}
        else:
            kind = {"Content-Type": "application/json"}
        headers = {
            **kind,
            "Content-Length": str(len(content)),
            "Connection": "close",
            **self.headers,
        }
        lines = [
            f"HTTP/1.1 {self.status} Word",
            *(f"{name}: {value}" for name, value in headers.items()),
        ]
        return "\r\n".join(lines).encode() + b"\r\n\r\n" + content


@dataclass
class Web:
    """`hung` is set when a request waits for an answer that never comes, `left` when
    its client has gone.
    """

    script: Sequence[Reply | Literal["hang", "drop"]]
    asked: list[Asked] = field(default_factory=list)
    url: str = ""
    hung: asyncio.Event = field(default_factory=asyncio.Event)
    left: asyncio.Event = field(default_factory=asyncio.Event)

    async def serve(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        try:
            self.asked.append(await _read(reader))
            reply = self.script[min(len(self.asked), len(self.script)) - 1]
            if reply == "hang":
                self.hung.set()
                await reader.read()
                self.left.set()
            elif isinstance(reply, Reply):
                writer.write(reply.encoded())
                await writer.drain()
        except (ConnectionError, asyncio.IncompleteReadError):
            self.left.set()
        finally:
            writer.close()


async def _read(reader: asyncio.StreamReader) -> Asked:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.strip().split("\r\n")
    headers = {
        name.lower(): value.strip()
        for name, _, value in (line.partition(":") for line in lines)
    }
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    method, target, _ = first.split(" ")
    return Asked(method, target, headers, body)


@asynccontextmanager
async def web(*script: Reply | Literal["hang", "drop"]) -> AsyncIterator[Web]:
    made = Web(script)
    server = await asyncio.start_server(made.serve, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()[:2]
    made.url = f"http://{host}:{port}"
    async with server:
        yield made
