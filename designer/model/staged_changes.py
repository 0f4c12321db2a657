"""The changes that are staged over a checkpoint, as one value: a change is added to
them, takes the place of an earlier one about the same thing, or is taken back.

Messages are named by their places in the original checkpoint, or by the change that
added them. `order_of` says where each stands after all changes.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from runtime.debug.protocol import PatchChange, Spot

Changes = tuple[PatchChange, ...]
# A message: its place in the original, or the id of the change that added it.
Entry = int | str
MAKERS = ("add", "duplicate")
VALUES = ("set", "remove")


@dataclass(frozen=True, slots=True)
class Draft:
    """Staged changes, and the name of the branch that they will make."""

    changes: Changes = ()
    name: str = ""

    def named(self, name: str) -> Draft:
        return replace(self, name=name)

    def change(self, id: str) -> PatchChange | None:
        return next((change for change in self.changes if change.id == id), None)

    def with_change(self, change: PatchChange) -> Draft:
        """Return the draft with one change more. It takes the place of earlier changes
        of the same thing, and gets an id if it has none.
        """
        maker = self._maker_of(change)
        if maker is not None and change.do in ("set", "address") and not change.path:
            return self._with_maker_changed(maker, change)
        if maker is not None and change.do == "drop":
            return self.without((maker.id,))
        kept = [
            earlier for earlier in self.changes if not _is_replaced(earlier, change)
        ]
        kept_ids = {each.id for each in kept}
        places = [
            place
            for place, earlier in enumerate(self.changes)
            if earlier.id not in kept_ids
        ]
        if not change.id:
            same = [self.changes[place].id for place in places]
            change = change.model_copy(update={"id": same[0] if same else self._id()})
        # In the place of the one before, so that the list does not jump while one types.
        place = places[0] if places else len(kept)
        changes = (*kept[:place], change, *kept[place:])
        return replace(self, changes=changes)

    def without(self, ids: Collection[str]) -> Draft:
        """Return the draft without some changes, and without those of the messages that
        they add.
        """
        gone = set(ids)
        while True:
            more = {
                change.id
                for change in self.changes
                if change.spot is not None and change.spot.added in gone
            }
            if more <= gone:
                break
            gone |= more
        return replace(
            self, changes=tuple(each for each in self.changes if each.id not in gone)
        )

    def with_order(
        self, about: PatchChange, entries: Sequence[Entry], moved: Entry, count: int
    ) -> Draft:
        """Return the draft in which the messages of a queue or join stand in an order,
        of which one was moved by the user. `about` is a change of the section, and
        `count` is how many messages there are in the original.
        """
        draft = self
        spots = {moved, *_moved(self.changes, about)}
        for place, entry in enumerate(entries):
            if entry in spots:
                draft = draft._with_place(about, entry, place)
        return draft._without_idle_moves(about, count)

    # --- inside ---

    def _id(self) -> str:
        numbers = [0]
        for change in self.changes:
            digits = change.id.removeprefix("c")
            if digits.isdecimal():
                numbers.append(int(digits))
        return f"c{max(numbers) + 1}"

    def _maker_of(self, change: PatchChange) -> PatchChange | None:
        """Return the change that added the message that a change is about."""
        if change.spot is None or not change.spot.added:
            return None
        return self.change(change.spot.added)

    def _with_maker_changed(self, maker: PatchChange, change: PatchChange) -> Draft:
        """Change an added message where it is added. A duplicate is changed on its own,
        because it takes its value from the other one.
        """
        if maker.do == "duplicate":
            kept = [each for each in self.changes if not _is_replaced(each, change)]
            if not change.id:
                change = change.model_copy(update={"id": self._id()})
            return replace(self, changes=(*kept, change))
        fields: dict[str, Any]
        if change.do == "set":
            fields = {"value": change.value, "type": change.type or maker.type}
        else:
            fields = {"source": change.source, "target": change.target}
        changed = maker.model_copy(update=fields)
        changes = tuple(
            changed if each.id == maker.id else each for each in self.changes
        )
        return replace(self, changes=changes)

    def _with_place(self, about: PatchChange, entry: Entry, place: int) -> Draft:
        if isinstance(entry, str):
            maker = self.change(entry)
            if maker is not None and maker.do == "add":
                changed = maker.model_copy(update={"to": place})
                changes = tuple(
                    changed if each.id == entry else each for each in self.changes
                )
                return replace(self, changes=changes)
        move = PatchChange(
            id="",
            do="move",
            section=about.section,
            run=about.run,
            key=about.key,
            spot=spot_of(entry),
            to=place,
        )
        return self.with_change(move)

    def _without_idle_moves(self, about: PatchChange, count: int) -> Draft:
        """Drop the moves without which the order is the same."""
        draft = self
        order = order_of(self.changes, about, count)
        for change in self.changes:
            if change.do == "move" and is_of_same_messages(change, about):
                shorter = draft.without((change.id,))
                if order_of(shorter.changes, about, count) == order:
                    draft = shorter
        return draft


def spot_of(entry: Entry) -> Spot:
    if isinstance(entry, str):
        return Spot(added=entry)
    return Spot(place=entry)


def value_before(change: PatchChange) -> Any:
    """Return what stood at the place of a change with its guards, as JSON."""
    if change.spot is not None and not change.path:
        return change.spot.was
    return change.was


def entry_of(change: PatchChange) -> Entry | None:
    """Return the message that a change is about; None for another change."""
    if change.spot is None:
        return None
    if change.spot.added:
        return change.spot.added
    return change.spot.place


def is_of_same_messages(change: PatchChange, about: PatchChange) -> bool:
    """Return whether two changes are about the same queue, or the same join."""
    return (change.section, change.run, change.key) == (
        about.section,
        about.run,
        about.key,
    )


def order_of(
    changes: Iterable[PatchChange], about: PatchChange, count: int
) -> list[Entry]:
    """Return the messages of a queue or of a join in the order after all changes;
    `count` is how many there are in the original.
    """
    mine = [change for change in changes if is_of_same_messages(change, about)]
    dropped = {entry_of(change) for change in mine if change.do == "drop"}
    base = [entry for entry in _all_entries(mine, count) if entry not in dropped]
    targets: dict[Entry, int] = {}
    for change in mine:
        entry = change.id if change.do == "add" else entry_of(change)
        if change.to is not None and entry is not None and change.do in ("move", "add"):
            targets[entry] = change.to
    order = [entry for entry in base if entry not in targets]
    moved = [entry for entry in base if entry in targets]
    for entry in sorted(moved, key=lambda each: targets[each]):
        order.insert(min(targets[entry], len(order)), entry)
    return order


def _all_entries(mine: Sequence[PatchChange], count: int) -> Iterator[Entry]:
    """Yield all messages, each duplicate after its original, added ones at the end."""
    duplicates: dict[Entry, list[Entry]] = {}
    for change in mine:
        entry = entry_of(change)
        if change.do == "duplicate" and entry is not None:
            duplicates.setdefault(entry, []).append(change.id)
    added = (change.id for change in mine if change.do == "add")
    for first in (*range(count), *added):
        waiting: list[Entry] = [first]
        while waiting:
            entry = waiting.pop()
            yield entry
            # Each is put directly behind its original, so the newest comes first.
            waiting.extend(duplicates.get(entry, ()))


def _moved(changes: Iterable[PatchChange], about: PatchChange) -> Iterator[Entry]:
    for change in changes:
        if change.to is None or not is_of_same_messages(change, about):
            continue
        entry = change.id if change.do == "add" else entry_of(change)
        if entry is not None:
            yield entry


def _is_replaced(earlier: PatchChange, change: PatchChange) -> bool:
    """Return whether a change takes the place of an earlier one."""
    if not is_of_same_messages(earlier, change):
        return False
    if earlier.do in MAKERS or change.do in MAKERS:
        return False
    if entry_of(earlier) != entry_of(change):
        return False
    if change.do == "drop":
        return True  # because nothing else matters of a message that is gone
    if change.section == "requests":
        return True
    if change.do in VALUES and earlier.do in VALUES:
        return earlier.path[: len(change.path)] == change.path
    return earlier.do in {change.do, "drop"}
