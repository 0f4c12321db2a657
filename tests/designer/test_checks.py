"""Problems are found a moment after an edit, grouped by place, and those that only the
host sees are kept.
"""

from __future__ import annotations

import threading
from typing import Any

import pytest
from PySide6.QtCore import Qt, QTimer
from PySide6.QtWidgets import QApplication
from pytestqt.qtbot import QtBot

from designer.document.checks import Checks
from designer.document.document import Document
from designer.model import edits
from designer.model.design import Design
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.problem import Problem
from runtime.nodes import catalogue
from tests.designer.fake_session import FakeSession
from tests.designer.panels.fakes import design, infos


@pytest.fixture
def document(qapp: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path))
    made = Document()
    made.apply("Draw", design())
    yield made
    made.close()


@pytest.fixture
def session(qapp: Any) -> FakeSession:
    return FakeSession()


class Recorder:
    def __init__(self, *problems: Problem) -> None:
        self.problems = list(problems)
        self.calls = 0

    def __call__(self, workflow: object, known: object) -> list[Problem]:
        self.calls += 1
        return self.problems


def problem(
    severity: Any = "error", location: str = "scan", part: str = "", rule: str = "r"
) -> Problem:
    return Problem(
        severity=severity, rule=rule, message="m", location=location, part=part
    )


def test_many_edits_in_a_row_are_checked_once(
    document: Document, session: FakeSession, qtbot: QtBot
) -> None:
    check = Recorder(problem())
    checks = Checks(document, session, check=check)
    for name in "abc":
        document.apply("Rename", edits.rename(document.design, "scan", name))
    assert check.calls == 0
    with qtbot.waitSignal(checks.changed):
        pass
    assert check.calls == 1


def test_a_node_that_only_moved_is_not_checked_again(
    document: Document, session: FakeSession
) -> None:
    checks = Checks(document, session, check=Recorder(problem()))
    checks.run()
    timer = checks.findChild(QTimer)
    document.apply("Move", edits.move(document.design, {"scan": (800, 80)}))
    document.undo_stack.undo()
    assert not timer.isActive()
    document.apply("Rename", edits.rename(document.design, "scan", "Other"))
    assert timer.isActive()


def test_errors_come_first_and_are_found_by_place_and_part(
    document: Document, session: FakeSession
) -> None:
    check = Recorder(
        problem("info", "rank"),
        problem("error", "switch", "cases[1].when"),
        problem("error", "switch", "cases[10]"),
    )
    checks = Checks(document, session, check=check)
    checks.run()
    assert [found.severity for found in checks.problems] == ["error", "error", "info"]
    assert [found.part for found in checks.at("switch", "cases[1]")] == [
        "cases[1].when"
    ]
    assert checks.by_location.keys() == {"switch", "rank"}
    assert (checks.count("error"), checks.count("warning")) == (2, 0)


def test_equal_problems_are_not_told_again(
    document: Document, session: FakeSession, qtbot: QtBot
) -> None:
    checks = Checks(document, session, check=Recorder(problem()))
    checks.run()
    with qtbot.assertNotEmitted(checks.changed):
        checks.run()


def test_what_only_the_host_sees_is_shown_until_the_workflow_is_edited(
    document: Document, session: FakeSession
) -> None:
    checks = Checks(document, session, check=Recorder())
    checks.run()
    session.problems = (problem(rule="module-found"),)
    session.changed.emit()
    checks.run()
    assert [found.rule for found in checks.problems] == ["module-found"]
    document.apply("Move", edits.move(document.design, {"scan": (1.0, 1.0)}))
    checks.run()
    assert checks.problems  # a node that moved runs as before
    document.apply("Rename", edits.rename(document.design, "scan", "x"))
    session.changed.emit()
    checks.run()
    assert checks.problems == ()


def test_what_only_the_host_sees_refuses_no_other_run(
    document: Document, session: FakeSession
) -> None:
    checks = Checks(document, session, check=Recorder())
    checks.run()
    session.problems = (problem(rule="build"),)
    session.changed.emit()
    checks.run()
    assert checks.count("error")
    checks.insist()
    assert checks.problems == ()
    session.changed.emit()
    checks.run()
    assert checks.problems == ()  # told before
    session.problems = (problem(rule="build"),)  # the host was asked, and says so again
    session.changed.emit()
    checks.run()
    assert checks.count("error")


def test_what_only_the_host_sees_goes_when_the_program_comes_to_the_front(
    document: Document, session: FakeSession, qapp: Any
) -> None:
    checks = Checks(document, session, check=Recorder())
    checks.run()
    session.problems = (problem(rule="build"),)
    session.changed.emit()
    checks.run()
    assert checks.count("error")
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    checks.run()
    assert checks.problems == ()


def test_the_real_check_judges_without_and_with_a_catalogue(
    document: Document, session: FakeSession
) -> None:
    checks = Checks(document, session)
    checks.run()
    assert not checks.at("scan")
    session.know(infos())
    checks.run()
    assert [found.part for found in checks.at("scan")] == ["params.function"]


def small() -> Design:
    nodes = tuple(NodeDefinition(id=f"n{at}", type="template") for at in range(3))
    return Design(WorkflowDefinition(start="n0", nodes=nodes))


def test_even_a_small_workflow_is_checked_in_another_thread(
    document: Document, session: FakeSession, qtbot: QtBot
) -> None:
    threads = []

    def check(_workflow: object, _known: object) -> list[Problem]:
        threads.append(threading.current_thread())
        return [problem()]

    checks = Checks(document, session, check=check)
    document.apply("Small", small())
    with qtbot.waitSignal(checks.changed):
        pass
    checks.run()
    assert len(threads) == 2
    assert threading.main_thread() not in threads
    assert not checks.is_busy
    checks.stop()


def test_what_was_found_in_a_workflow_that_was_edited_meanwhile_is_dropped(
    document: Document, session: FakeSession, qtbot: QtBot
) -> None:
    begun = threading.Event()
    edited = threading.Event()

    def check(workflow: WorkflowDefinition, _known: object) -> list[Problem]:
        if workflow.name == "old":
            begun.set()
            edited.wait(20)
        return [problem(rule=workflow.name)]

    document.apply("Old", edits.set_workflow(small(), name="old"))
    checks = Checks(document, session, check=check)
    seen: list[str] = []
    checks.changed.connect(lambda: seen.append(checks.problems[0].rule))
    qtbot.waitUntil(begun.is_set)
    document.apply("New", edits.set_workflow(document.design, name="new"))
    edited.set()
    qtbot.waitUntil(lambda: bool(seen))
    checks.stop()
    assert seen == ["new"]


def test_files_are_looked_for_again_when_the_program_comes_to_the_front(
    document: Document, session: FakeSession, qapp: QApplication
) -> None:
    checks = Checks(document, session, check=Recorder(problem()))
    checks.run()
    timer = checks.findChild(QTimer)
    qapp.applicationStateChanged.emit(Qt.ApplicationState.ApplicationActive)
    assert timer.isActive()


def test_who_has_not_saved_yet_is_told_that_files_are_looked_for_beside_the_document(
    document: Document, session: FakeSession, tmp_path: Any
) -> None:
    session.know(catalogue().infos())
    node = NodeDefinition(
        id="scan", type="python_function", params={"function": "nowhere_at_all:scan"}
    )
    document.apply("Draw", Design(WorkflowDefinition(nodes=(node,), start="scan")))
    checks = Checks(document, session)
    checks.run()
    (found,) = checks.at("scan", "params.function")
    assert found.remedy.startswith(
        "Save the workflow beside its files first. Put nowhere_at_all.py into "
    )
    document.save(tmp_path / "audit.stepwell.json")
    checks.run()
    (found,) = checks.at("scan", "params.function")
    assert found.remedy.startswith(f"Put nowhere_at_all.py into {tmp_path}")
