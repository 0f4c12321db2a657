"""After the loss of a host: what had it saved that it could not tell any more? The store knows."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from designer.session.client import Client
from designer.session.opener import Opener
from runtime.debug.protocol import Header, Reply, TimelineArguments, TimelineBody

Found = Callable[[Sequence[Header]], None]


class Comeback(QObject):
    """Starts a host that only looks into the store. Whoever wants to go on with the run waits for it with `then`."""

    def __init__(
        self, client: Client, opener: Opener, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._opener = opener
        self._found: Found | None = None
        self._waiting: list[Callable[[], None]] = []

    def look(self, run_id: str, after: int, found: Found) -> None:
        """Ask for the checkpoints of a run after a sequence number; `found` gets them, none if there is no telling."""
        self._found = found
        arguments = TimelineArguments(run_id=run_id, after=after)
        self._opener.for_looking(
            lambda: self._client.request("timeline", arguments, self._on_reply),
            self._on_reply,
        )

    def then(self, go_on: Callable[[], None]) -> None:
        """Call as soon as nothing is being looked for."""
        if self._found is None:
            go_on()
        else:
            self._waiting.append(go_on)

    def _on_reply(self, reply: Reply) -> None:
        found = self._found
        self._found = None
        if found is not None:
            found(
                TimelineBody.model_validate(reply.body).headers if reply.success else ()
            )
        waiting = self._waiting
        self._waiting = []
        for go_on in waiting:
            go_on()
