"""While two moments are compared, the canvas marks what differs."""

from __future__ import annotations

from designer.canvas.drawing.marks import Mark
from designer.canvas.speech.describe import describe
from runtime.debug.protocol import (
    ChangeItem,
    DiffBody,
    DivergenceBody,
    DivergenceReason,
    Moment,
    Value,
)
from tests.designer.canvas.conftest import Bench
from tests.designer.fakes import header

ROW = 20  # px from a node to its chip, at most


def compare(bench: Bench, *changes: ChangeItem) -> None:
    bench.session.look_at(Moment(header=header(4), superstep=3), "past")
    bench.session.compare_with("c2")
    bench.session.comparison = DiffBody(base="c2", checkpoint_id="c4", changes=changes)
    bench.session.compared.emit()


def chips(bench: Bench) -> list[Mark]:
    kinds = ("added", "removed", "changed", "moved")
    return [mark for mark in bench.scene.marks if mark.glyph in kinds]


def at_node(kind: str, node: str) -> ChangeItem:
    return ChangeItem.model_validate(
        {"section": "state", "path": "['reach']", "kind": kind, "executor": node}
    )


def test_a_chip_is_under_its_node_and_goes_when_comparing_ends(bench: Bench) -> None:
    compare(bench, at_node("changed", "age_check"))
    (chip,) = chips(bench)
    box = bench.scene.boxes["age_check"].rect
    assert (chip.text, chip.role) == ("reach", "accent")
    assert box.bottom() < chip.rect.top() < box.bottom() + ROW
    assert abs(chip.rect.center().x() - box.center().x()) < 1
    bench.session.compare_with("")
    assert chips(bench) == []


def test_a_chip_of_a_join_is_on_the_wire_of_its_source(bench: Bench) -> None:
    held = ChangeItem(
        section="joins",
        path="",
        kind="added",
        source="age_check",
        edge="join",
        new=Value(type="AgeReport", text="…"),
    )
    compare(bench, held)
    (chip,) = chips(bench)
    figure = bench.scene.edges.figures["join"]
    wire = next(wire for wire in figure.wires if wire.source == "age_check")
    middle = wire.path.pointAtPercent(0.5)
    assert chip.rect.contains(middle)
    assert chip.text == "1 AgeReport"


def test_the_legend_names_the_signs_that_are_shown(bench: Bench) -> None:
    compare(bench, at_node("added", "age_check"), at_node("removed", "rank_by_reach"))
    words = [row[2] for row in bench.scene.overlay.legend]
    assert words == ["only in B", "only in A"]


def test_a_chip_is_read_aloud_with_its_element(bench: Bench) -> None:
    compare(bench, at_node("changed", "age_check"))
    assert describe(bench.scene, "age_check").endswith("changed: reach")


def test_an_answer_about_another_pair_marks_nothing(bench: Bench) -> None:
    compare(bench, at_node("changed", "age_check"))
    bench.session.is_compared = False
    bench.session.compared.emit()
    assert chips(bench) == []


def test_the_first_difference_is_marked_at_its_checkpoint_only(bench: Bench) -> None:
    compare(bench)
    reason = DivergenceReason(kind="call", text="", executor="age_check")
    body = DivergenceBody(base="c2", first_base="c2", first_other="c4", reason=reason)
    bench.session.divergence = body
    bench.session.show_first_difference(True)
    (chip,) = chips(bench)
    assert chip.text == "first difference"
    assert bench.scene.overlay.legend == (("changed", "accent", "first difference"),)
    bench.session.divergence = body.model_copy(update={"first_other": "c3"})
    bench.session.compared.emit()
    assert chips(bench) == []
