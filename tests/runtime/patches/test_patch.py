"""A patch is JSON that people read and write: it comes back as it was, and what is wrong
in it is said.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from pydantic import ValidationError

from resources import guide
from runtime.patches import Patch, PatchChange, Spot
from runtime.patches.words import change_words


def change(**fields: Any) -> dict[str, Any]:
    return {"id": "c1", "do": "set", "section": "state", **fields}


def test_a_patch_comes_back_from_its_json_as_it_was() -> None:
    patch = Patch(
        name="cheaper",
        made_for="abc",
        changes=(
            PatchChange(id="c1", do="set", section="state", key="limit", value=None),
            PatchChange(
                id="c2",
                do="address",
                section="buffers",
                key="join:b",
                run=("judge#1",),
                spot=Spot(place=2, was={"a": [1]}, source="a"),
                source="b",
            ),
            PatchChange(
                id="c3", do="set", section="queue", spot=Spot(added="c2"), path=("a", 0)
            ),
        ),
    )
    assert Patch.model_validate(json.loads(json.dumps(patch.as_json()))) == patch


def test_json_of_a_patch_names_only_what_is_set() -> None:
    patch = Patch(
        changes=(PatchChange(id="c1", do="drop", section="queue", spot=Spot(place=0)),)
    )
    assert patch.as_json() == {
        "format": 1,
        "changes": [
            {"id": "c1", "do": "drop", "section": "queue", "spot": {"place": 0}}
        ],
    }


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"changes": [change(vlaue=3)]}, "vlaue"),
        ({"changes": [change(), change()]}, "Two changes have the id 'c1'"),
        ({"changes": [change(id="")]}, "no id"),
        ({"changes": [change(do="drop")]}, "nothing for the section 'state'"),
        ({"changes": [change(section="trace")]}, "section"),
        ({"format": 2}, "format"),
    ],
)
def test_what_is_no_patch_is_refused_and_the_reason_said(
    wrong: dict[str, Any], says: str
) -> None:
    with pytest.raises(ValidationError, match=says):
        Patch.model_validate(wrong)


def test_a_lone_surrogate_as_the_name_of_a_field_comes_back() -> None:
    value = {"\ud800": ["\udfff"]}
    patch = Patch(
        changes=(PatchChange(id="c1", do="set", section="state", key="x", value=value),)
    )
    assert patch.as_json()["changes"][0]["value"] == value
    assert Patch.model_validate(patch.as_json()) == patch


def test_the_patch_in_the_guide_is_one() -> None:
    chapter = guide.chapters()["edit-and-fork"].body
    [block] = re.findall(r"^```json\n(.*?)^```", chapter, re.MULTILINE | re.DOTALL)
    patch = Patch.model_validate_json(block)
    assert [change_words(change) for change in patch.changes] == [
        "set limit to 3",
        "set price of the queued message 0 to 9.9",
        "drop the queued message 1",
        'answer the question ask:2:0: {"verdict": "yes"}',
    ]


@pytest.mark.parametrize(
    ("key", "words"),
    [
        ('fan_in:[["a","report"],["b","report"]]', "in the join before report"),
        ("report", "in the join report"),
        ("fan_in:5", "in the join fan_in:5"),
    ],
)
def test_a_join_is_told_by_the_executor_before_which_it_stands(
    key: str, words: str
) -> None:
    spot = Spot(place=0)
    change = PatchChange(id="c1", do="drop", section="buffers", key=key, spot=spot)
    assert change_words(change) == f"drop the message 0 {words}"
