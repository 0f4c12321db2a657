"""Gestures with whole documents: levels, undo, files, tabs, and what the window has
besides.
"""

from __future__ import annotations

from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QContextMenuEvent, QDropEvent, QGuiApplication, QWheelEvent
from PySide6.QtTest import QTest
from PySide6.QtWidgets import QApplication

from designer.model import files
from designer.shell.actions import ACTIONS, ActionSpec
from designer.shell.files.dialogs import Choice
from designer.shell.undo_list import UndoList
from resources import examples
from tests.gestures.player import (
    ALT,
    CTRL,
    LEFT,
    NONE,
    PLAIN,
    SHIFT,
    K,
    Player,
    gesture,
)
from tests.gestures.texts import CLIPS, TEXTS

SKIPPED = {
    "quit",
    "close",
    "undo",
    "redo",
    "open",
    "import",
    "import-again",
    "theme-system",
}


@gesture()
def clipboard(player: Player) -> None:
    player.select(4)
    player.key(player.random.choice((K.Key_C, K.Key_X)), CTRL)
    for _ in range(player.random.randint(1, 2)):
        player.key(K.Key_V, CTRL | player.random.choice((PLAIN, PLAIN, SHIFT)))


@gesture()
def paste_rubbish(player: Player) -> None:
    player.view.setFocus()
    QGuiApplication.clipboard().setText(player.random.choice(TEXTS + CLIPS))
    player.key(K.Key_V, CTRL)


@gesture()
def duplicate(player: Player) -> None:
    player.select(3)
    player.key(K.Key_D, CTRL)


@gesture()
def command(player: Player) -> None:
    """Any command that edits, those that came later too."""
    player.select(3)
    player.window.trigger(player.random.choice(_specs("Edit", "Insert")))
    QApplication.processEvents()
    player.key(K.Key_Escape)


@gesture()
def switch_off(player: Player) -> None:
    player.select(3, edges=False)
    player.key(player.random.choice((K.Key_D, K.Key_B)))


@gesture()
def arrange(player: Player) -> None:
    player.select(4, edges=False)
    player.key(
        *player.random.choice(
            ((K.Key_L, PLAIN), (K.Key_L, CTRL), (K.Key_L, CTRL | SHIFT))
        )
    )


@gesture()
def collapse(player: Player) -> None:
    player.select(player.random.choice((1, 2, 3)), edges=False)
    player.key(K.Key_G, CTRL | SHIFT)


@gesture()
def go_in_or_out(player: Player) -> None:
    if player.random.random() < 0.5:
        player.select(1, edges=False)
        player.key(player.random.choice((K.Key_PageDown, K.Key_Return)))
    else:
        player.view.setFocus()
        player.key(K.Key_PageUp)


@gesture(2)
def undo(player: Player) -> None:
    for _ in range(player.random.randint(1, 6)):
        player.key(K.Key_Z, CTRL)


@gesture()
def redo(player: Player) -> None:
    for _ in range(player.random.randint(1, 6)):
        player.key(K.Key_Y, CTRL)


@gesture()
def save(player: Player) -> None:
    player.key(K.Key_S, CTRL)
    assert player.document.is_clean, player.somebody.told


@gesture(0.5)
def open_again(player: Player) -> None:
    """Closing saves; what is opened is what was there, with what was being typed."""
    player.somebody.changes = Choice.SAVE
    workspace = player.workspace
    document = player.document
    # Typed text becomes an edit when it closes, and the first file gives a workflow its
    # name.
    if player.view.hasFocus() and document.path is not None:
        before = document.root
    else:
        before = None
    # its levels may have tabs of their own
    while workspace in player.window.workspaces:
        player.window.bring_to_front(workspace)
        player.key(K.Key_W, CTRL)
    last = document.root
    path = document.path
    assert before in (None, last), "closing has changed something"
    if path is None:
        assert not last.workflow.nodes, "it was closed, and never saved"
    else:
        player.open(path)
        assert files.dumps(player.document.root) == files.dumps(last), (
            "what is opened again is not what was saved"
        )


@gesture(0.5)
def change_on_disk(player: Player) -> None:
    """Another program writes the file, or removes it."""
    path = player.document.path
    if path is None:
        return
    if player.random.random() < 0.2:
        path.unlink(missing_ok=True)
    else:
        files.save(path, files.load(player.random.choice(examples()).path))
    player.workspace.watch.look()
    verb = player.random.choice(("Reload", "Compare", "Keep mine", "Save"))
    for button in player.workspace.banner.buttons:
        if button.text().startswith(verb):
            QTest.mouseClick(button, LEFT)
            break


@gesture(0.5)
def backup(player: Player) -> None:
    """An earlier version, as one step."""
    at = player.document.undo_stack.index()
    player.somebody.backup = player.random.choice((0, 0, None))
    player.window.files.restore_backup(player.workspace)
    assert player.document.undo_stack.index() <= at + 1, (
        "restoring was more than one step"
    )


@gesture()
def see_the_history(player: Player) -> None:
    """Jump in it, by mouse or keys, and mostly back."""
    player.view.setFocus()
    player.key(K.Key_Z, CTRL | ALT)
    found = player.window.findChildren(UndoList)
    if not found:
        return
    history = found[-1]
    stack = player.document.undo_stack
    at = stack.index()
    for row in (player.random.randrange(history.steps.count()), at):
        if player.random.random() < 0.5:
            item = history.steps.item(row)
            history.steps.scrollToItem(item)
            QTest.mouseClick(
                history.steps.viewport(),
                LEFT,
                PLAIN,
                history.steps.visualItemRect(item).center(),
            )
        else:
            history.steps.setCurrentRow(row)
            QTest.keyClick(history.steps, K.Key_Return)
        assert stack.index() == row, "the history leads elsewhere"
        if player.random.random() < 0.2:
            break
    history.close()


@gesture()
def find(player: Player) -> None:
    """What is drawn, on all levels; by a part of its name or by anything."""
    player.view.setFocus()
    root = player.document.root
    player.key(K.Key_F, CTRL)
    titles = [node.title for node in player.document.root.workflow.nodes]
    player.fill(player.random.choice((*titles, *TEXTS))[:6])
    for _ in range(player.random.randint(0, 2)):
        player.key(K.Key_Down)
    player.key(player.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape)))
    assert player.document.root is root, "finding has changed something"


@gesture()
def find_a_command(player: Player) -> None:
    player.select(2)
    player.key(K.Key_P, CTRL | SHIFT)
    player.fill(
        player.random.choice(
            [spec.text.rstrip("…") for spec in _specs("Edit", "Insert", "View")]
        )
    )
    player.key(player.random.choice((K.Key_Return, K.Key_Return, K.Key_Escape)))
    player.view.node_search.close()


@gesture()
def command_of_the_window(player: Player) -> None:
    """Themes, sizes, dialogs, tabs, zoom: what is opened is answered or closed."""
    player.window.trigger(player.random.choice(_specs("File", "View", "Help")))


@gesture()
def look(player: Player) -> None:
    """Looking around changes nothing."""
    player.view.setFocus()
    root = player.document.root
    keys = (
        (K.Key_F, PLAIN),
        (K.Key_Home, PLAIN),
        (K.Key_M, PLAIN),
        (K.Key_0, CTRL),
        (K.Key_Plus, CTRL),
        (K.Key_Minus, CTRL),
    )
    for _ in range(2):
        player.key(*player.random.choice(keys))
    at = QPoint(player.random.randint(0, 700), player.random.randint(0, 500))
    turn = player.random.choice((-360, 120, 240))
    viewport = player.view.viewport()
    where = QPointF(viewport.mapToGlobal(at))
    none = Qt.ScrollPhase.NoScrollPhase
    wheel = QWheelEvent(
        QPointF(at), where, QPoint(), QPoint(0, turn), NONE, PLAIN, none, False
    )
    QApplication.sendEvent(viewport, wheel)
    QTest.mouseMove(viewport, at)
    player.key(K.Key_Home)
    assert player.document.root is root, "looking has changed something"


@gesture()
def context_menu(player: Player) -> None:
    """By the key or the other button; what it offers is chosen as anything is answered."""
    player.select(player.random.choice((0, 1, 2)))
    at = player.view.mapFromScene(player.anywhere())
    reason = player.random.choice(
        (QContextMenuEvent.Reason.Keyboard, QContextMenuEvent.Reason.Mouse)
    )
    viewport = player.view.viewport()
    QApplication.sendEvent(
        viewport, QContextMenuEvent(reason, at, viewport.mapToGlobal(at))
    )
    player.answer()
    player.key(K.Key_Escape)


# --- tabs ---------------------------------------------------------------------------------------------------------


@gesture(0.7)
def another_document(player: Player) -> None:
    """A new one, or a copy of an example; its parts can be pasted elsewhere."""
    if player.random.random() < 0.5:
        player.key(K.Key_N, CTRL)
    else:
        path = player.new_file()
        files.save(path, files.load(player.random.choice(examples()).path))
        data = QMimeData()
        data.setUrls([QUrl.fromLocalFile(str(path))])
        QApplication.sendEvent(
            player.window,
            QDropEvent(QPointF(50, 50), Qt.DropAction.CopyAction, data, LEFT, PLAIN),
        )
    player.know_types()


@gesture(1.5)
def another_tab(player: Player) -> None:
    """Take something along."""
    if player.random.random() < 0.5:
        player.select(3)
        player.key(K.Key_C, CTRL)
    player.key(player.random.choice((K.Key_PageDown, K.Key_PageUp)), CTRL)
    QApplication.processEvents()
    if player.random.random() < 0.5:
        player.view.setFocus()
        player.key(K.Key_V, CTRL | player.random.choice((PLAIN, SHIFT)))


@gesture(0.7)
def level_in_a_tab(player: Player) -> None:
    player.select(1, edges=False)
    subs = [
        node.id
        for node in player.document.design.workflow.nodes
        if node.type == "sub_workflow"
    ]
    if subs:
        player.document.select({player.random.choice(subs)})
    player.key(K.Key_PageDown, SHIFT)


@gesture(0.5)
def close_a_tab(player: Player) -> None:
    """Saved, discarded, or not closed at all."""
    player.key(K.Key_W, CTRL)


def _specs(*menus: str) -> list[ActionSpec]:
    """The commands of these menus, those that came later too."""
    return [spec for spec in ACTIONS if spec.menu in menus and spec.id not in SKIPPED]
