"""What a client says about calls outside of a run, for the engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.debug.protocol import ReplaySettings

if TYPE_CHECKING:
    from runtime.checkpoint import CheckpointHeader
    from runtime.engine.replay.settings import Replay

# Whoever watches a run is asked before it repeats something.
DEFAULT = ReplaySettings()


def replay_of(
    settings: ReplaySettings | None, comes_from: CheckpointHeader | None
) -> Replay:
    """Return the settings; those of a client that gave none by default. Results on the
    line of the checkpoint that the client comes from are preferred.
    """
    from runtime.engine.replay.settings import Pin, Replay

    given = DEFAULT if settings is None else settings
    pinned = {
        name: Pin(pin.sent, pin.outputs, pin.writes, pin.error)
        for name, pin in given.pinned.items()
    }
    return Replay(
        live=frozenset(given.live),
        pinned=pinned,
        default=given.default,
        on_miss=given.on_miss,
        prefer="" if comes_from is None else comes_from.id,
    )
