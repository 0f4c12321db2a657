"""A staged patch: kept for each checkpoint, undone step by step and one by one, and
explained by the newest answer of the host.
"""

from __future__ import annotations

from typing import Any

import pytest
from pytestqt.qtbot import QtBot

from designer.session.staged_patch import StagedPatch
from runtime.debug.protocol import (
    Patch,
    PatchChange,
    PatchParseArguments,
    PatchParseBody,
    PatchPlanArguments,
    PatchPlanBody,
    PatchProblem,
    Reply,
)
from tests.designer.fake_session import FakeSession
from tests.designer.fakes import straight
from tests.designer.panels.fakes import moment


@pytest.fixture
def session(qtbot: QtBot) -> FakeSession:
    session = FakeSession()
    session.timeline.append(straight(6))
    session.timeline.flush()
    session.look_at(moment(6), "past")
    return session


@pytest.fixture
def staged(session: FakeSession) -> StagedPatch:
    session.staged.begin("c6")
    return session.staged


def state(value: Any, key: str = "limit", was: Any = None) -> PatchChange:
    return PatchChange(id="", do="set", section="state", key=key, value=value, was=was)


def asked(session: FakeSession) -> list[PatchPlanArguments]:
    plans = (arguments for arguments, _done in session.patches)
    return [each for each in plans if isinstance(each, PatchPlanArguments)]


def answer(session: FakeSession, number: int = -1, **fields: Any) -> None:
    plans = [
        (arguments, done)
        for arguments, done in session.patches
        if isinstance(arguments, PatchPlanArguments)
    ]
    arguments, done = plans[number]
    body = {"checkpoint_id": arguments.checkpoint_id, "moment": moment(6), **fields}
    done(PatchPlanBody(**body))


def values(staged: StagedPatch) -> dict[str, Any]:
    return {change.key: change.value for change in staged.draft.changes}


def test_the_letters_of_a_word_are_one_step_of_undo(staged: StagedPatch) -> None:
    for text in ("3", "36", "365"):
        staged.stage(state(text), typing="limit")
    staged.settle()
    staged.stage(state("366"), typing="limit")
    staged.undo()
    assert values(staged) == {"limit": "365"}
    staged.undo()
    assert values(staged) == {}
    staged.redo()
    assert values(staged) == {"limit": "365"}


def test_a_change_is_taken_back_on_its_own(staged: StagedPatch) -> None:
    first = staged.stage(state(1, "a"))
    staged.stage(state(2, "b"))
    staged.take_back(first)
    assert values(staged) == {"b": 2}
    staged.undo()
    assert values(staged) == {"a": 1, "b": 2}


def test_changes_are_kept_when_the_task_is_left(staged: StagedPatch) -> None:
    staged.stage(state(1))
    staged.leave()
    assert not staged.is_on
    assert [draft.changes for draft in staged.drafts] == [1]
    staged.begin("c6")
    assert values(staged) == {"limit": 1}


def test_each_checkpoint_has_changes_of_its_own(
    session: FakeSession, staged: StagedPatch
) -> None:
    staged.stage(state(1))
    session.viewing = "c4"
    session.mirror.changed.emit()
    assert staged.checkpoint == "c4"
    assert values(staged) == {}
    session.viewing = "c6"
    session.mirror.changed.emit()
    assert values(staged) == {"limit": 1}


def test_only_discarding_drops_changes(staged: StagedPatch) -> None:
    staged.stage(state(1))
    staged.discard()
    assert staged.drafts == []
    staged.begin("c6")
    assert values(staged) == {}


def test_the_host_is_asked_once_for_what_is_typed_in_one_go(
    session: FakeSession, staged: StagedPatch, qtbot: QtBot
) -> None:
    before = len(asked(session))
    for text in ("3", "36", "365"):
        staged.stage(state(text), typing="limit")
    qtbot.waitUntil(lambda: len(asked(session)) > before)
    assert len(asked(session)) == before + 1
    assert asked(session)[-1].patch.changes[0].value == "365"


def test_an_answer_to_an_older_question_is_not_taken_for_a_new_one(
    session: FakeSession, staged: StagedPatch, qtbot: QtBot
) -> None:
    staged.stage(state(1))
    qtbot.waitUntil(lambda: len(asked(session)) == 2)
    staged.stage(state(2))
    answer(session)
    assert not staged.is_current
    assert staged.why_not == "The changes are being checked."
    qtbot.waitUntil(lambda: len(asked(session)) == 3)
    answer(session)
    assert staged.is_current
    assert staged.why_not == ""


def test_a_change_with_a_problem_is_not_applied(
    session: FakeSession, staged: StagedPatch, qtbot: QtBot
) -> None:
    id = staged.stage(state("none"))
    qtbot.waitUntil(lambda: len(asked(session)) == 2)
    problem = PatchProblem(change=id, text="A whole number is needed.")
    answer(session, problems=(problem,))
    assert staged.problems == {id: ("A whole number is needed.",)}
    assert staged.why_not == "1 error to fix first."


def test_applying_makes_a_named_fork_of_the_checkpoint(
    session: FakeSession, staged: StagedPatch
) -> None:
    staged.stage(state(365))
    staged.name("one year old")
    staged.apply()
    command, (checkpoint, branch, patch) = session.commands[-1]
    assert (command, checkpoint, branch) == ("restore", "c6", "one year old")
    assert [change.value for change in patch.changes] == [365]
    assert session.reply is not None
    session.reply(Reply(request_seq=1, command="restore", success=True))
    assert not staged.is_on
    assert staged.drafts == []


def test_a_refused_fork_keeps_the_changes(
    session: FakeSession, staged: StagedPatch
) -> None:
    staged.stage(state(365))
    staged.apply()
    assert session.reply is not None
    session.reply(Reply.failure(1, "It is full.", "", "restore"))
    assert staged.is_on
    assert values(staged) == {"limit": 365}


def test_a_name_that_a_branch_has_is_refused(staged: StagedPatch) -> None:
    staged.stage(state(1))
    staged.name("main")
    assert "already" in staged.why_not


def test_the_host_fills_in_what_stood_there(
    session: FakeSession, staged: StagedPatch, qtbot: QtBot
) -> None:
    staged.stage(state(365))
    qtbot.waitUntil(lambda: len(asked(session)) == 2)
    arguments, done = next(
        (arguments, done)
        for arguments, done in session.patches
        if isinstance(arguments, PatchParseArguments)
    )
    guarded = arguments.change.model_copy(update={"was": 730})
    done(PatchParseBody(change=guarded))
    assert staged.draft.changes[0].was == 730
    answer(session)
    assert staged.is_current


def test_what_stood_at_one_checkpoint_guards_no_change_over_another(
    staged: StagedPatch, session: FakeSession
) -> None:
    """The answer comes when the user has made the same change elsewhere."""
    staged.stage(state(1))
    staged._ask_plan()
    arguments, done = session.patches[-1]
    assert isinstance(arguments, PatchParseArguments)
    staged.begin("c4")
    staged.stage(state(1))
    done(PatchParseBody(change=arguments.change.model_copy(update={"was": 730})))
    assert staged.draft.changes[0].was is None
    staged.begin("c6")
    assert staged.draft.changes[0].was == 730


def test_a_loaded_patch_takes_the_place_of_the_changes(staged: StagedPatch) -> None:
    staged.stage(state(1, "a"))
    change = state(2, "b").model_copy(update={"id": "c7"})
    staged.load(Patch(name="from a file", changes=(change,)))
    assert values(staged) == {"b": 2}
    assert staged.branch == "from a file"
    staged.undo()
    assert values(staged) == {"a": 1}


def test_a_copy_of_where_the_run_stands_leads_back_to_it(session: FakeSession) -> None:
    session.look_at(moment(6), "live")
    session.staged.begin("c6")
    assert ("look at", "c6") in session.commands
    session.staged.leave()
    assert ("live", None) in session.commands
