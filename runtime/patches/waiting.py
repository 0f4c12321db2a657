"""The messages of a queue or of a join, while a patch is applied to them. Each is known
by its place in the original, however the others move.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from runtime.codec import TypeRegistry
from runtime.message import Message
from runtime.patches.json_form import as_json
from runtime.patches.patch import Spot
from runtime.patches.refused import Refused
from runtime.values.words import counted


@dataclass(eq=False)
class WaitingMessage:
    """A message that waits.

    original as it was before the patch, or as the patch added it
    place    its place in the original; None if the patch added it
    added    id of the change that added it, or that duplicated another one
    dropped  id of the change that dropped it
    to       where it stands at the end, 0-based; None for behind the one before it
    """

    message: Message
    original: Message
    place: int | None = None
    added: str = ""
    dropped: str = ""
    to: int | None = None


class Waiting:
    """Messages that wait, in their order. `where` names the place in errors, and with
    `is_same` the patch was made for these very messages, so that their places are right.

    Which message a spot means is decided for all spots together, before anything
    changes: first those that stand at their places, then those that stand elsewhere, so
    that two equal messages are not taken for one.
    """

    def __init__(
        self,
        messages: Iterable[Message],
        spots: Sequence[Spot],
        types: TypeRegistry,
        where: str,
        *,
        is_same: bool,
    ) -> None:
        self._is_same = is_same
        self._messages = [
            WaitingMessage(message, message, place)
            for place, message in enumerate(messages)
        ]
        self._originals = list(self._messages)
        self._types = types
        self._where = where
        self._meant: dict[int, WaitingMessage] = {}
        self._only_near: set[int] = set()
        self._resolve(spots)
        self.is_changed = False

    # --- which message is meant -----------------------------------------------------------------------------------

    def _resolve(self, spots: Sequence[Spot]) -> None:
        guards: dict[int, Spot] = {}
        for spot in spots:
            if spot.place is None:
                continue
            known = guards.get(spot.place)
            if known is None or known.source is None:
                guards[spot.place] = spot
        for place, spot in guards.items():
            at_place = self._original(place)
            if at_place is not None and self._is_meant(at_place, spot):
                self._meant[place] = at_place
        for place, spot in guards.items():
            if place not in self._meant:
                self._look_elsewhere(place, spot)

    def _look_elsewhere(self, place: int, spot: Spot) -> None:
        taken = {id(waiting) for waiting in self._meant.values()}
        for waiting in self._originals:
            if id(waiting) not in taken and self._is_meant(waiting, spot):
                self._meant[place] = waiting
                return
        at_place = self._original(place)
        if at_place is None or id(at_place) in taken:
            return
        message = at_place.message
        if (message.source_id, message.target_id) == (spot.source, spot.target):
            self._meant[place] = at_place
            self._only_near.add(place)

    def _original(self, place: int) -> WaitingMessage | None:
        return self._originals[place] if 0 <= place < len(self._originals) else None

    def _is_meant(self, waiting: WaitingMessage, spot: Spot) -> bool:
        """Return whether a message is the one that a spot describes. Without a guard
        every message is.
        """
        if spot.source is None or self._is_same:
            return waiting.place == spot.place
        message = waiting.message
        if (message.source_id, message.target_id) != (spot.source, spot.target):
            return False
        return bool(as_json(message.data, self._types) == spot.was)

    def find(self, spot: Spot | None) -> tuple[WaitingMessage, str]:
        """Return the message that a spot means, and a warning, "" for none. Raise
        `Refused` if there is none, or if it was dropped.
        """
        if spot is None or (spot.place is None and not spot.added):
            raise Refused("Say which message is meant, by its place.")
        warning = ""
        if spot.place is None:
            waiting = self._added(spot.added)
        else:
            waiting = self._at(spot.place, spot)
            if spot.place in self._only_near:
                warning = (
                    f"The message at place {spot.place} {self._where} has another value than the one that the patch "
                    "was made for."
                )
        if waiting.dropped:
            raise Refused(f"The change '{waiting.dropped}' drops this message.")
        return waiting, warning

    def _added(self, change_id: str) -> WaitingMessage:
        for waiting in self._messages:
            if waiting.added == change_id:
                return waiting
        raise Refused(
            f"No change '{change_id}' adds a message {self._where}, or it has a problem."
        )

    def _at(self, place: int, spot: Spot) -> WaitingMessage:
        waiting = self._meant.get(place)
        if waiting is not None:
            return waiting
        if spot.source is not None and self._original(place) is not None:
            target = f" for '{spot.target}'" if spot.target else ""
            raise Refused(
                f"No message of '{spot.source}'{target} waits {self._where} that is like the one at place {place} "
                "that the patch was made for."
            )
        count = len(self._originals)
        held = counted(count, "message") if count else "no message"
        verb = "wait" if count > 1 else "waits"
        raise Refused(f"There is no place {place} {self._where}: {held} {verb} there.")

    # --- changes --------------------------------------------------------------------------------------------------

    def replace(self, waiting: WaitingMessage, message: Message) -> None:
        waiting.message = message
        self.is_changed = True

    def drop(self, waiting: WaitingMessage, change_id: str) -> None:
        waiting.dropped = change_id
        self.is_changed = True

    def move(self, waiting: WaitingMessage, to: int) -> None:
        waiting.to = to
        self.is_changed = True

    def duplicate(
        self, waiting: WaitingMessage, message: Message, change_id: str
    ) -> None:
        """Put a copy of a message directly behind it."""
        place = self._messages.index(waiting) + 1
        self._messages.insert(place, WaitingMessage(message, message, added=change_id))
        self.is_changed = True

    def add(self, message: Message, change_id: str, to: int | None) -> None:
        self._messages.append(WaitingMessage(message, message, added=change_id, to=to))
        self.is_changed = True

    def result(self) -> tuple[Message, ...]:
        """Return the messages as they wait in the end: those that stay in their order,
        then each other one at its own place among all.
        """
        staying = [waiting for waiting in self._messages if not waiting.dropped]
        order = [waiting for waiting in staying if waiting.to is None]
        moved = [waiting for waiting in staying if waiting.to is not None]
        # From the lowest place up, each stands where it was sent when all are in.
        for waiting in sorted(moved, key=lambda item: item.to or 0):
            order.insert(min(waiting.to or 0, len(order)), waiting)
        return tuple(waiting.message for waiting in order)
