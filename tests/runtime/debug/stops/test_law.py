"""Whatever a debugger does to a run on its way, it ends as the straight run does."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from runtime.checkpoint import Cause
from runtime.checkpoints.archive import Archive
from runtime.debug.breakpoints.kinds import KINDS
from runtime.debug.host.host import DebugHost
from runtime.debug.protocol import StoppedBody
from runtime.debug.session.notices import Notices
from runtime.debug.session.session import Session
from runtime.state import RunState
from tests.runtime.debug.stops.random_documents import CODE, MODULE, documents, places
from tests.runtime.debug.stops.support import with_ids
from tests.runtime.debug.talking import Talk

ENDS = ("finished", "stalled", "failed", "limit")
MOST_MOVES = 12
SLOW = [HealthCheck.too_slow, HealthCheck.data_too_large]
Move = tuple[str, dict[str, Any]]


class Watched(Talk):
    """A host of which the store is seen."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.session = Session(Notices(self._hear))
        self.host = DebugHost(self._hear, session=self.session)


@st.composite
def moves(draw: st.DrawFn, workflow: dict[str, Any]) -> list[Move]:
    elements = st.sampled_from(places(workflow))
    return [
        draw(st.sampled_from(_MOVES))(draw, elements)
        for _ in range(draw(st.integers(0, MOST_MOVES)))
    ]


def _step(draw: st.DrawFn, _: Any) -> Move:
    unit = draw(st.sampled_from(["superstep", "delivery", "delivery", "out"]))
    return "step", {"unit": unit, "count": draw(st.integers(1, 3))}


def _run_to(draw: st.DrawFn, elements: Any) -> Move:
    inside, kind, name = draw(elements)
    return "run_to", {kind: name, "inside": inside}


def _breakpoints(draw: st.DrawFn, elements: Any) -> Move:
    points = [_breakpoint(draw, elements) for _ in range(draw(st.integers(0, 4)))]
    return "breakpoints", {"breakpoints": with_ids(points)}


def _breakpoint(draw: st.DrawFn, elements: Any) -> dict[str, Any]:
    inside, _, name = draw(elements)
    return {
        "kind": draw(st.sampled_from([*KINDS])),
        "where": draw(st.sampled_from([name, ""])),
        "inside": inside,
        "condition": draw(st.sampled_from(["", "superstep > 1", "message > 50"])),
        "once": draw(st.booleans()),
        "log": draw(st.sampled_from(["", "", "{message}"])),
    }


def _hold(draw: st.DrawFn, elements: Any) -> Move:
    inside, _, name = draw(elements.filter(lambda element: element[1] == "node"))
    return "hold", {"executor": name, "inside": inside, "held": draw(st.booleans())}


def _other(draw: st.DrawFn, _: Any) -> Move:
    commands = ["continue", "continue", "stop in flight", "pause in flight", "restore"]
    return draw(st.sampled_from(commands)), {}


_MOVES = (_step, _step, _run_to, _breakpoints, _hold, _other)


async def make(talk: Watched, move: Move) -> None:
    """Make a move, and wait until the run stands."""
    command, arguments = move
    talk.said.clear()
    match command:
        case "breakpoints" | "hold":
            await talk.ask(command, **arguments)
            return
        case "stop in flight" | "pause in flight":
            await talk.body("continue")
            await talk.body(command.removesuffix(" in flight"))
        case "restore":
            # Also while the run stands inside a superstep.
            header = talk.session.runner.header
            assert header is not None
            await talk.body("restore", checkpoint_id=header.id)
        case _:
            if not (await talk.ask(command, **arguments)).success:
                return
    await talk.until("stopped")


async def answer(talk: Watched) -> None:
    """Answer all open questions, if the run waits for that."""
    if talk.host.stopped.reason == "waiting":
        talk.said.clear()
        requests = _requests(talk.session.runner.state)
        await talk.body("answer", answers=dict.fromkeys(requests, "yes"))
        await talk.until("stopped")


def _requests(state: RunState) -> list[str]:
    inner = [name for child in state.children.values() for name in _requests(child)]
    return [*state.requests, *inner]


async def finish(talk: Watched) -> StoppedBody:
    """Let the run go on without a stop until it has ended."""
    await talk.body("breakpoints", breakpoints=[])
    for path, executor in (await talk.body("hold", executor="", held=False)).held:
        await talk.body("hold", executor=executor, inside=path, held=False)
    while talk.host.stopped.reason not in ENDS:
        await answer(talk)
        if talk.host.stopped.reason not in ENDS:
            await make(talk, ("continue", {}))
    return talk.host.stopped


async def ended(folder: Path, document: dict[str, Any], way: list[Move]) -> Any:
    """Return how a run ends that goes this way first: why, where, and with which
    checkpoints.
    """
    talk = Watched(folder)
    async with talk.host:
        await talk.open(document)
        await talk.body("start", stop_on_entry=True)
        await talk.until("stopped")
        for move in way:
            if talk.host.stopped.reason not in ENDS:
                await answer(talk)
            if talk.host.stopped.reason not in ENDS:
                await make(talk, move)
        end = await finish(talk)
        archive = Archive(talk.session.store)
        states = [
            (await archive.view(header.id)).state
            for header in await talk.session.store.headers()
            if header.cause is not Cause.FORK  # a restore is one, of the same state
        ]
    return (end.reason, end.superstep, end.text, end.executor, states)


@settings(max_examples=30, suppress_health_check=SLOW)
@given(st.data())
def test_any_mixture_of_stops_and_steps_ends_as_the_straight_run(
    data: st.DataObject,
) -> None:
    document = data.draw(documents())
    way = data.draw(moves(document["workflow"]))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / f"{MODULE}.py").write_text(CODE)
        straight = asyncio.run(ended(folder, document, []))
        assert asyncio.run(ended(folder, document, way)) == straight
