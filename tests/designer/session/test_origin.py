"""What the session knows of the origin of a value that the user asked about."""

from __future__ import annotations

from designer.session.origin import Answered, OriginTrail
from designer.session.timeline_model import TimelineModel
from runtime.checkpoint import Cause
from runtime.debug.protocol import (
    Header,
    Item,
    OriginAddress,
    OriginStep,
    ProvenanceArguments,
    ProvenanceBody,
    Value,
)

Asked = list[tuple[ProvenanceArguments, Answered]]
QUESTION = ProvenanceArguments(checkpoint_id="c4", address="output:0")


def body(*numbers: int) -> ProvenanceBody:
    return ProvenanceBody(
        steps=tuple(
            OriginStep(
                number=number,
                item=Item(value=Value(type="int", text="1")),
                at=OriginAddress(
                    checkpoint_id=f"c{number}", address="queue:0", runs=("review#1",)
                ),
                executor="rank",
                is_open=number == 1,
            )
            for number in numbers
        )
    )


def trail() -> tuple[OriginTrail, Asked]:
    asked: Asked = []
    made = OriginTrail(lambda arguments, done: asked.append((arguments, done)))
    return made, asked


def test_the_answer_of_the_newest_question_is_shown(qapp: object) -> None:
    origin, asked = trail()
    origin.explain(QUESTION, "this output")
    origin.explain(QUESTION, "this message")
    asked[0][1](body(1), "")
    assert origin.body is None
    asked[1][1](body(1, 2), "")
    assert origin.body == body(1, 2)
    assert origin.name == "this message"


def test_an_open_step_is_asked_further_and_back_returns(qapp: object) -> None:
    origin, asked = trail()
    origin.explain(QUESTION, "this output")
    asked[0][1](body(1, 2), "")
    first = origin.step(1)
    assert first is not None
    origin.go_on(first)
    assert asked[1][0] == ProvenanceArguments(
        checkpoint_id="c1", address="queue:0", inside=("review",), runs=("review#1",)
    )
    assert (origin.body, origin.can_go_back) == (None, True)
    origin.back()
    assert (origin.body, origin.can_go_back) == (body(1, 2), False)
    origin.back()
    assert not origin.is_on


def test_a_refusal_is_kept_as_the_reason(qapp: object) -> None:
    origin, asked = trail()
    origin.explain(QUESTION, "this output")
    asked[0][1](None, "There is no checkpoint yet.")
    assert (origin.body, origin.failure) == (None, "There is no checkpoint yet.")


def test_a_chosen_step_is_told_and_another_number_is_not(qapp: object) -> None:
    origin, asked = trail()
    steps: list[OriginStep] = []
    origin.step_chosen.connect(steps.append)
    origin.explain(QUESTION, "this output")
    asked[0][1](body(1, 2), "")
    origin.choose(2)
    origin.choose(7)
    assert ([step.number for step in steps], origin.chosen) == ([2], 2)


def test_the_barrier_of_a_superstep_is_found_on_the_way_to_a_checkpoint(
    qapp: object,
) -> None:
    timeline = TimelineModel()
    parent = ""
    for sequence, (name, superstep) in enumerate(
        [("a", 0), ("b", 1), ("answer", 1), ("c", 2)]
    ):
        header = Header(
            id=name,
            run_id="run",
            workflow="w",
            superstep=superstep,
            sequence=sequence,
            parent=parent or None,
            cause=Cause.SUPERSTEP,
        )
        timeline.append([header])
        parent = name
    timeline.flush()
    newest = timeline.row_of("c")
    found = timeline.row_in_superstep(newest, 1)
    assert found is not None
    assert timeline.header_at(found).id == "b"
    assert timeline.row_in_superstep(newest, 7) is None
