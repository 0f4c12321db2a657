"""A host with a run that stands where a test wants it, and documents for it."""

from __future__ import annotations

from typing import Any

from runtime.debug.protocol import InsideSuperstep, StoppedBody
from tests.runtime.debug.talking import Talk, direct, document, node


def fan() -> dict[str, Any]:
    """a fans out to b, c and d; c goes on to e."""
    return document(
        [node("a", "inc"), *(node(name, "double") for name in "bcde")],
        [
            {
                "id": "out",
                "kind": "fan_out",
                "source": "a",
                "targets": ["b", "c", "d"],
            },
            direct("c", "e"),
        ],
    )


async def go(talk: Talk, command: str, **arguments: Any) -> StoppedBody:
    """Send a command that moves the run, and return where it stops."""
    await talk.body(command, **arguments)
    stopped = await talk.until("stopped")
    assert isinstance(stopped, StoppedBody)
    return stopped


async def stand_at_entry(
    talk: Talk, workflow: dict[str, Any], *breakpoints: dict[str, Any]
) -> None:
    """Open a workflow with breakpoints, and start a run that stands at its input."""
    await talk.open(workflow)
    await talk.body("breakpoints", breakpoints=with_ids(breakpoints))
    await go(talk, "start", stop_on_entry=True)


def with_ids(breakpoints: Any) -> list[dict[str, Any]]:
    return [
        {"id": str(number), **breakpoint}
        for number, breakpoint in enumerate(breakpoints, start=1)
    ]


async def standing(talk: Talk) -> InsideSuperstep:
    moment = await talk.body("inspect")
    assert moment.standing is not None
    return moment.standing  # type: ignore[no-any-return]


async def states(talk: Talk) -> dict[str, str]:
    """What each executor of the superstep does."""
    inside = await standing(talk)
    return {delivery.executor: delivery.state for delivery in inside.deliveries}


async def checkpoints(talk: Talk) -> int:
    return len((await talk.body("timeline")).headers)
