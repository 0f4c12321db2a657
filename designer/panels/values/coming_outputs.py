"""Outputs that stand in no checkpoint yet, as the Output panel shows them."""

from __future__ import annotations

from runtime.debug.protocol import OutputItem, OutputsBody, ProgressBody, StoppedBody

Items = tuple[OutputItem, ...]


class ComingOutputs:
    """What the host tells of the superstep that runs. It is in no checkpoint, and seen by who follows the run.

    Once a superstep is done its outputs stay until those of its checkpoint are there to be read; of one that has come
    to nothing they stay, as taken back, until the run moves on.
    """

    def __init__(self) -> None:
        self.items: Items = ()
        self._done: Items = ()
        self._run = ""

    def follow(
        self,
        run: str,
        progress: ProgressBody | None,
        stopped: StoppedBody | None,
        body: OutputsBody | None,
    ) -> bool:
        """What is told now. `body` is what was read last of this run. True if that makes a difference."""
        if run != self._run:
            self._run = run
            self._done = ()
            self.items = tuple(item for item in self.items if item.state != "coming")
        coming: Items = ()
        superstep = 0
        if progress is not None:
            coming = progress.coming
            superstep = progress.superstep
        elif stopped is not None:
            coming = stopped.taken_back
            superstep = stopped.superstep + 1
        self._done = tuple(
            item
            for item in (*self._done, *self._now_done(superstep))
            if not _is_in(item, body)
        )
        items = (*self._done, *coming)
        is_new = items != self.items
        self.items = items
        return is_new

    def _now_done(self, superstep: int) -> Items:
        coming = (
            item
            for item in self.items
            if item.state == "coming" and item.superstep < superstep
        )
        return tuple(item.model_copy(update={"state": "kept"}) for item in coming)

    def forget(self) -> bool:
        """Nobody follows the run. True if that makes a difference."""
        had = bool(self.items)
        self.items = ()
        self._done = ()
        return had


def _is_in(item: OutputItem, body: OutputsBody | None) -> bool:
    return body is not None and any(
        read.superstep >= item.superstep for read in body.items
    )
