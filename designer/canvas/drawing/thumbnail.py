"""A picture of a workflow for a card: the real drawing, simplified, in a rectangle."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QPainter, QPen

from designer.canvas.drawing.figures import Figure, figure_of, look_of
from designer.canvas.drawing.geometry import Box, around, boxes, topology
from designer.canvas.drawing.glyphs import arrow_head
from designer.canvas.drawing.style import Style
from designer.look.theme import Theme
from designer.model.design import Design
from designer.model.edge_kinds import kind_of
from designer.model.frames import frames_of
from designer.model.layout.arrange import arrange
from runtime.document.definition import NodeInfo, WorkflowDefinition

LARGEST = 0.62


def paint_thumbnail(
    painter: QPainter, rect: QRectF, design: Design, theme: Theme
) -> None:
    """Fill `rect` with the drawing of `design`, which is laid out first if it is not
    yet.
    """
    workflow = design.workflow
    if any(node.id not in design.positions for node in workflow.nodes):
        design = Design(workflow, arrange(design), layout_extra=design.layout_extra)
    places = boxes(workflow, design.positions, _infos(workflow))
    figures = _figures(design, places)
    frames = [QRectF(*frame.rect) for frame in frames_of(design)]
    rects = [box.rect for box in places.values()]
    rects += [figure.bounds for figure in figures]
    area = around(rects + frames)
    if area.isEmpty():
        return
    style = Style(theme)
    scale = min(rect.width() / area.width(), rect.height() / area.height(), LARGEST)
    painter.save()
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setClipRect(rect)
    painter.translate(rect.center())
    painter.scale(scale, scale)
    painter.translate(-area.center())
    painter.setPen(_pen(style, "line2", 1, scale))
    painter.setBrush(style.brush("hover"))
    for frame in frames:
        painter.drawRoundedRect(frame, 8, 8)
    for figure in figures:
        _paint_figure(painter, style, figure, scale)
    off = {node.id for node in workflow.nodes if node.off}
    for box in places.values():
        _paint_box(painter, style, box, scale, off=box.id in off)
    painter.restore()


def _infos(workflow: WorkflowDefinition) -> dict[str, NodeInfo]:
    """Return what is needed of the node types, because a card has no catalogue: a node
    that only starts a switch is drawn as its diamond.
    """
    switches = {
        kind_of(edge).hub(edge) for edge in workflow.edges if kind_of(edge).is_diamond
    }
    return {
        node.type: _DIAMOND
        for node in workflow.nodes
        if node.id in switches and node.type.startswith("switch")
    }


def _figures(design: Design, places: Mapping[str, Box]) -> list[Figure]:
    known = topology(design.workflow)
    figures = []
    for edge in design.workflow.edges:
        lines = design.dots.get(edge.id, {})
        figure = figure_of(edge, places, known, None, lines)
        if figure is not None:
            figures.append(figure)
    return figures


_DIAMOND = NodeInfo(
    type="switch", title="", category="", icon="switch", figure="diamond"
)


def _pen(
    style: Style, role: str, width: float, scale: float, *, dashed: bool = False
) -> QPen:
    pen = QPen(style.colour(role), width / scale)
    if dashed:
        pen.setDashPattern([3, 2])
    return pen


def _paint_figure(
    painter: QPainter, style: Style, figure: Figure, scale: float
) -> None:
    painter.setBrush(Qt.BrushStyle.NoBrush)
    look = look_of(figure.kind)
    role = look.role
    for wire in figure.wires:
        painter.setPen(_pen(style, role, 1.4, scale, dashed=wire.dashed))
        painter.drawPath(wire.path)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(style.brush(role))
    for wire in figure.wires:
        if wire.arrow is not None:
            painter.drawPolygon(
                arrow_head(wire.arrow.x(), wire.arrow.y(), leftward=wire.leftward)
            )
    painter.setPen(_pen(style, "edge", 1, scale))
    painter.setBrush(style.brush("node"))
    for segment in figure.segments:
        painter.drawRoundedRect(segment, 3, 3)
    for tag in figure.tags:
        painter.drawRoundedRect(tag.rect, 4, 4)
    if figure.hub is not None and figure.own_hub:
        look.paint_small_hub(painter, style, figure.hub)


def _paint_box(
    painter: QPainter, style: Style, box: Box, scale: float, *, off: bool
) -> None:
    rect = box.rect
    painter.setPen(_pen(style, "line2", 1, scale, dashed=off))
    painter.setBrush(style.brush("canvas" if off else "node"))
    if box.diamond:
        centre = rect.center()
        corners = ((0, -22), (22, 0), (0, 22), (-22, 0))
        painter.drawPolygon(
            [QPointF(centre.x() + x, centre.y() + y) for x, y in corners]
        )
        return
    painter.drawRoundedRect(rect, 8, 8)
    painter.setPen(_pen(style, "line2", 3, scale))
    middle = rect.center().y()
    painter.drawLine(
        QPointF(rect.left() + rect.width() * 0.22, middle),
        QPointF(rect.left() + rect.width() * 0.78, middle),
    )
