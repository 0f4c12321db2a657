"""Who can attach to a program, and what a hostile client can do to it: nothing."""

import asyncio
import json
import os
import socket
import stat
import sys
import tempfile
from pathlib import Path

import pytest

from runtime.debug import listen
from runtime.debug.protocol import Command, ConsoleBody, Notice, Reply
from runtime.debug.remote.client import MOST_PENDING
from runtime.debug.remote.server import LONGEST_COMMAND, Server
from runtime.debug.remote.sockets import peer_of
from runtime.debug.wire.greeting import LONGEST_GREETING, Welcome
from runtime.errors import AddressError
from runtime.system import listeners
from runtime.system.listeners import Address, address_of, listings
from tests.runtime.debug.attach.speaking import (
    attached,
    connected,
    counting,
    greet,
    greeted,
    running,
)

PORT = "127.0.0.1:0"


def mode_of(path: str | Path) -> int:
    return stat.S_IMODE(Path(path).stat().st_mode)


async def test_a_socket_its_folder_and_its_listing_are_for_their_user_alone(
    run_folder,
) -> None:
    run_folder.chmod(0o755)
    with listen(counting()) as listener:
        assert mode_of(listener.address) == 0o600
        assert mode_of(run_folder) == 0o700
        files = [path for path in run_folder.iterdir() if path.suffix == ".json"]
        assert [mode_of(file) for file in files] == [0o600]


async def test_a_socket_in_a_folder_of_all_is_for_its_user_alone(tmp_path) -> None:
    tmp_path.chmod(0o777)
    with listen(counting(), address=str(tmp_path / "own.sock")) as listener:
        assert mode_of(listener.address) == 0o600


@pytest.mark.skipif(os.geteuid() != 0, reason="gives a folder away")
async def test_a_run_folder_of_another_user_is_refused(run_folder) -> None:
    os.chown(run_folder, 65534, 65534)
    with pytest.raises(AddressError, match="belongs to another user"):
        listen(counting())


async def test_a_run_folder_that_is_a_link_is_refused(
    run_folder, tmp_path, monkeypatch
) -> None:
    link = tmp_path / "link"
    link.symlink_to(run_folder)
    monkeypatch.setenv("STEPWELL_RUN_DIR", str(link))
    with pytest.raises(AddressError, match="belongs to another user"):
        listen(counting())


def test_the_system_says_which_user_is_at_the_other_end_of_a_socket() -> None:
    near, far = socket.socketpair()
    with near, far:
        assert peer_of(near) in (os.getuid(), None)


async def test_a_wrong_token_is_refused_and_the_right_one_is_not() -> None:
    with listen(counting(), address=PORT) as listener:
        for token in ("", "wrong", listener.token[:-1], listener.token + "x"):
            answer = await greeted(listener, token)
            assert answer is not None
            assert answer["type"] == "refused"
            assert "token is wrong" in answer["reason"]
        answer = await greeted(listener)
        assert answer is not None
        assert answer["type"] == "welcome"


async def test_nothing_is_done_before_the_greeting() -> None:
    with listen(counting(), address=PORT) as listener:
        speaker = await connected(listener)
        speaker.send("start", input=1)
        answer = await speaker.read()
        assert answer is not None
        assert answer["type"] == "refused"
        assert await speaker.read() is None
        await speaker.close()
        async with attached(listener) as client:
            assert (await client.body("runs"))["runs"] == []


@pytest.mark.parametrize(
    "line",
    [
        b"POST / HTTP/1.1",
        b"\xff\xfe\x00",
        b"[]",
        b'{"type": "hello"',
        b"x" * (LONGEST_GREETING * 2),
        b'{"type": "hello", "protocol": 99, "token": "%s"}',
    ],
)
async def test_another_first_line_is_refused(line: bytes) -> None:
    with listen(counting(), address=PORT) as listener:
        speaker = await connected(listener)
        speaker.send_line(line.replace(b"%s", listener.token.encode()))
        try:
            answer = await speaker.read()
        except ConnectionResetError:  # because not all of the line was read
            answer = None
        assert answer is None or answer["type"] == "refused"
        await speaker.close()


@pytest.mark.parametrize(
    "address",
    [
        "0.0.0.0:0",
        "192.168.1.5:4000",
        "[::]:4000",
        "example.com:4000",
        ":::1:4000",
        "10.0.0.1:1",
    ],
)
def test_an_address_that_is_not_this_machine_is_refused(address: str) -> None:
    with pytest.raises(AddressError, match="not this machine"):
        listen(counting(), address=address)


@pytest.mark.parametrize("address", ["127.0.0.1", "localhost:x", "127.0.0.1:70000"])
def test_an_address_that_is_none_says_what_one_is(address: str) -> None:
    with pytest.raises(AddressError):
        listen(counting(), address=address)


def test_addresses_of_this_machine() -> None:
    assert address_of("5678") == Address(host="127.0.0.1", port=5678)
    assert address_of("localhost:5678") == Address(host="127.0.0.1", port=5678)
    assert address_of("[::1]:5678") == Address(host="::1", port=5678)
    assert address_of("127.3.2.1:1") == Address(host="127.3.2.1", port=1)
    assert address_of("/run/x.sock") == Address(path="/run/x.sock")


def test_a_short_token_is_refused() -> None:
    with pytest.raises(AddressError, match="at least 16 characters"):
        listen(counting(), address=PORT, token="short")  # noqa: S106


def test_a_port_that_is_taken_says_so() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(AddressError, match="Choose another address"):
            listen(counting(), address=f"127.0.0.1:{port}")


async def test_a_second_client_is_refused_and_welcome_after_the_first() -> None:
    with listen(counting()) as listener:
        async with attached(listener) as first:
            answer = await greeted(listener)
            assert answer is not None
            assert "Somebody else is attached" in answer["reason"]
            await first.body("shutdown")
            assert await first.read() is None
        async with attached(listener):
            pass


async def test_a_command_that_is_too_long_is_answered_and_not_kept() -> None:
    with listen(counting()) as listener:
        async with attached(listener) as client:
            line = json.dumps(
                {"seq": 77, "command": "start", "arguments": {"input": 1}}
            )
            client.send_line(line[:-1].encode() + b" " * LONGEST_COMMAND + b"}")
            answer = await client.read()
            assert answer is not None
            assert answer["request_seq"] == 77
            assert "longer than 16 MB" in answer["message"]
            await client.body("runs")


async def test_a_line_that_is_no_command_is_answered() -> None:
    with listen(counting()) as listener:
        async with attached(listener) as client:
            client.send_line(b'{"seq": 5, "command": ')
            answer = await client.read()
            assert answer is not None
            assert not answer["success"]
            await client.body("runs")


async def test_a_client_that_reads_nothing_is_dropped_and_the_run_goes_on() -> None:
    workflow = counting(3000)
    with listen(workflow, wait_for_client=True) as listener:
        listener.reading_patience = -1.0  # over as soon as it begins
        async with attached(listener) as client, running(workflow, 1) as call:
            await client.until("stopped")
            client.writer.transport.pause_reading()
            client.send("continue")
            assert await call == [3000]


class _Peer:
    """A client with a socket of its own, whose server does what the test says."""

    def __init__(self, path: Path, clock=lambda: 0.0) -> None:
        self.received: list[Command] = []
        self._news = asyncio.Event()
        self._loop = asyncio.get_running_loop()
        self.server = Server(
            Address(path=str(path)),
            "",
            welcome=Welcome,
            arrived=lambda: None,
            receive=self._receive,
            left=lambda said_so: None,
            clock=clock,
        )

    def _receive(self, command: Command) -> None:
        self.received.append(command)
        self._loop.call_soon_threadsafe(self._news.set)

    async def has_received(self, count: int) -> None:
        while len(self.received) < count:
            self._news.clear()
            await self._news.wait()


async def test_a_client_that_asks_and_does_not_wait_is_not_read_any_further(
    run_folder,
) -> None:
    peer = _Peer(run_folder / "x.sock")
    reader, writer = await asyncio.open_unix_connection(str(run_folder / "x.sock"))
    writer.write(b'{"type": "hello"}\n')
    await reader.readline()
    for number in range(1, 3 * MOST_PENDING):
        writer.write(b'{"seq": %d, "command": "runs"}\n' % number)
    await peer.has_received(MOST_PENDING)
    assert len(peer.received) == MOST_PENDING
    peer.server.send(Reply(request_seq=1, command="runs", success=True))
    await reader.readline()
    await peer.has_received(MOST_PENDING + 1)
    writer.close()
    peer.server.close()


async def test_a_client_may_be_behind_for_a_while_before_it_is_dropped(
    run_folder,
) -> None:
    now = [0.0]
    peer = _Peer(run_folder / "x.sock", lambda: now[0])
    reader, writer = await asyncio.open_unix_connection(str(run_folder / "x.sock"))
    writer.write(b'{"type": "hello"}\n')
    await reader.readline()
    writer.transport.pause_reading()
    body = ConsoleBody(category="stdout", text="x" * 2_000_000)
    peer.server.send(Notice(event="console", body=body))
    assert peer.server.is_behind()
    now[0] = 4.9
    assert peer.server.is_behind()
    now[0] = 5.1
    assert not peer.server.is_behind()
    writer.transport.resume_reading()
    with pytest.raises((ConnectionResetError, asyncio.IncompleteReadError)):
        await reader.readexactly(3_000_000)
    writer.close()
    peer.server.close()


async def test_programs_are_listed_while_they_listen_and_not_after(run_folder) -> None:
    workflow = counting()
    with listen(workflow) as listener:
        [listing] = listings()
        assert (str(listing.address), listing.workflow) == (
            listener.address,
            "counting",
        )
        assert listing.pid == os.getpid()
    assert listings() == []
    assert list(run_folder.iterdir()) == []


async def test_what_killed_programs_left_is_not_listed_and_removed(run_folder) -> None:
    gone = run_folder / "999999999-1.json"
    gone.write_text('{"address": {"path": "/nowhere"}, "pid": 999999999}')
    (run_folder / "999999999-1.sock").touch()
    (run_folder / "broken.json").write_text("{")
    assert listings() == []
    with listen(counting()):
        assert not gone.exists()
        assert not (run_folder / "999999999-1.sock").exists()


async def test_a_socket_that_a_killed_program_left_is_replaced(tmp_path) -> None:
    path = tmp_path / "own.sock"
    with socket.socket(socket.AF_UNIX) as left:
        left.bind(str(path))
    with listen(counting(), address=str(path)) as listener:
        assert (await greeted(listener))["type"] == "welcome"  # type: ignore[index]


async def test_no_handler_of_a_connection_outlives_the_listener() -> None:
    with listen(counting()) as listener:
        speaker = await connected(listener)
        await greet(speaker, "")
    assert await speaker.read() is None
    await speaker.close()


@pytest.mark.skipif(sys.platform != "linux", reason="the run folder of Linux")
def test_without_a_runtime_folder_of_the_system_one_is_in_the_temporary_folder(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.delenv("STEPWELL_RUN_DIR")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    folder = listeners.run_folder()
    assert folder.parent == Path(tempfile.gettempdir())
    assert folder.name.endswith(f"-{os.getuid()}")
