"""The context menus: what can be done with what is under the pointer.

Each entry calls the command that a key calls too, and shows that key.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QPointF
from PySide6.QtWidgets import QMenu

from designer.canvas.base import READ_ONLY
from designer.canvas.verbs.select import select_all, select_linked
from designer.canvas.verbs.verbs import Verbs
from designer.canvas.verbs.why import explain_message, show_ledger
from designer.model.edge_kinds import KINDS, EdgeKind, kind_of
from designer.model.inside import is_sub_workflow
from designer.model.layout.align import ALIGNMENTS
from runtime.debug.protocol import RunToArguments

NO_DOT = "No wire of it has a reroute dot."
NO_BOOKMARK = "There is no bookmark. Ctrl+B sets one at what is selected."


class Entry(NamedTuple):
    """A text, our key for it, what it does, and why that cannot be done now."""

    text: str
    keys: str
    act: Callable[[], object]
    why_not: str = ""


Group = list[Entry]


def menu_for(verbs: Verbs, point: QPointF) -> QMenu:
    """Return the menu for a place in the scene, and select what is there."""
    scene = verbs.scene()
    key = verbs.thing_at(point)
    if key and key not in verbs.selection:
        verbs.select(frozenset({key}))
    dot = scene.edges.dot_at(point) if verbs.editable else None
    if dot is not None and verbs.selection == {key}:
        verbs.dots.choose(dot)
    if key in scene.backdrop.frames:
        groups = _of_frame(verbs, key)
    elif key in scene.boxes:
        groups = _of_nodes(verbs, key)
    elif key:
        groups = _of_edge(verbs, key, point)
    else:
        groups = _of_empty_canvas(verbs, point)
    menu = QMenu(verbs.widget)
    menu.setToolTipsVisible(True)
    for entries in filter(None, groups):
        if menu.actions():
            menu.addSeparator()
        _add_entries(verbs, menu, entries)
    if key in scene.boxes:
        verbs.results.add_to(menu, key)
    if key in scene.boxes and verbs.editable and len(verbs.chosen_nodes()) > 1:
        _add_alignments(verbs, menu)
    return menu


def _add_entries(verbs: Verbs, menu: QMenu, entries: Iterable[Entry]) -> None:
    for entry in entries:
        keys = verbs.key_names.get(entry.keys, entry.keys)
        text = f"{entry.text}\t{keys}" if keys else entry.text
        action = menu.addAction(text)
        action.triggered.connect(lambda _checked=False, act=entry.act: act())
        action.setEnabled(not entry.why_not)
        action.setToolTip(entry.why_not or entry.text)


def _add_alignments(verbs: Verbs, menu: QMenu) -> None:
    inner = menu.addMenu("Align and distribute")
    for alignment, text in ALIGNMENTS.items():
        align = partial(verbs.commands.align, alignment)
        inner.addAction(text).triggered.connect(lambda _checked=False, act=align: act())


def _unless(can: bool, why_not: str) -> str:
    return "" if can else why_not


def _unless_run(verbs: Verbs) -> str:
    return _unless(verbs.editable, READ_ONLY)


# --- nodes ----------------------------------------------------------------------------


def _of_nodes(verbs: Verbs, node: str) -> list[Group]:
    return [
        _open_node(verbs, node),
        _cancel_node(verbs, node),
        _move_to_node(verbs, node),
        _breakpoint(verbs, node),
        _why_node(verbs, node),
        _wire_node(verbs, node),
        _mark_nodes(verbs),
        _switch_nodes_off(verbs),
        _sub_workflow(verbs, node),
        _clipboard(verbs, healing=True),
        _select_more(verbs),
        _look_at_nodes(verbs),
    ]


def _open_node(verbs: Verbs, node: str) -> Group:
    has_edges = bool(verbs.scene().topology.touching.get(node))
    no_edge = _unless(has_edges, "No edge leads to it or from it.")
    return [
        Entry("Open", "Enter", lambda: verbs.activate(node)),
        Entry("Next edge", "E", verbs.walk.next_edge, no_edge),
    ]


def _cancel_node(verbs: Verbs, node: str) -> Group:
    session = verbs.session
    if not session.is_running(node):
        return []
    return [Entry("Cancel this node", "", lambda: session.cancel_node(node))]


def _move_to_node(verbs: Verbs, node: str) -> Group:
    """Return what moves the live run to a node, or keeps it from running."""
    session = verbs.session
    if session.mode != "live":
        return []
    inside = verbs.document.inside
    is_held = (inside, node) in session.held
    hold = partial(session.hold, node, inside, held=not is_held)
    words = "Let it run again" if is_held else "Hold this executor"
    place = RunToArguments(node=node, inside=inside, run=session.chosen_run)
    return [
        _run_to(verbs, place),
        Entry(words, "", hold),
    ]


def _run_to(verbs: Verbs, place: RunToArguments) -> Entry:
    session = verbs.session
    why_not = _unless(not session.running, "The run is moving: pause it first.")
    return Entry("Run to here", "Ctrl+F10", partial(session.run_to, place), why_not)


def _move_to_edge(verbs: Verbs, edge: str) -> Group:
    session = verbs.session
    if session.mode != "live":
        return []
    inside = verbs.document.inside
    place = RunToArguments(edge=edge, inside=inside, run=session.chosen_run)
    return [_run_to(verbs, place)]


def _why_node(verbs: Verbs, node: str) -> Group:
    if verbs.editable:
        return []
    explain = partial(explain_message, verbs, node)
    copy = partial(verbs.copy_requested.emit, node)
    is_store = _unless(not verbs.session.looks_only, "Only a store is open here.")
    return [
        Entry("Where does its message come from", "", explain),
        Entry("Edit this in a copy", "", copy, is_store),
    ]


def _why_edge(verbs: Verbs, edge: str) -> Group:
    definition = verbs.scene().topology.edges.get(edge)
    if verbs.editable or definition is None or definition.join is None:
        return []
    return [Entry("Why does it wait", "", partial(show_ledger, verbs, edge))]


def _breakpoint(verbs: Verbs, element: str) -> Group:
    breakpoints = verbs.breakpoints
    points = breakpoints.at(element)
    if not points:
        return [Entry("Set a breakpoint", "F9", breakpoints.toggle)]
    is_on = any(point.enabled for point in points)
    turn = "Turn the breakpoint off" if is_on else "Turn the breakpoint on"
    return [
        Entry("Edit the breakpoint…", "Alt+F9", breakpoints.edit),
        Entry("Delete the breakpoint", "F9", breakpoints.toggle),
        Entry(turn, "Ctrl+F9", breakpoints.turn),
    ]


def _wire_node(verbs: Verbs, node: str) -> Group:
    run = _unless_run(verbs)
    commands = verbs.commands
    count = len(verbs.chosen_nodes())
    alone = run or _unless(count == 1, "Select this node alone first.")
    several = run or _unless(count > 1, "Select two or more nodes first.")
    is_pair = len(verbs.selection) == 2
    pair = run or _unless(is_pair, "Select this node and one edge first.")
    is_start = verbs.scene().design.workflow.start == node
    not_start = run or _unless(not is_start, "Runs start here already.")
    alt_click = "Alt+click on the port"
    return [
        Entry("Connect from here", "C", lambda: verbs.start_wire(node), run),
        Entry(
            "Send its failures to…",
            "",
            lambda: verbs.start_wire(node, on_error=True),
            alone,
        ),
        Entry(
            "Connect the first to the others",
            "Ctrl+Enter",
            commands.connect_selected,
            several,
        ),
        Entry("Join into the last chosen", "J", commands.join_selected, several),
        Entry("Put into the selected edge", "S", commands.splice_selected, pair),
        Entry(
            "Disconnect the inputs",
            alt_click,
            lambda: commands.disconnect(node, "in"),
            run,
        ),
        Entry(
            "Disconnect the outputs",
            alt_click,
            lambda: commands.disconnect(node, "out"),
            run,
        ),
        Entry("Start here", "", lambda: commands.set_start(node), not_start),
    ]


def _mark_nodes(verbs: Verbs) -> Group:
    run = _unless_run(verbs)
    return [
        Entry("Put a frame around", "Ctrl+G", verbs.frames.frame_selected, run),
        Entry("Add a note", "N", verbs.frames.add_note, run),
        _bookmark(verbs),
    ]


def _bookmark(verbs: Verbs) -> Entry:
    chosen = set(verbs.order)
    is_marked = bool(chosen) and chosen <= set(verbs.bookmarks.marked)
    text = "Remove the bookmark" if is_marked else "Bookmark"
    return Entry(text, "Ctrl+B", verbs.bookmarks.toggle, _unless_run(verbs))


def _switch_nodes_off(verbs: Verbs) -> Group:
    run = _unless_run(verbs)
    commands = verbs.commands
    disable = commands.off_words("disabled")
    bypass = commands.off_words("bypassed")
    return [
        Entry(disable, "D", lambda: commands.toggle_off("disabled"), run),
        Entry(bypass, "B", lambda: commands.toggle_off("bypassed"), run),
    ]


def _sub_workflow(verbs: Verbs, node: str) -> Group:
    run = _unless_run(verbs)
    commands = verbs.commands
    is_alone = len(verbs.chosen_nodes()) == 1
    is_sub = is_alone and is_sub_workflow(verbs.scene().design, node)
    collapse = "Collapse into a sub-workflow"
    if not is_sub:
        return [Entry(collapse, "Ctrl+Shift+G", commands.collapse, run)]
    return [
        # The key expands a sub-workflow that is selected alone.
        Entry(collapse, "", commands.collapse, run),
        Entry("Open in a tab", "Shift+PgDown", lambda: commands.open_page(node)),
        Entry(
            "Expand the sub-workflow",
            "Ctrl+Shift+G",
            lambda: commands.expand(node),
            run,
        ),
    ]


def _clipboard(verbs: Verbs, *, healing: bool) -> Group:
    run = _unless_run(verbs)
    commands = verbs.commands
    entries = [
        Entry("Cut", "Ctrl+X", commands.cut, run),
        Entry("Copy", "Ctrl+C", commands.copy),
        Entry("Duplicate", "Ctrl+D", commands.duplicate, run),
        Entry("Delete", "Del", commands.delete, run),
    ]
    if healing:
        heal = commands.delete_healed
        entries.append(Entry("Delete and heal the wires", "Ctrl+Del", heal, run))
    return entries


def _select_more(verbs: Verbs) -> Group:
    before = partial(select_linked, verbs, "before")
    after = partial(select_linked, verbs, "after")
    connected = partial(select_linked, verbs, "connected")
    return [
        Entry("Select what comes before", "Ctrl+Shift+Left", before),
        Entry("Select what comes after", "Ctrl+Shift+Right", after),
        Entry("Select what is connected", "", connected),
    ]


def _look_at_nodes(verbs: Verbs) -> Group:
    is_several = len(verbs.chosen_nodes()) > 1
    why_not = _unless_run(verbs) or _unless(
        is_several, "Select two or more nodes first."
    )
    arrange = partial(verbs.arranger.arrange, selected=True)
    fit = partial(verbs.camera.fit_things, verbs.selection)
    return [
        Entry("Arrange selection", "L", arrange, why_not),
        Entry("Fit selection", "F", fit),
    ]


# --- frames and notes -----------------------------------------------------------------


def _of_frame(verbs: Verbs, key: str) -> list[Group]:
    run = _unless_run(verbs)
    frames = verbs.frames
    edit = partial(verbs.frame_text.open, key)
    fit = partial(frames.fit, key)
    select = partial(frames.select_content, key)
    if verbs.scene().backdrop.frames[key].kind == "note":
        entries = [
            Entry("Edit the text", "Enter", edit, run),
            Entry("Fit to its text", "", fit, run),
            Entry("Select its content", "", select, "Only a frame has nodes."),
        ]
    else:
        entries = [
            Entry("Edit the title", "Enter", edit, run),
            Entry("Fit to its content", "", fit, run),
            Entry("Select its content", "", select),
        ]
    return [[*entries, _bookmark(verbs)], _clipboard(verbs, healing=False)]


# --- edges ----------------------------------------------------------------------------


def _of_edge(verbs: Verbs, edge: str, point: QPointF) -> list[Group]:
    definition = verbs.scene().topology.edges.get(edge)
    kind = kind_of(definition) if definition is not None else KINDS["direct"]
    conditional = definition is not None and bool(kind.conditions(definition))
    run = _unless_run(verbs)
    no_condition = run or _unless(conditional, "It has no condition.")
    delete_key = "" if verbs.dots.chosen else "Del"
    edit = partial(verbs.conditions.open, edge)
    return [
        [Entry("Open", "Enter", lambda: verbs.activate(edge))],
        _move_to_edge(verbs, edge),
        _breakpoint(verbs, edge),
        _why_edge(verbs, edge),
        [
            Entry("Edit the condition here", "W", edit, no_condition),
            Entry(kind.grow_text, "C", verbs.start_wire, run),
            Entry("Lead it to another node", "Shift+C", verbs.start_rewire, run),
        ],
        _dots(verbs, edge, point),
        _conversions(verbs, kind),
        [Entry("Delete", delete_key, verbs.commands.delete, run)],
    ]


def _dots(verbs: Verbs, edge: str, point: QPointF) -> Group:
    run = _unless_run(verbs)
    dots = verbs.dots
    no_dot = run or _unless(bool(dots.lines(edge)), NO_DOT)
    is_chosen = dots.chosen is not None
    not_chosen = no_dot or _unless(is_chosen, "Click on a reroute dot first.")
    return [
        Entry("Add a reroute dot", "R", lambda: dots.add_at(edge, point), run),
        Entry("Remove the reroute dot", "Del", dots.remove, not_chosen),
        Entry("Next reroute dot", ".", dots.next, no_dot),
        Entry("Straighten the wires", "", dots.straighten, no_dot),
    ]


def _conversions(verbs: Verbs, kind: EdgeKind[Any]) -> Group:
    run = _unless_run(verbs)
    entries = []
    for target in sorted(KINDS.values(), key=lambda kind: kind.single):
        sources = _sources_of(target)
        if sources:
            only_from = f"It can be made from: {', '.join(sources)}."
            why_not = run or _unless(target.kind in kind.turns_into, only_from)
            convert = partial(verbs.commands.convert, verbs.selection, target.kind)
            text = target.make_text_from(kind)
            entries.append(Entry(text, "", convert, why_not))
    return entries


def _sources_of(target: EdgeKind[Any]) -> list[str]:
    """Return the names of the kinds that can be turned into a kind."""
    return [kind.plural for kind in KINDS.values() if target.kind in kind.turns_into]


# --- empty canvas ---------------------------------------------------------------------


def _of_empty_canvas(verbs: Verbs, point: QPointF) -> list[Group]:
    run = _unless_run(verbs)
    commands = verbs.commands
    bookmarks = verbs.bookmarks
    no_bookmark = _unless(bool(bookmarks.marked), NO_BOOKMARK)
    is_inside = bool(verbs.document.inside) or verbs.can_go_out
    outside = _unless(is_inside, "You are not inside a sub-workflow.")
    no_node = _unless(bool(verbs.scene().nodes), "There is no node yet.")
    keep_links = partial(commands.paste, keep_links=True)
    return [
        [
            Entry(
                "Add a node…",
                "Tab",
                lambda: verbs.quick_add(verbs.mapFromScene(point)),
                run,
            ),
            Entry("Add a frame", "Ctrl+G", verbs.frames.frame_selected, run),
            Entry("Add a note", "N", lambda: verbs.frames.add_note(point), run),
            Entry("Next bookmark", "Ctrl+Shift+B", bookmarks.next, no_bookmark),
            Entry("Out of the sub-workflow", "PgUp", commands.go_out, outside),
        ],
        [
            Entry("Paste", "Ctrl+V", commands.paste, run),
            Entry("Paste keeping links", "Ctrl+Shift+V", keep_links, run),
            Entry("Select all", "Ctrl+A", lambda: select_all(verbs), no_node),
        ],
        _arrangements(verbs),
    ]


def _arrangements(verbs: Verbs) -> Group:
    arrange = verbs.arranger.arrange
    no_node = _unless(bool(verbs.scene().nodes), "There is no node yet.")
    why_not = _unless_run(verbs) or no_node
    return [
        Entry("Arrange, left to right", "Ctrl+L", lambda: arrange("LR"), why_not),
        Entry("Arrange, top to bottom", "Ctrl+Shift+L", lambda: arrange("TB"), why_not),
        Entry("Arrange, organic", "Ctrl+Alt+L", lambda: arrange("organic"), why_not),
        Entry("Tidy new nodes", "Shift+L", lambda: arrange("tidy"), why_not),
        Entry("Fit everything", "Home", verbs.camera.fit_all, no_node),
    ]
