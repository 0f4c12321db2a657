"""What must hold after every step. Each raises `AssertionError`."""

from __future__ import annotations

from PySide6.QtWidgets import QApplication

from designer.canvas.drawing.scene import CanvasScene
from designer.canvas.view import CanvasView
from designer.document.document import Document
from designer.look.theme import Look
from designer.model import files
from designer.model.design import Design
from designer.model.diff import diff
from designer.model.frames import frame_ids, frames_of
from designer.model.names import one_line
from designer.shell.workspace import Workspace
from runtime.errors import DefinitionError
from tests.gestures.player import Player

# undo steps that are taken back and forth after every step; all of them now and then
DEEP = 5


def check(player: Player, before: dict[Workspace, Design], *, whole: bool) -> None:
    """All of it, after a step before which the documents were so; with `whole` all undo
    steps are taken back and forth, else a few, if the step has changed something.
    """
    check_tabs(player)
    check_only_one_has_changed(player, before)
    documents = [workspace.document for workspace in player.window.workspaces]
    for document in documents:
        check_file(document, known=player.read.get(document) is document.root)
    player.read = {document: document.root for document in documents}
    if player.window.current is None:
        return
    document = player.document
    view = player.view
    check_scene(player)
    if view.gesture is not None or not isinstance(
        QApplication.focusWidget(), CanvasView
    ):
        return  # in the middle of something, which undoing would end
    stack = document.undo_stack
    root = document.root
    way = document.inside
    drawn = _drawn(view)
    at = stack.index()
    if whole:
        depth = at
    elif root is not before.get(player.workspace):
        depth = min(at, DEEP)
    else:
        depth = 0
    if depth:
        stack.setIndex(at - depth)
        check_scene(player)
        stack.setIndex(at)
        assert not diff(document.root, root), "undo and redo do not lead back"
        if document.inside == way:
            now = _drawn(view)
            assert None in (drawn, now) or drawn == now, (
                f"undo and redo draw otherwise: {_differing(drawn, now)}"
            )


Drawn = dict[str, object]


def _drawn(view: CanvasView) -> Drawn | None:
    """What is drawn where; None while it moves."""
    if view.clock.is_moving:
        return None
    scene = view.scene()
    return {**scene.boxes, **scene.edges.figures, **scene.backdrop.frames}


def _differing(
    one: Drawn | None, other: Drawn | None
) -> list[tuple[str, object, object]]:
    one = one or {}
    other = other or {}
    return [
        (key, one.get(key), other.get(key))
        for key in {**one, **other}
        if one.get(key) != other.get(key)
    ]


def check_only_one_has_changed(player: Player, before: dict[Workspace, Design]) -> None:
    """One step changes one document; those in other tabs stay as they are."""
    there = [workspace for workspace in before if workspace in player.window.workspaces]
    changed = [
        workspace
        for workspace in there
        if workspace.document.root is not before[workspace]
    ]
    assert len(changed) <= 1, "a step has changed several documents"


def check_tabs(player: Player) -> None:
    """Each page has a tab, and the one in front shows its own level."""
    window = player.window
    pages = window.pages.items
    current = window.current
    assert window.tabs.count() == len(pages), "tabs differ from what is open"
    assert [
        page.workspace for page in pages if not page.is_level
    ] == window.workspaces, "tabs are in another order"
    if current is None:
        return
    front = pages[window.tabs.currentIndex()]
    assert front is window.pages.front, "another tab is marked than what is shown"
    assert front.workspace is current, "a tab shows another document"
    assert current.document.inside[: len(front.home)] == front.home, (
        "the tab of a level shows another one"
    )


def check_scene(player: Player) -> None:
    """The scene is the document, and what was drawn edit by edit is what would be drawn
    at once.
    """
    document = player.document
    scene = player.view.scene()
    assert not diff(scene.design, document.design), "the scene shows another design"
    workflow = document.design.workflow
    ids = {item.id for item in (*workflow.nodes, *workflow.edges)} | frame_ids(
        document.design
    )
    assert scene.backdrop.frames == {
        frame.id: frame for frame in frames_of(document.design)
    }, "frames differ"
    assert document.selection <= ids, "something is selected that is not there"
    assert scene.selection == document.selection == set(player.view.order), (
        "scene and document select differently"
    )
    assert player.view.hover.key in {"", *ids}, (
        "the pointer is over something that is not there"
    )
    chosen = player.view.dots.chosen
    assert chosen is None or document.selection == {chosen.edge}, (
        "a dot is chosen of what is not selected"
    )
    nodes = {node.id: node for node in workflow.nodes}
    assert scene.nodes.keys() == nodes.keys() == scene.boxes.keys(), "nodes differ"
    for key, item in scene.nodes.items():
        assert item.title == one_line(nodes[key].title), "a title differs"
        assert item.selected == (key in document.selection), (
            "a node is drawn as selected and is not, or is and is not"
        )
        assert item.box == scene.boxes[key], "a node stands elsewhere than its box"
        assert item.off == nodes[key].off, (
            "a node is drawn as off and is on, or is and is not drawn so"
        )
    assert scene.edges.silent == {
        key for key, node in nodes.items() if node.off == "disabled"
    }, "wires are drawn wrong"
    if player.view.gesture is None and not player.view.clock.is_moving:
        _check_freshly_drawn(scene)


def _check_freshly_drawn(scene: CanvasScene) -> None:
    fresh = CanvasScene(Look("light").theme)
    fresh.folder = scene.folder
    fresh.show(scene.design, scene.infos)
    try:
        assert scene.boxes == fresh.boxes, (
            "nodes are drawn elsewhere than a new scene draws them"
        )
        assert scene.edges.figures == fresh.edges.figures, (
            "edges are drawn otherwise than in a new scene"
        )
    finally:
        fresh.dispose()
        fresh.clear()


def check_file(document: Document, *, known: bool) -> None:
    """What would be saved can be read and is equal (`known`: that was seen before), and
    what is said to be saved is.
    """
    saved = document.is_clean and document.path is not None and not document.is_shipped
    if known and not saved:
        return
    try:
        text = files.dumps(document.root)
    except DefinitionError as error:
        raise AssertionError(f"it cannot be saved: {error}") from error
    assert known or files.dumps(files.loads(text)) == text, (
        "what is read is not what was written"
    )
    if saved and document.path is not None and not document.disk_news():
        assert document.path.read_text("utf-8") == text, (
            "it is said to be saved, and is not"
        )
