"""Finds executors that go on under another id: gone under the old one, and new under the
other, of the same type and with the same neighbours.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from difflib import SequenceMatcher

from runtime.migration.outline import ExecutorOutline, Outline

# How much one executor must have of another, from 0 to 1, to be the same one under
# another name. Without any neighbour in common none has that much.
_ENOUGH = 0.5
# Of more candidates for one executor, only those count that are told from the others by
# what they do or by their title.
_MOST_CANDIDATES = 48


def renames_between(before: Outline, after: Outline) -> dict[str, str]:
    """Return old id -> new id for the executors that were renamed."""
    return _Search(before, after).names()


class _Search:
    """The likeliest pair is taken first, because its neighbours are known by it then."""

    def __init__(self, before: Outline, after: Outline) -> None:
        self._before = before
        self._after = after
        self._gone = [id_ for id_ in before.executors if id_ not in after.executors]
        # Dictionaries, because their order decides between equals.
        self._new = dict.fromkeys(
            id_ for id_ in after.executors if id_ not in before.executors
        )
        self._isolated = [id_ for id_ in self._new if not any(after.neighbours(id_))]
        self._names: dict[str, str] = {}
        self._candidates: dict[str, set[str]] = {}
        self._best: dict[str, tuple[float, str]] = {}
        self._fixed: dict[tuple[str, str], float] = {}

    def names(self) -> dict[str, str]:
        stale: Iterable[str] = self._gone if self._new else ()
        while True:
            for old_id in stale:
                self._judge(old_id)
            likeliest = self._likeliest()
            if likeliest is None:
                break
            old_id, new_id = likeliest
            self._names[old_id] = new_id
            del self._new[new_id]
            stale = self._touched_by(old_id, new_id)
        return {id_: self._names[id_] for id_ in self._gone if id_ in self._names}

    def _likeliest(self) -> tuple[str, str] | None:
        best: tuple[float, str, str] | None = None
        for old_id in self._gone:
            scored = self._best.get(old_id)
            if scored is not None and (best is None or scored[0] > best[0]):
                best = (scored[0], old_id, scored[1])
        return None if best is None else (best[1], best[2])

    def _touched_by(self, old_id: str, new_id: str) -> list[str]:
        """Return the executors whose candidates are others now."""
        self._best.pop(old_id, None)
        senders, receivers = self._before.neighbours(old_id)
        return [
            id_
            for id_ in self._gone
            if id_ not in self._names
            and (
                id_ in senders
                or id_ in receivers
                or new_id in self._candidates.get(id_, ())
            )
        ]

    def _judge(self, old_id: str) -> None:
        """Find the likeliest new name of an executor; none if none is like it enough,
        or if two are equally likely.
        """
        self._best.pop(old_id, None)
        candidates = self._candidates_of(old_id)
        self._candidates[old_id] = set(candidates)
        scored = sorted(
            ((self._likeness(old_id, new_id), new_id) for new_id in candidates),
            reverse=True,
        )
        scored = [item for item in scored if item[0] >= _ENOUGH]
        is_tie = len(scored) > 1 and scored[0][0] == scored[1][0]
        if scored and not is_tie:
            self._best[old_id] = scored[0]

    def _candidates_of(self, old_id: str) -> Sequence[str]:
        old = self._before.executors[old_id]
        senders, receivers = self._before.neighbours(old_id)
        near: dict[str, None] = {}
        for id_ in sorted(senders):
            near |= dict.fromkeys(self._after.neighbours(self._name(id_))[1])
        for id_ in sorted(receivers):
            near |= dict.fromkeys(self._after.neighbours(self._name(id_))[0])
        if self._before.start == old_id:
            near[self._after.start] = None
        if not senders and not receivers:
            near |= dict.fromkeys(self._isolated)
        candidates = [
            id_ for id_ in near if id_ in self._new and self._is_of_kind(old, id_)
        ]
        if len(candidates) > _MOST_CANDIDATES:
            candidates = [id_ for id_ in candidates if self._is_told_apart(old, id_)]
        return candidates if len(candidates) <= _MOST_CANDIDATES else ()

    def _name(self, old_id: str) -> str:
        return self._names.get(old_id, old_id)

    def _is_of_kind(self, old: ExecutorOutline, new_id: str) -> bool:
        new = self._after.executors[new_id]
        return (old.type, old.wraps) == (new.type, new.wraps)

    def _is_told_apart(self, old: ExecutorOutline, new_id: str) -> bool:
        new = self._after.executors[new_id]
        if old.title or new.title:
            return old.title == new.title
        return old.fields == new.fields

    # --- likeness ---------------------------------------------------------------------

    def _likeness(self, old_id: str, new_id: str) -> float:
        pair = (old_id, new_id)
        if pair not in self._fixed:
            self._fixed[pair] = self._own_likeness(old_id, new_id)
        return 0.6 * self._same_neighbours(old_id, new_id) + self._fixed[pair]

    def _own_likeness(self, old_id: str, new_id: str) -> float:
        """Return what does not depend on the neighbours."""
        old = self._before.executors[old_id]
        new = self._after.executors[new_id]
        score = 0.1 * SequenceMatcher(None, old_id, new_id).ratio()
        if old.fields == new.fields and old.inner == new.inner:
            score += 0.2
        if old.title and old.title == new.title:
            score += 0.1
        return score

    def _same_neighbours(self, old_id: str, new_id: str) -> float:
        """Return how many of the neighbours on both sides are the same, from 0 to 1."""
        common = 0
        total = 0
        is_start = (self._before.start == old_id, self._after.start == new_id)
        if any(is_start):
            total += 1
            common += all(is_start)
        sides = zip(
            self._before.neighbours(old_id),
            self._after.neighbours(new_id),
            strict=True,
        )
        for old_side, new_side in sides:
            translated = {self._name(id_) for id_ in old_side}
            common += len(translated & new_side)
            total += len(translated | new_side)
        return common / total if total else 1.0
