"""Tags and notes at checkpoints."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from designer.session.client import Client
from designer.session.failures import Failures
from designer.session.mirror import Mirror
from designer.session.opener import Opener
from runtime.debug import protocol
from runtime.debug.protocol import Reply

SEALED = "The store can only be read, so it cannot keep tags and notes."


class Annotations:
    """A part of the session."""

    def __init__(
        self, client: Client, opener: Opener, mirror: Mirror, failures: Failures
    ) -> None:
        self._client = client
        self._opener = opener
        self._mirror = mirror
        self._failures = failures

    @property
    def why_not(self) -> str:
        """Why tags and notes cannot be kept; "" if they can."""
        return SEALED if self._opener.is_sealed else ""

    def annotate(
        self,
        checkpoint_id: str,
        *,
        tags: Sequence[str] | None = None,
        note: str | None = None,
    ) -> None:
        """Set the tags or the note of a checkpoint; the timeline shows them when they
        are stored.
        """
        arguments = protocol.AnnotateArguments(
            checkpoint_id=checkpoint_id,
            tags=tuple(tags) if tags is not None else None,
            note=note,
        )
        done = self._on_annotated
        annotate = partial(self._client.request, "annotate", arguments, done)
        self._opener.for_looking(annotate, done)

    def _on_annotated(self, reply: Reply) -> None:
        if reply.success:
            self._mirror.replace(protocol.HeaderBody.model_validate(reply.body).header)
        else:
            self._failures.under("The note could not be stored")(reply)
