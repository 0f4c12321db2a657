"""Pinned results as data: in the file, merged from two windows, and following edits."""

from __future__ import annotations

import json

from designer.model.breakpoints import DebugNotes, renamed
from designer.model.debug_file import merged, parse, serialise
from designer.model.pins import NO_PINS, Pins, executor_path
from runtime.debug.protocol import PinnedResult

ONE = PinnedResult(sent=({"status": 200},))
OTHER = PinnedResult(error="no connection")


def notes(**results: PinnedResult) -> DebugNotes:
    return DebugNotes(pins=Pins(results))


def test_a_pin_that_is_written_is_read_again() -> None:
    pins = NO_PINS.put("fetch", ONE).put(executor_path(("review",), "judge"), OTHER)
    kept = DebugNotes(pins=pins)
    assert parse(serialise(kept)) == kept


def test_a_file_without_pins_says_nothing_of_them() -> None:
    assert "pinned" not in json.loads(serialise(DebugNotes()))


def test_results_and_fields_of_another_version_are_written_back() -> None:
    content = {
        "pinned": {
            "fetch": {"sent": [1], "from": "#4"},
            "ask": {"sent": "no list"},
            "review/judge": "nonsense",
        }
    }
    read = parse(json.dumps(content).encode())
    assert list(read.pins.results) == ["fetch"]
    written = json.loads(serialise(read))["pinned"]
    assert written == content["pinned"]


def test_a_new_pin_takes_the_place_of_an_entry_that_could_not_be_read() -> None:
    read = parse(b'{"pinned": {"ask": 3}}')
    mended = read.with_pins(read.pins.put("ask", ONE))
    assert parse(serialise(mended)).pins == Pins({"ask": ONE})


def test_two_windows_keep_the_pins_of_both() -> None:
    base = notes(fetch=ONE, ask=ONE)
    mine = base.with_pins(base.pins.without("fetch").put("mine", ONE))
    theirs = base.with_pins(base.pins.put("theirs", OTHER).put("ask", OTHER))
    pins = merged(base, mine, theirs).pins
    assert dict(pins.results) == {"ask": OTHER, "mine": ONE, "theirs": OTHER}


def test_of_a_pin_that_both_windows_changed_mine_counts() -> None:
    base = notes(fetch=ONE)
    theirs = notes(fetch=PinnedResult())
    assert merged(base, notes(fetch=OTHER), theirs).pins == Pins({"fetch": OTHER})


def test_a_pin_follows_the_name_of_its_node_and_of_the_sub_workflow() -> None:
    pins = Pins({"review/judge": ONE, "fetch": OTHER}, {"review/judge": {"x": 1}})
    renames = {((), "review"): "audit", (("review",), "judge"): "jury"}
    after = renamed(DebugNotes(pins=pins), renames).pins
    assert dict(after.results) == {"audit/jury": ONE, "fetch": OTHER}
    assert dict(after.extras) == {"audit/jury": {"x": 1}}
