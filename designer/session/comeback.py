"""After the loss of a host: the checkpoints that it saved and could not report. They
are in the store.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from PySide6.QtCore import QObject

from designer.session.client import Client
from designer.session.opener import Opener
from runtime.debug.protocol import Header, Reply, TimelineArguments, TimelineBody

Found = Callable[[Sequence[Header]], None]


class Comeback(QObject):
    """Starts a host that only looks into the store. A command that continues the run
    waits with `then` until it has looked.
    """

    def __init__(
        self, client: Client, opener: Opener, parent: QObject | None = None
    ) -> None:
        super().__init__(parent)
        self._client = client
        self._opener = opener
        self._found: Found | None = None
        self._waiting: list[Callable[[], None]] = []

    def look(self, run_id: str, after: int, found: Found) -> None:
        """Request the checkpoints of a run after a sequence number; `found` gets them,
        or none if the store cannot be read.
        """
        self._found = found
        arguments = TimelineArguments(run_id=run_id, after=after)
        self._opener.for_looking(
            lambda: self._client.request("timeline", arguments, self._on_reply),
            self._on_reply,
        )

    def then(self, go_on: Callable[[], None]) -> None:
        """Call `go_on` as soon as no request is pending."""
        if self._found is None:
            go_on()
        else:
            self._waiting.append(go_on)

    def _on_reply(self, reply: Reply) -> None:
        found = self._found
        self._found = None
        headers: Sequence[Header] = ()
        if reply.success:
            headers = TimelineBody.model_validate(reply.body).headers
        if found is not None:
            found(headers)
        waiting = self._waiting
        self._waiting = []
        for go_on in waiting:
            go_on()
