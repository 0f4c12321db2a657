"""Outputs and progress of the superstep that is running. The outputs count once it is
done.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from runtime.debug.protocol import SAID_LIMIT, OutputItem, OutputState, Value
from runtime.debug.values.display import to_value
from runtime.debug.values.shapes import clean
from runtime.events import RunEvent, RunEventKind
from runtime.state import owner_of

MOST = 100  # the newest rows are kept
TEXTS_LIMIT = 160_000  # characters of all texts together
# keys of the runs that lead to an executor, and its id
Place = tuple[tuple[str, ...], str]
_TEXT = Value(type="str", text="")


@dataclass(slots=True)
class _ProgressText:
    """The progress text of an executor that comes in pieces: its end, and how many
    characters came before.
    """

    place: Place
    text: str = ""
    cut: int = 0
    state: OutputState = "told"
    ordinal: int = 0

    def add(self, piece: str) -> None:
        text = self.text + piece
        over = max(0, len(text) - SAID_LIMIT)
        self.text = text[over:]
        self.cut = self.cut + over

    def content(self, room: int) -> tuple[str | None, int, Value]:
        over = max(0, len(self.text) - room)
        return self.text[over:], self.cut + over, _TEXT


@dataclass(slots=True)
class _YieldedValue:
    """A value that an executor yielded; `ordinal` is its number in the superstep."""

    place: Place
    value: Any
    ordinal: int
    state: OutputState
    _tree: list[Value] = field(default_factory=list)

    def content(self, room: int) -> tuple[str | None, int, Value]:
        # Built on demand, because thousands may be yielded between two packets.
        if not self._tree:
            self._tree.append(to_value(self.value))
        if not isinstance(self.value, str):
            return None, 0, self._tree[0]
        text = self.value[: min(SAID_LIMIT, room)]
        return clean(text), len(self.value) - len(text), self._tree[0]


class PendingOutputs:
    """Rows of outputs that are in no checkpoint yet. The run adds to them, any
    thread reads them.
    """

    def __init__(self) -> None:
        self._rows: tuple[_ProgressText | _YieldedValue, ...] = ()
        self.left_out = 0

    def on_event(self, event: RunEvent) -> None:
        """Add the outputs and the progress of an event. Progress counts on every
        level. An output of a sub-workflow is a message for the outer workflow, so
        it counts only if that outputs it again.
        """
        data = event.data
        if event.kind is RunEventKind.TOLD:
            self._add_progress((event.path, data["executor"]), data["text"])
        elif event.kind is RunEventKind.YIELDED and not (event.path and data["output"]):
            state: OutputState = "coming" if data["output"] else "told"
            self._add(
                _YieldedValue(
                    (event.path, data["executor"]),
                    data["value"],
                    data["ordinal"],
                    state,
                )
            )
        elif event.kind is RunEventKind.WITHDRAWN:
            self._take_back(data["ordinal"])
        elif (
            event.kind in (RunEventKind.SUPERSTEP_STARTED, RunEventKind.SUPERSTEP_ENDED)
            and not event.path
        ):
            self.clear()

    def clear(self) -> None:
        self._rows = ()
        self.left_out = 0

    def _add_progress(self, place: Place, piece: str) -> None:
        row = next(
            (
                row
                for row in self._rows
                if row.place == place and isinstance(row, _ProgressText)
            ),
            None,
        )
        if row is None:
            if not piece:
                return
            row = _ProgressText(place)
            self._add(row)
        row.add(clean(piece))

    def _add(self, row: _ProgressText | _YieldedValue) -> None:
        rows = (*self._rows, row)
        self.left_out += max(0, len(rows) - MOST)
        self._rows = rows[-MOST:]

    def _take_back(self, ordinal: int) -> None:
        for row in self._rows:
            if isinstance(row, _YieldedValue) and row.ordinal == ordinal:
                row.state = "taken_back"

    def items(
        self, superstep: int, state: OutputState | None = None
    ) -> tuple[OutputItem, ...]:
        """Return the rows as the protocol sends them, all in one `state` if
        that is given.
        """
        room = TEXTS_LIMIT
        items = []
        for row in reversed(self._rows):
            text, cut, tree = row.content(room)
            room -= len(text or "")
            path, executor = row.place
            item = OutputItem(
                superstep=superstep,
                executor=executor,
                path=tuple(map(owner_of, path)),
                checkpoint_id="",
                index=row.ordinal,
                text=text,
                cut=cut,
                value=tree,
                state=state or row.state,
            )
            items.append(item)
        return tuple(reversed(items))
