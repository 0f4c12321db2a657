"""From a wrong output, a starved join and a lost message to the cause, in one or two
clicks, by real runs.
"""

from __future__ import annotations

from pathlib import Path

from designer.panels.joins import Held, JoinsPanel, SourceRow
from designer.panels.messages import MessagesPanel
from designer.panels.outputs import OutputsPanel
from designer.panels.selected import SelectedPanel
from designer.panels.values.model import Node
from designer.shell.workspace import Workspace
from tests.designer.shell.support import Hand
from tests.end_to_end.hunts.planted import (
    LOST_BRANCH,
    STALE_ANSWER,
    STARVED_JOIN,
    Planted,
    fan_out,
    join,
    node,
    wire,
)

# A question keeps each invocation alive, so that it can be seen from inside.
INNER = {
    "name": "inner",
    "start": "in",
    "nodes": [
        node("in", "set_state", key="seen", value="message"),
        node("a", "json_transform", expression="message"),
        node("b", "json_transform", expression="message * 2"),
        node("c", "json_transform", expression="message"),
        node("sum", "json_transform", expression="message"),
        node("who", "ask", question="Fine?"),
    ],
    "edges": [
        fan_out("in", "a", "b", "who"),
        wire("b", "c", "message > 10"),
        join("sum", "a", "c"),
    ],
}
STARVED_INSIDE = Planted(
    "starved_inside",
    nodes=[
        node("start", "for_each"),
        node("sub", "sub_workflow", inline={"workflow": INNER}),
    ],
    edges=[wire("start", "sub")],
    input=[3, 4],
    right=[],
)


def run(hand: Hand, planted: Planted, folder: Path, ending: str) -> Workspace:
    hand.window.files.open(planted.write(folder))
    workspace = hand.workspace
    hand.wait(lambda: bool(workspace.session.infos))
    hand.click(hand.window.toolbar.buttons["run"])
    hand.wait_stopped(ending)
    hand.wait(lambda: workspace.session.moment is not None)
    return workspace


def step_titles(panel: SelectedPanel) -> list[str]:
    return [row.title for row in panel.origin.tree.values.root.children]


def reasons(joins: JoinsPanel) -> dict[str, SourceRow]:
    """The rows of silent sources by their reasons."""
    rows = joins.findChildren(SourceRow)
    return {row._reason.text(): row for row in rows if row.why.isVisible()}


def rows(node: Node) -> list[str]:
    return [f"{row.title} {row.tail}".strip() for row in node.walk()]


def test_from_a_starved_join_to_the_case_that_was_taken_in_two_clicks(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, STARVED_JOIN, tmp_path, "stalled")
    joins = hand.show("Joins")
    assert isinstance(joins, JoinsPanel)

    words = "Branch not taken: start took the default in superstep 2."
    hand.wait(lambda: list(reasons(joins)) == [words])
    hand.click(reasons(joins)[words].why)
    selected = workspace.panels["Selected"]
    assert isinstance(selected, SelectedPanel)
    assert workspace.document.selection == {"by-price"}
    hand.wait(lambda: "message 7" in rows(selected.tree.values.root))
    shown = rows(selected.tree.values.root)
    assert "case 1 → dear: message > 100 false" in shown
    assert "default → cheap taken" in shown


def test_from_a_wrong_output_to_who_made_it_in_two_clicks(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, STALE_ANSWER, tmp_path, "finished")
    output = workspace.panels["Output"]
    assert isinstance(output, OutputsPanel)
    hand.wait(output.origin_button.isVisible)
    hand.click(output.origin_button)
    selected = workspace.panels["Selected"]
    assert isinstance(selected, SelectedPanel)
    tree = selected.origin.tree
    hand.wait(lambda: len(tree.values.root.children) == 8)
    shown = [row.title for row in tree.values.root.children]
    assert shown == [
        "8 · end yielded",
        "7 · read sent",
        "6 · new sent",
        "5 · raise sent",
        "4 · old wrote price",
        "3 · old sent",
        "2 · start sent",
        "1 · Input of the run",
    ]
    assert workspace.canvas.scene().origin.numbers["old"] == (3, 4)
    hand.click(tree.viewport(), tree.visualRect(tree.values.index(1, 0)).center())
    assert workspace.document.selection == {"read"}
    hand.wait(lambda: workspace.session.moment.superstep == 5)


def test_a_message_that_an_edge_stopped_says_why_with_its_values(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, LOST_BRANCH, tmp_path, "finished")
    workspace.session.view(workspace.session.timeline.header_at(2).id)
    messages = hand.show("Messages")
    assert isinstance(messages, MessagesPanel)
    hand.wait(lambda: "message.kind 'public'" in rows(messages.tree.values.root))
    assert "message.kind == 'Public' false" in rows(messages.tree.values.root)
    scene = workspace.canvas.scene()
    hand.wait(lambda: bool(scene.marks))
    [tag] = [mark.rect for mark in scene.marks if mark.text == "condition false"]
    assert not any(box.rect.intersects(tag) for box in scene.boxes.values())


def test_all_of_it_is_about_the_invocation_of_a_sub_workflow_that_is_shown(
    hand: Hand, tmp_path: Path
) -> None:
    workspace = run(hand, STARVED_INSIDE, tmp_path, "waiting")
    session = workspace.session

    def is_inside_first() -> bool:
        return session.inside is not None and session.inside.keys == ("sub#1",)

    workspace.levels.go_in("sub")
    session.look_inside(("sub",), "sub#1")
    joins = hand.show("Joins")
    assert isinstance(joins, JoinsPanel)
    decided = (
        "Branch not taken: b → c was not taken, its condition was false in superstep 5."
    )
    hand.wait(lambda: is_inside_first() and decided in reasons(joins))
    [held] = joins.findChildren(Held)
    hand.click(held.origin)
    selected = workspace.panels["Selected"]
    assert isinstance(selected, SelectedPanel)
    hand.wait(lambda: len(step_titles(selected)) == 5)
    assert step_titles(selected) == [
        "5 · sub#1 › a sent",
        "4 · sub#1 › in sent",
        "3 · sub began sub#1",
        "2 · start sent",
        "1 · Input of the run",
    ]
    scene = workspace.canvas.scene()
    assert scene.origin.numbers == {"in": (4,), "a": (5,)}
    tree = selected.origin.tree
    hand.click(tree.viewport(), tree.visualRect(tree.values.index(3, 0)).center())
    assert (workspace.document.inside, workspace.document.selection) == ((), {"start"})
    assert scene.origin.numbers == {"start": (2,), "sub": (3, 4, 5)}
    hand.click(tree.viewport(), tree.visualRect(tree.values.index(0, 0)).center())
    hand.wait(is_inside_first)
    assert workspace.document.selection == {"a"}
