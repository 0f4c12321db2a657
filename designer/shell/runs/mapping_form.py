"""The mapping of a changed graph as a form: a row for each executor and join of the graph
before that is not simply what it was.
"""

from __future__ import annotations

import copy
from collections.abc import Mapping
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QGridLayout, QWidget

from designer.look.theme import Look
from designer.panels.widgets.basic import Choice, label
from designer.qt.layouts import column
from runtime.debug.protocol import (
    MAPPING_ASPECTS,
    MAPPING_UNDECIDED,
    ChangePlanBody,
    MappingLevel,
)

# What a row has for data that stands for no place.
SPLIT = {"split": True}


class Entry(NamedTuple):
    """One row: an executor as a whole, one aspect of it, or a join; `inside` has the
    executors that lead to its level.
    """

    inside: tuple[str, ...]
    kind: str  # executor or join
    name: str
    aspect: str = ""

    @property
    def caption(self) -> str:
        place = "/".join((*self.inside, self.name))
        if self.kind == "join":
            return f"Join {place}"
        if self.aspect:
            return f"{place}: {MAPPING_ASPECTS[self.aspect]}"
        return place


class MappingForm(QWidget):
    """`mapping` has what the user has chosen; the rest is proposed by the host."""

    changed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._look = look
        self._edits: dict[str, Any] = {}
        self._shown: dict[str, Any] = {}
        self._levels: dict[tuple[str, ...], MappingLevel] = {}
        self.choices: dict[Entry, Choice] = {}
        # Executors whose parts go to different places, as (inside, id): the host sends
        # one that goes to one place as a whole.
        self._split: set[tuple[tuple[str, ...], str]] = set()
        self._column = column(self, margins=(0, 0, 0, 8))
        self._rows = QWidget()
        self._column.addWidget(self._rows)

    @property
    def mapping(self) -> Mapping[str, Any] | None:
        return self._edits or None

    def forget(self) -> None:
        """Take the proposal again, because another checkpoint is chosen."""
        self._edits = {}
        self._split = set()

    def show_plan(self, plan: ChangePlanBody) -> None:
        """Show the entries of a plan."""
        self._levels = {level.inside: level for level in plan.levels}
        self._shown = plan.mapping
        self._show()

    def _show(self) -> None:
        entries = self._entries(self._shown, ())
        if list(entries) != list(self.choices):
            self._lay_out(list(entries))
        for entry, value in entries.items():
            options = self._options(entry)
            # A target of a mapping that was read may be none of these.
            if value not in [data for _, data in options]:
                options.append((str(value), value))
            self.choices[entry].fill(options, value)
        self.setVisible(bool(entries))

    def _entries(
        self, mapping: Mapping[str, Any], inside: tuple[str, ...]
    ) -> dict[Entry, Any]:
        """Return the rows of a mapping, with what is chosen in each."""
        entries: dict[Entry, Any] = {}
        for name, value in mapping.get("executors", {}).items():
            if isinstance(value, Mapping) or (inside, name) in self._split:
                for aspect in MAPPING_ASPECTS:
                    choice = _aspects(value).get(aspect, MAPPING_UNDECIDED)
                    entries[Entry(inside, "executor", name, aspect)] = choice
            else:
                entries[Entry(inside, "executor", name)] = value
        for name, value in mapping.get("joins", {}).items():
            entries[Entry(inside, "join", name)] = value
        for owner, inner in mapping.get("inside", {}).items():
            entries |= self._entries(inner, (*inside, owner))
        return entries

    def _lay_out(self, entries: list[Entry]) -> None:
        self._column.removeWidget(self._rows)
        self._rows.hide()
        self._rows.deleteLater()
        self._rows = QWidget()
        self._column.addWidget(self._rows)
        grid = QGridLayout(self._rows)
        grid.setContentsMargins(0, 0, 0, 0)
        grid.setColumnStretch(0, 1)
        grid.setColumnStretch(1, 2)
        self.choices = {}
        for place, entry in enumerate(entries):
            choice = Choice(self._look)
            choice.setAccessibleName(f"What became of {entry.caption}")
            choice.currentIndexChanged.connect(partial(self._choose, entry))
            name = label(entry.caption, wrap=True)
            name.setBuddy(choice)
            grid.addWidget(name, place, 0)
            grid.addWidget(choice, place, 1)
            self.choices[entry] = choice

    def _options(self, entry: Entry) -> list[tuple[str, Any]]:
        level = self._levels.get(entry.inside, MappingLevel())
        options: list[tuple[str, Any]] = []
        if entry.kind == "join":
            options += [
                (f"Join {name} ({ways})" if name != ways else f"Join {ways}", name)
                for name, ways in level.joins
            ]
            options += [
                (f"Send the messages again to {name}", {"send_to": name})
                for name in level.executors
            ]
        else:
            options += [(name, name) for name in level.executors]
        options.append(("Drop", None))
        options.append(("Not decided", MAPPING_UNDECIDED))
        if entry.kind == "executor" and not entry.aspect:
            options.append(("Split…", SPLIT))
        return options

    def _choose(self, entry: Entry, _index: int) -> None:
        value = self.choices[entry].currentData()
        if value == SPLIT:
            self._split.add((entry.inside, entry.name))
            self._show()
            return
        edits = copy.deepcopy(self._edits)
        section = _level(edits, entry.inside).setdefault(f"{entry.kind}s", {})
        if entry.aspect:
            shown = _level(self._shown, entry.inside)["executors"][entry.name]
            value = {**_aspects(shown), entry.aspect: value}
        section[entry.name] = value
        self._edits = edits
        self.changed.emit()


def _level(mapping: dict[str, Any], inside: tuple[str, ...]) -> dict[str, Any]:
    """Return the part of a mapping for one level, and make it where there is none."""
    level = mapping
    for owner in inside:
        level = level.setdefault("inside", {}).setdefault(owner, {})
    return level


def _aspects(value: Any) -> Mapping[str, Any]:
    """Return where each part of an executor goes."""
    if isinstance(value, Mapping):
        return value
    return dict.fromkeys(MAPPING_ASPECTS, value)
