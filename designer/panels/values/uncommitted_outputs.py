"""Outputs that are in no checkpoint yet, for the Output panel."""

from __future__ import annotations

from runtime.debug.protocol import OutputItem, OutputsBody, ProgressBody, StoppedBody

Items = tuple[OutputItem, ...]


class UncommittedOutputs:
    """The outputs of the superstep that runs, as the host reports them. Only a live run
    has them.

    When the superstep has ended, its outputs stay here until the outputs of its
    checkpoint were read: otherwise they would vanish for a moment. The outputs of a
    superstep that failed stay as taken back until the run goes on.
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
        """Take the present report of the host. Return True if the items changed.

        `body` is the last answer about this run's committed outputs.
        """
        if run != self._run:
            self._run = run
            self._done = ()
            # The other run's outputs must not count as done in this run.
            self.items = tuple(item for item in self.items if item.state != "coming")
        coming: Items = ()
        superstep = 0
        if progress is not None:
            coming = progress.coming
            superstep = progress.superstep
        elif stopped is not None:
            coming = stopped.taken_back
            superstep = stopped.superstep + 1
        done = (*self._done, *self._newly_done(superstep))
        self._done = tuple(item for item in done if not _is_in(item, body))
        items = (*self._done, *coming)
        is_new = items != self.items
        self.items = items
        return is_new

    def _newly_done(self, superstep: int) -> Items:
        coming = [item for item in self.items if item.state == "coming"]
        done = [item for item in coming if item.superstep < superstep]
        return tuple(item.model_copy(update={"state": "kept"}) for item in done)

    def forget(self) -> bool:
        """Drop all items, because no run is live. Return True if the items changed."""
        had = bool(self.items)
        self.items = ()
        self._done = ()
        return had


def _is_in(item: OutputItem, body: OutputsBody | None) -> bool:
    return body is not None and any(
        read.superstep >= item.superstep for read in body.items
    )
