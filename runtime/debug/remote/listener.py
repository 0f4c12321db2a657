"""`listen`: a program of one's own lets a window or a terminal attach to it.

Three rules decide who drives what:

- One run at a time is watched. A call of `Workflow.run` begins its run and then waits,
  while the debug host drives that run in the program's own event loop. The call returns
  or raises what it always does.
- The host lives in the task of that call. Between calls it lives in a thread, so that a
  client is answered at any time.
- What a client restores or starts runs on a runner of its own, one at a time. The
  program's run stands meanwhile, and a new call of the program ends it.
"""

from __future__ import annotations

import asyncio
import atexit
import os
import threading
import time
from concurrent.futures import Future
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Literal, Self

from runtime.checkpoint import CheckpointStore
from runtime.concurrency.cancellation import StopSignal
from runtime.debug.host.host import DebugHost
from runtime.debug.protocol import Command, StoppedBody
from runtime.debug.remote.listen_arguments import place_of, store_of, token_of
from runtime.debug.remote.program import ProgramSession
from runtime.debug.remote.server import Server
from runtime.debug.remote.switchboard import OURS, Switchboard
from runtime.debug.session.notices import Notices
from runtime.debug.wire.greeting import Welcome
from runtime.engine.watch import watch
from runtime.errors import AddressError
from runtime.system.listeners import (
    SOCKET_SUFFIX,
    SUFFIX,
    Address,
    Listing,
    free_name,
    make_run_folder,
    remove_stale,
    write_listing,
)

if TYPE_CHECKING:
    from runtime.engine.runner import Runner
    from runtime.graph.workflow_graph import WorkflowGraph
    from runtime.workflow.workflow import Workflow

OnLoss = Literal["go on", "stand"]
PUMP_EVERY = 0.04
# How many runs the default store keeps, because it is in memory.
KEPT_RUNS = 20
# Seconds that a run of the window may take to end when the program begins one.
PATIENCE = 2.0


class _Home:
    """The thread in which a host lives while no call of the program is under way."""

    def __init__(self, listener: Listener) -> None:
        self._listener = listener
        self._ready: Future[None] = Future()
        self._loop: asyncio.AbstractEventLoop
        self._thread = threading.Thread(
            target=self._run, daemon=True, name="stepwell host"
        )
        self._thread.start()
        self._ready.result()

    def _run(self) -> None:
        asyncio.run(self._live())

    async def _live(self) -> None:
        self._loop = asyncio.get_running_loop()
        self._is_wanted = asyncio.Event()
        self._is_wanted.set()
        self._is_wanted_away = asyncio.Event()
        self._is_away = asyncio.Event()
        self._ready.set_result(None)
        listener = self._listener
        while not listener.is_closed:
            await self._is_wanted.wait()
            if listener.is_closed:
                return
            host = listener.new_host()
            async with host:
                listener.hand_on(host)
                listener.switchboard.connect(host)
                await self._is_wanted_away.wait()
                if host.is_moving:
                    await host.handle(Command(seq=OURS, command="stop"))
                await listener.switchboard.disconnect(host)
            listener.take_from(host)
            self._is_wanted_away.clear()
            self._is_away.set()

    def _send_away(self) -> None:
        self._is_away.clear()
        self._is_wanted.clear()
        self._is_wanted_away.set()

    async def leave(self) -> None:
        """Let the host in the thread end, from another event loop. Raise `TimeoutError`
        if a handler of the window's run does not end in time.
        """
        # In the order of the calls, so that who comes back at once is wanted.
        self._loop.call_soon_threadsafe(self._send_away)
        future = asyncio.run_coroutine_threadsafe(self._is_away.wait(), self._loop)
        # Not `wait_for`, which can swallow a cancellation of the program.
        async with asyncio.timeout(PATIENCE):
            await asyncio.wrap_future(future)

    def come_back(self) -> None:
        """Let a host live in the thread again."""
        with suppress(RuntimeError):  # the thread has ended
            self._loop.call_soon_threadsafe(self._is_wanted.set)

    def end(self) -> None:
        """End the thread."""
        with suppress(RuntimeError):
            self._loop.call_soon_threadsafe(self._is_wanted.set)
            self._loop.call_soon_threadsafe(self._is_wanted_away.set)
        self._thread.join(PATIENCE)


class Listener:
    """What `listen` returns: the program can be attached to until `close`.

    address  where it listens
    token    what a client must know; empty for a Unix socket
    """

    def __init__(
        self,
        workflow: Workflow | None,
        store: CheckpointStore,
        address: Address,
        token: str,
        *,
        wait_for_client: bool,
        on_loss: OnLoss,
        listing: Path,
        keeps_all: bool = True,
    ) -> None:
        self.token = token
        self.is_closed = False
        self._workflow = workflow
        self._store = store
        # The ended runs in the default store, the oldest first; None if all are kept.
        self._spare_runs: dict[str, None] | None = None if keeps_all else {}
        self._on_loss = on_loss
        self._listing = listing
        self._stands_at_entry = wait_for_client
        self._lock = threading.Lock()
        self._is_claimed = False
        self._was_attached = threading.Event()
        self._stopped: StoppedBody | None = None
        self.switchboard = Switchboard(self._send)
        self._notices = Notices(self.switchboard.send, is_behind=self._is_behind)
        self._session = ProgramSession(self._notices, workflow, store)
        self._server = Server(
            address,
            token,
            welcome=self._welcome,
            arrived=self._was_attached.set,
            receive=self.switchboard.receive,
            left=self._on_left,
        )
        self.address = str(self._server.address)
        self._home = _Home(self)
        threading.Thread(target=self._pump, daemon=True, name="stepwell pump").start()
        self._list()

    @property
    def store(self) -> CheckpointStore:
        """The store for runs that have none."""
        return self._store

    @property
    def reading_patience(self) -> float:
        """Seconds for which a run waits for a client that reads nothing, at most. Then
        the client is dropped.
        """
        return self._server.patience

    @reading_patience.setter
    def reading_patience(self, seconds: float) -> None:
        self._server.patience = seconds

    @property
    def is_attached(self) -> bool:
        """Whether a client is attached."""
        return self._server.is_attached

    def new_host(self) -> DebugHost:
        """Return another host for the same session."""
        return DebugHost(
            self.switchboard.send,
            is_behind=self._is_behind,
            session=self._session,
            is_watched=lambda: self.is_attached,
        )

    def hand_on(self, host: DebugHost) -> None:
        """Tell a new host where the run stands."""
        if self._stopped is not None:
            host.stand_as(self._stopped)

    def take_from(self, host: DebugHost) -> None:
        """A host has ended."""
        if self._session.has_run:
            self._stopped = host.stopped
        self.switchboard.give_up(host)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def wait_for_client(self, timeout: float | None = None) -> bool:
        """Block this thread until a client is attached, for at most `timeout` seconds.
        Return whether one is.
        """
        return self._was_attached.wait(timeout)

    def close(self) -> None:
        """Listen no more. A client hears of the end; a run goes on by itself."""
        with self._lock:
            if self.is_closed:
                return
            self.is_closed = True
        watch(None)
        _Only.release(self)
        with suppress(OSError):
            self._listing.unlink()
        self._server.close()
        self._home.end()
        atexit.unregister(self.close)

    # --- the watcher of the engine ----------------------------------------------------

    def claim(self, workflow: WorkflowGraph) -> bool:
        with self._lock:
            is_free = not self._is_claimed and not self.is_closed
            if is_free and self._workflow in (None, workflow):
                self._is_claimed = True
                return True
            return False

    def release(self) -> None:
        with self._lock:
            self._is_claimed = False

    async def drive(self, runner: Runner, stop: StopSignal) -> None:
        try:
            await self._home.leave()
        except TimeoutError:
            # A handler of the window's run does not end, and the program must not wait
            # for it: this run goes by unwatched.
            self._home.come_back()
            while await runner.advance(stop):
                pass
            return
        except asyncio.CancelledError:
            self._home.come_back()
            raise
        try:
            error = await self._drive_here(runner)
        finally:
            self._home.come_back()
        await self._forget_old_runs(runner)
        if error is not None:
            raise error

    async def _forget_old_runs(self, runner: Runner) -> None:
        """Keep few runs in memory, so that a program can run for years. While somebody
        is attached, all are kept.
        """
        runs = self._spare_runs
        if runs is None or runner.store is not self._store:
            return
        runs.pop(runner.run_id, None)
        if runner.state.requests:
            return  # because an answer goes on with it
        runs[runner.run_id] = None
        while len(runs) > KEPT_RUNS and not self.is_attached:
            oldest = next(iter(runs))
            del runs[oldest]
            await self._store.delete_run(oldest)

    async def _drive_here(self, runner: Runner) -> BaseException | None:
        """Drive the run in this task until it rests. Return what it failed with."""
        host = self.new_host()
        stands = self._stands_at_entry
        self._stands_at_entry = False
        try:
            async with host:
                call = self._session.begin(runner)
                self._list()
                self.switchboard.connect(host)
                host.take_over(stand=stands)
                await call.rests.wait()
                await self.switchboard.disconnect(host)
        except BaseException:
            host.report_cancelled("The program has cancelled its run.")
            raise
        finally:
            self._session.end()
            self.take_from(host)
        return call.error

    # --- the client -------------------------------------------------------------------

    def _welcome(self) -> Welcome:
        session = self._session
        return Welcome(
            program=session.name, pid=os.getpid(), workflow=session.workflow_name
        )

    def _send(self, packet: Any) -> None:
        self._server.send(packet)

    def _is_behind(self) -> bool:
        return self._server.is_behind()

    def _on_left(self, said_so: bool) -> None:
        """A client has left, or its connection is lost."""
        self.switchboard.forget()
        if not self._session.is_called:
            self.switchboard.order("stop")
        elif said_so or self._on_loss == "go on":
            self.switchboard.order("follow")
            self.switchboard.order("continue")

    def _pump(self) -> None:
        """Send what is due, even while a handler keeps the loop busy."""
        while not self.is_closed:
            time.sleep(PUMP_EVERY)
            if self._server.is_attached:
                self.switchboard.send_due()

    def _list(self) -> None:
        """Write which program listens here, and which workflow it runs."""
        welcome = self._welcome()
        listing = Listing(
            address=self._server.address,
            token=self.token,
            pid=welcome.pid,
            program=welcome.program,
            workflow=welcome.workflow,
            since=time.time(),
        )
        with suppress(OSError):  # a full disk is no reason to fail the program
            write_listing(self._listing, listing)


class _Only:
    """The one listener of this process, because one run at a time is watched."""

    listener: Listener | None = None

    @classmethod
    def release(cls, listener: Listener) -> None:
        if cls.listener is listener:
            cls.listener = None


def listen(
    workflow: Workflow | None = None,
    *,
    store: CheckpointStore | str | None = None,
    address: str = "",
    token: str = "",
    wait_for_client: bool = False,
    on_loss: OnLoss = "go on",
) -> Listener:
    """Let a window or a terminal on this machine attach to this program.

    workflow         the workflow whose runs are watched; None for those of any
    store            keeps the checkpoints of runs that have no storage of their own: a store or its
                     URL, by default the newest runs in memory
    address          `HOST:PORT` with a host that is this machine, or the path of a Unix socket; by
                     default a Unix socket in the run folder of the user
    token            what a client of a port must know; by default a new one
    wait_for_client  the first run stands at its input until a client lets it go on
    on_loss          what a run does that stands when the connection is lost: "go on", or "stand"
                     until the next client. When a client detaches by itself, the run always goes on

    Raise `AddressError` if the program listens already, or if it cannot listen there.
    """
    if on_loss not in ("go on", "stand"):
        raise ValueError(f"on_loss is 'go on' or 'stand', not {on_loss!r}.")
    if _Only.listener is not None:
        raise AddressError(
            f"This program listens already, at {_Only.listener.address}. Close that listener first."
        )
    remove_stale()
    folder = make_run_folder()
    name = free_name(folder)
    place = place_of(address, folder / f"{name}{SOCKET_SUFFIX}")
    listener = Listener(
        workflow,
        store_of(store),
        place,
        token_of(place, token),
        wait_for_client=wait_for_client,
        on_loss=on_loss,
        listing=folder / f"{name}{SUFFIX}",
        keeps_all=store is not None,
    )
    _Only.listener = listener
    atexit.register(listener.close)
    watch(listener)
    return listener
