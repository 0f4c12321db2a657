"""The context menus: the verbs for what is under the pointer. Every entry calls the command that a key calls too."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QMenu

from designer.canvas.base import READ_ONLY
from designer.canvas.verbs.select import select_all, select_linked
from designer.canvas.verbs.verbs import Verbs
from designer.model.edge_kinds import KINDS, EdgeKind, kind_of
from designer.model.inside import is_sub_workflow
from designer.model.layout.align import ALIGNMENTS

# Text, keys, what it does, and why that cannot be done now ("" if it can).
Entry = tuple[str, str, Callable[[], object], str]
NO_DOT = "No wire of it has a reroute dot."


def menu_for(verbs: Verbs, at: QPointF) -> QMenu:
    """The menu for a place in the scene. What is under it is selected first, unless it already is."""
    key = verbs.thing_at(at)
    if key and key not in verbs.selection:
        verbs.select(frozenset({key}))
    dot = verbs.scene().edges.dot_at(at) if verbs.editable else None
    if dot is not None and verbs.selection == {key}:
        verbs.dots.choose(dot)
    menu = QMenu(verbs.widget)
    if key in verbs.scene().backdrop.frames:
        groups = _frame(verbs, key)
    elif key in verbs.scene().boxes:
        groups = _nodes(verbs, key)
    elif key:
        groups = _edge(verbs, key, at)
    else:
        groups = _empty(verbs, at)
    for entries in filter(None, groups):
        if menu.actions():
            menu.addSeparator()
        for text, ours, act, why_not in entries:
            keys = verbs.key_names.get(ours, ours)
            action = menu.addAction(f"{text}\t{keys}" if keys else text)
            action.triggered.connect(lambda _checked=False, act=act: act())
            action.setEnabled(not why_not)
            action.setToolTip(why_not or text)
    if key in verbs.scene().boxes and verbs.editable and len(verbs.chosen_nodes()) > 1:
        _add_alignments(verbs, menu)
    menu.setToolTipsVisible(True)
    return menu


def _unless(can: bool, why_not: str) -> str:
    return "" if can else why_not


def _unless_run(verbs: Verbs) -> str:
    return _unless(verbs.editable, READ_ONLY)


def _add_alignments(verbs: Verbs, menu: QMenu) -> None:
    inner = menu.addMenu("Align and distribute")
    for way, text in ALIGNMENTS.items():
        inner.addAction(text).triggered.connect(
            lambda _checked=False, way=way: verbs.commands.align(way)
        )


def _nodes(verbs: Verbs, node: str) -> list[list[Entry]]:
    edit = _unless_run(verbs)
    commands = verbs.commands
    chosen = len(verbs.chosen_nodes())
    several = edit or _unless(chosen > 1, "Select two or more nodes first.")
    is_start = verbs.scene().design.workflow.start == node
    alone = edit or _unless(chosen == 1, "Select this node alone first.")
    pair = "Select this node and one edge first."
    has_edges = bool(verbs.scene().topology.touching.get(node))
    is_sub = chosen == 1 and is_sub_workflow(verbs.scene().design, node)
    return [
        [
            ("Open", "Enter", lambda: verbs.activate(node), ""),
            (
                "Next edge",
                "E",
                verbs.walk.next_edge,
                _unless(has_edges, "No edge leads to it or from it."),
            ),
        ],
        [("Cancel this node", "", lambda: verbs.session.cancel_node(node), "")]
        if verbs.session.is_running(node)
        else [],
        [
            ("Connect from here", "C", lambda: verbs.start_wire(node), edit),
            (
                "Send its failures to…",
                "",
                lambda: verbs.start_wire(node, on_error=True),
                alone,
            ),
            (
                "Connect first to others",
                "Ctrl+Enter",
                commands.connect_selected,
                several,
            ),
            ("Join into the last chosen", "J", commands.join_selected, several),
            (
                "Put into the selected edge",
                "S",
                commands.splice_selected,
                edit or _unless(len(verbs.selection) == 2, pair),
            ),
            (
                "Free the inputs",
                "Alt+click on the port",
                lambda: commands.disconnect(node, "in"),
                edit,
            ),
            (
                "Free the outputs",
                "Alt+click on the port",
                lambda: commands.disconnect(node, "out"),
                edit,
            ),
            (
                "Start here",
                "",
                lambda: commands.set_start(node),
                edit or _unless(not is_start, "Runs start here already."),
            ),
        ],
        [
            ("Put a frame around", "Ctrl+G", verbs.frames.frame_selected, edit),
            ("Add a note", "N", verbs.frames.add_note, edit),
            ("Bookmark, or not any more", "Ctrl+B", verbs.bookmarks.toggle, edit),
        ],
        [
            (
                commands.off_words("disabled"),
                "D",
                lambda: commands.toggle_off("disabled"),
                edit,
            ),
            (
                commands.off_words("bypassed"),
                "B",
                lambda: commands.toggle_off("bypassed"),
                edit,
            ),
        ],
        [
            (
                "Collapse into a sub-workflow",
                "" if is_sub else "Ctrl+Shift+G",
                commands.collapse,
                edit,
            ),
            *(
                [
                    (
                        "Open in a tab",
                        "Shift+PgDown",
                        lambda: commands.open_page(node),
                        "",
                    )
                ]
                if is_sub
                else []
            ),
            *(
                [
                    (
                        "Expand the sub-workflow",
                        "Ctrl+Shift+G",
                        lambda: commands.expand(node),
                        edit,
                    )
                ]
                if is_sub
                else []
            ),
        ],
        [
            ("Cut", "Ctrl+X", commands.cut, edit),
            ("Copy", "Ctrl+C", commands.copy, ""),
            ("Duplicate", "Ctrl+D", commands.duplicate, edit),
            ("Delete", "Del", commands.delete, edit),
            ("Delete and heal the wires", "Ctrl+Del", commands.delete_healed, edit),
        ],
        [
            (
                "Select what comes before",
                "Ctrl+Shift+Left",
                lambda: select_linked(verbs, "before"),
                "",
            ),
            (
                "Select what comes after",
                "Ctrl+Shift+Right",
                lambda: select_linked(verbs, "after"),
                "",
            ),
            (
                "Select what is connected",
                "",
                lambda: select_linked(verbs, "connected"),
                "",
            ),
        ],
        [
            (
                "Arrange selection",
                "L",
                lambda: verbs.arranger.arrange(selected=True),
                several,
            ),
            (
                "Fit selection",
                "F",
                lambda: verbs.camera.fit_things(verbs.selection),
                "",
            ),
        ],
    ]


def _frame(verbs: Verbs, key: str) -> list[list[Entry]]:
    edit = _unless_run(verbs)
    commands = verbs.commands
    frames = verbs.frames
    note = verbs.scene().backdrop.frames[key].kind == "note"
    return [
        [
            (
                "Edit the text" if note else "Edit the title",
                "Enter",
                lambda: verbs.frame_text.open(key),
                edit,
            ),
            (
                "Fit to its text" if note else "Fit to what stands on it",
                "",
                lambda: frames.fit(key),
                edit,
            ),
            (
                "Select what stands on it",
                "",
                lambda: frames.select_content(key),
                _unless(not note, "Only a frame has nodes."),
            ),
            ("Bookmark, or not any more", "Ctrl+B", verbs.bookmarks.toggle, edit),
        ],
        [
            ("Cut", "Ctrl+X", commands.cut, edit),
            ("Copy", "Ctrl+C", commands.copy, ""),
            ("Duplicate", "Ctrl+D", commands.duplicate, edit),
            ("Delete", "Del", commands.delete, edit),
        ],
    ]


def _edge(verbs: Verbs, edge: str, at: QPointF) -> list[list[Entry]]:
    edit = _unless_run(verbs)
    commands = verbs.commands
    chosen = verbs.selection
    found = verbs.scene().topology.edges.get(edge)
    kind = kind_of(found) if found is not None else KINDS["direct"]
    conditional = found is not None and bool(kind.conditions(found))
    dotted = _unless(bool(verbs.dots.lines(edge)), NO_DOT)
    pick = dotted or "Click on a reroute dot first."
    return [
        [("Open", "Enter", lambda: verbs.activate(edge), "")],
        [
            (
                "Edit the condition here",
                "W",
                lambda: verbs.conditions.open(edge),
                edit or _unless(conditional, "It has no condition."),
            ),
            (
                kind.grow_text,
                "C",
                verbs.start_wire,
                edit,
            ),
            ("Lead it to another node", "Shift+C", verbs.start_rewire, edit),
        ],
        [
            ("Add a reroute dot", "R", lambda: verbs.dots.add_at(edge, at), edit),
            (
                "Remove the reroute dot",
                "Del",
                verbs.dots.remove,
                edit or _unless(verbs.dots.chosen is not None, pick),
            ),
            ("Next reroute dot", ".", verbs.dots.next, edit or dotted),
            ("Straighten the wires", "", verbs.dots.straighten, edit or dotted),
        ],
        [
            (
                target.make_text_from(kind),
                "",
                partial(commands.convert, chosen, target.kind),
                edit or _unless(target.kind in kind.turns_into, _only_from(target)),
            )
            for target in sorted(KINDS.values(), key=lambda kind: kind.single)
            if _sources_of(target)
        ],
        [("Delete", "" if verbs.dots.chosen else "Del", commands.delete, edit)],
    ]


def _only_from(target: EdgeKind[Any]) -> str:
    """Say what groups of a kind can be made of."""
    return f"It can be made of: {', '.join(_sources_of(target))}."


def _sources_of(target: EdgeKind[Any]) -> list[str]:
    return [kind.plural for kind in KINDS.values() if target.kind in kind.turns_into]


def _empty(verbs: Verbs, at: QPointF) -> list[list[Entry]]:
    edit = _unless_run(verbs)
    commands = verbs.commands
    some = _unless(bool(verbs.scene().nodes), "There is no node yet.")
    marked = _unless(
        bool(verbs.bookmarks.marked),
        "There is no bookmark. Ctrl+B sets one at what is selected.",
    )
    inside = _unless(
        bool(verbs.document.inside) or verbs.can_go_out,
        "You are not inside of a sub-workflow.",
    )
    return [
        [
            (
                "Add a node…",
                "Tab",
                lambda: verbs.quick_add(verbs.mapFromScene(at)),
                edit,
            ),
            ("Add a frame", "Ctrl+G", verbs.frames.frame_selected, edit),
            ("Add a note", "N", lambda: verbs.frames.add_note(at), edit),
            ("To the next bookmark", "Ctrl+Shift+B", verbs.bookmarks.next, marked),
            ("Out of the sub-workflow", "PgUp", commands.go_out, inside),
        ],
        [
            ("Paste", "Ctrl+V", commands.paste, edit),
            (
                "Paste keeping links",
                "Ctrl+Shift+V",
                lambda: commands.paste(keep_links=True),
                edit,
            ),
            ("Select all", "Ctrl+A", lambda: select_all(verbs), some),
        ],
        [
            (
                "Arrange, left to right",
                "Ctrl+L",
                lambda: verbs.arranger.arrange("LR"),
                edit or some,
            ),
            (
                "Arrange, top to bottom",
                "Ctrl+Shift+L",
                lambda: verbs.arranger.arrange("TB"),
                edit or some,
            ),
            (
                "Arrange, organic",
                "Ctrl+Alt+L",
                lambda: verbs.arranger.arrange("organic"),
                edit or some,
            ),
            (
                "Tidy new nodes",
                "Shift+L",
                lambda: verbs.arranger.arrange("tidy"),
                edit or some,
            ),
            ("Fit everything", "Home", verbs.camera.fit_all, some),
        ],
    ]
