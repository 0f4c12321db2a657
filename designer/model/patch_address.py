"""Where in a checkpoint a change of a patch would be: what the user points at."""

from __future__ import annotations

from typing import NamedTuple

from runtime.debug.protocol import Moment


class Address(NamedTuple):
    """A section of a patch, a key in it, the way into its value, and the place of a
    message in its queue or join, or the change that added it.
    """

    section: str
    key: str = ""
    path: tuple[str | int, ...] = ()
    message: int | None = None
    added: str = ""


def address_at(node: str, moment: Moment | None) -> Address | None:
    """Return what a node is about to do: its question, the first message that it gets,
    or else its own state; None if there is none of these.
    """
    if moment is None:
        return None
    for request in moment.requests:
        if request.executor == node:
            return Address("requests", request.id)
    for message in moment.messages:
        if message.where == "queued" and message.target == node:
            return Address("queue", "", (), int(message.section.rpartition(":")[2]))
    for name, record in moment.executors.children or ():
        own = dict(record.children or ()).get("state")
        if name == node and own is not None and own.count:
            return Address("executors", node)
    return None
