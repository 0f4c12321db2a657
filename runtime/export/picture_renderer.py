"""A picture drawn by matplotlib, in the colours of the light theme. Sub-workflows are
drawn inside their boxes.
"""

from __future__ import annotations

import io
import textwrap
import unicodedata
import warnings
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from runtime.errors import ExtraMissingError
from runtime.export.picture_graph import Box, Line, Look, Picture, proper
from runtime.export.picture_layout import Edge, Placed, Point, Route, Size, layered

if TYPE_CHECKING:
    from matplotlib.axes import Axes

# All sizes are points, 1/72 inch.
_MARGIN = 24.0
_PAD = 18.0
_TITLE = 24.0
_FONT = 10.0
_SMALL = 8.0
# characters, characters, lines
_WIDEST_NAME = 30
_WIDEST_LABEL = 34
_MOST_LINES = 3
_HEAD = (7.0, 3.2)  # of an arrow: length, half of its width
_DPI = 144
# how far an East Asian letter goes, and one that Inter does not have
_WIDE = 1.05
_UNKNOWN = 0.8

_COLOURS = {
    "canvas": "#F5F6F8", "panel": "#FAFBFC", "node": "#FFFFFF", "line2": "#B3BAC6", "edge": "#798190",
    "text": "#191C22", "text2": "#505766", "text3": "#616877", "accent": "#2460DB", "accentSoft": "#E2ECFF",
    "ok": "#12743B", "okSoft": "#DEF3E6", "warn": "#8F5600", "warnSoft": "#FDF0D5",
    "past": "#6438C9", "pastSoft": "#EDE7FC", "ask": "#0B6F69", "askSoft": "#D9F2EF",
}  # fmt: skip
# Fill, border and text of each look.
_LOOKS = {
    Look.EXECUTOR: ("node", "line2", "text"),
    Look.START: ("okSoft", "ok", "text"),
    Look.WORKFLOW: ("panel", "line2", "text2"),
    Look.JOIN: ("accentSoft", "accent", "accent"),
    Look.SWITCH: ("warnSoft", "warn", "warn"),
    Look.SELECTION: ("pastSoft", "past", "past"),
    Look.INTERNAL: ("canvas", "canvas", "text3"),
}
# For letters that Inter does not have: the first that are installed.
_MORE_FONTS = (
    "Noto Sans CJK JP",
    "Noto Sans CJK SC",
    "IPAexGothic",
    "WenQuanYi Micro Hei",
    "DejaVu Sans",
)


def draw(picture: Picture, format: str) -> bytes:
    """The bytes of an SVG, PNG or PDF file. Raise `ExtraMissingError` where matplotlib
    is not installed.
    """
    try:
        import matplotlib as mpl
        from matplotlib.figure import Figure
    except ImportError as error:
        raise ExtraMissingError("Drawing a picture", "matplotlib", "viz") from error

    sheet = _Sheet.of(picture)
    width, height = (side + 2 * _MARGIN for side in sheet.size)
    settings: Any = {
        "svg.hashsalt": "stepwell", "svg.fonttype": "none", "font.family": _families(), "pdf.fonttype": 3,
    }  # fmt: skip
    with mpl.rc_context(settings), warnings.catch_warnings():
        # A letter that no installed font has is a box in PNG and PDF. In SVG it is
        # text, which the viewer's fonts show.
        warnings.filterwarnings(
            "ignore", r"Glyph .* missing from (current )?font", UserWarning
        )
        figure = Figure(
            figsize=(width / 72, height / 72), dpi=_DPI, facecolor=_COLOURS["canvas"]
        )
        axes = figure.add_axes((0.0, 0.0, 1.0, 1.0), xlim=(0, width), ylim=(height, 0))
        axes.axis("off")
        _Pen(axes).sheet(sheet, (_MARGIN, _MARGIN))
        out = io.BytesIO()
        figure.savefig(
            out,
            format=format,
            dpi=_DPI,
            facecolor=_COLOURS["canvas"],
            metadata=_METADATA[format],
        )
    return out.getvalue()


# Without a date, so that one workflow gives the same bytes on any day.
_METADATA: dict[str, dict[str, Any]] = {
    "svg": {"Date": None, "Creator": "Stepwell"},
    "png": {"Software": "Stepwell"},
    "pdf": {"CreationDate": None, "Creator": "Stepwell"},
}

# --- sizes --------------------------------------------------------------------------------------------------------


@cache
def _families() -> tuple[str, ...]:
    """Inter, and what is there for other letters."""
    from matplotlib import font_manager

    with as_file(files("resources") / "fonts" / "Inter-Regular.otf") as file:
        font_manager.fontManager.addfont(file)
    installed = {entry.name for entry in font_manager.fontManager.ttflist}
    return ("Inter", *(name for name in _MORE_FONTS if name in installed))


@cache
def _face() -> Any:
    from matplotlib.font_manager import FontProperties, findfont, get_font

    _families()
    face = get_font(findfont(FontProperties(family="Inter")))
    face.set_size(100.0, 72)
    return face


@cache
def _advance(char: str) -> float:
    """Return the width of a letter in a font of size 1."""
    if unicodedata.east_asian_width(char) in "WF":
        return _WIDE
    index = _face().get_char_index(ord(char))
    if index:
        return float(_face().load_glyph(index).linearHoriAdvance) / 65536 / 100
    return _UNKNOWN


def _text_size(lines: list[str], size: float) -> Size:
    width = max((sum(map(_advance, line)) for line in lines), default=0.0) * size
    return width, len(lines) * size * 1.3


def _wrapped(text: str, most: int) -> list[str]:
    """Return at most three lines that fit. An ellipsis marks left-out text."""
    lines = [
        part or " "
        for line in proper(text).replace("\t", " ").split("\n")
        for part in textwrap.wrap(line, most) or [" "]
    ]
    if len(lines) <= _MOST_LINES:
        return lines
    return [*lines[: _MOST_LINES - 1], lines[_MOST_LINES - 1][: most - 1] + "…"]


@dataclass(slots=True)
class _Shape:
    """A box with its size and its lines of text."""

    box: Box
    lines: list[str]
    size: Size
    inner: _Sheet | None = None
    loop: Size = (0.0, 0.0)  # room that its lines to itself take on its right

    @classmethod
    def of(cls, box: Box) -> _Shape:
        lines = _wrapped(box.label, _WIDEST_NAME)
        width, height = _text_size(lines, _FONT)
        if box.inner is not None:
            sheet = _Sheet.of(box.inner)
            inside, below = sheet.size
            return cls(
                box,
                lines,
                (max(inside, width) + 2 * _PAD, below + height + _PAD + 16),
                sheet,
            )
        match box.look:
            case Look.JOIN:
                width, height = _text_size(lines, _SMALL)
                return cls(box, lines, (width + 20, height + 8))
            case Look.SWITCH | Look.SELECTION:
                width, height = _text_size(lines, _SMALL)
                return cls(box, lines, (width + 34, height + 14))
            case _:
                if box.detail and box.detail != box.label:
                    width = max(width, _text_size([_detail(box)], _SMALL)[0])
                    height += _SMALL * 1.3
                return cls(box, lines, (max(width + 28, 84.0), height + 16))


def _detail(box: Box) -> str:
    words = [proper(box.detail)[:_WIDEST_NAME]] if box.detail != box.label else []
    return " · ".join(["start", *words] if box.starts else words)


@dataclass(slots=True)
class _Sheet:
    """A picture with a place for everything. `labels` are the lines of text of each
    line that has a label.
    """

    shapes: list[_Shape]
    lines: list[Line]
    placed: Placed
    labels: list[list[str]] = field(default_factory=list)

    @property
    def size(self) -> Size:
        return self.placed.size

    @classmethod
    def of(cls, picture: Picture) -> _Sheet:
        shapes = [_Shape.of(box) for box in picture.boxes.values()]
        place = {box.key: index for index, box in enumerate(picture.boxes.values())}
        labels = [
            _wrapped(line.label, _WIDEST_LABEL) if line.label else []
            for line in picture.lines
        ]
        edges = []
        for line, text in zip(picture.lines, labels, strict=True):
            source = place[line.source]
            target = place[line.target]
            width, height = _text_size(text, _SMALL)
            size = (width + 10, height + 4) if text else (0.0, 0.0)
            edges.append(Edge(source, target, size))
            if source == target:
                shape = shapes[source]
                shape.loop = (
                    max(shape.loop[0], 26 + size[0]),
                    shape.loop[1] + max(size[1], 20),
                )
        # What leads to itself is wider on both sides, so that it stays in the middle of
        # what leads to it.
        sizes = [(s.size[0] + 2 * s.loop[0], max(s.size[1], s.loop[1])) for s in shapes]
        placed = layered(
            sizes, edges, place[picture.start], [shape.size[0] for shape in shapes]
        )
        return cls(shapes, picture.lines, placed, labels)


# --- drawing ------------------------------------------------------------------------------------------------------


class _Pen:
    """Draws on one canvas; what is drawn later lies on top."""

    def __init__(self, axes: Axes) -> None:
        self._axes = axes
        self._order = 1.0

    def sheet(self, sheet: _Sheet, origin: Point) -> None:
        """Boxes, then lines, then what is written on them."""
        centres = [(x + origin[0], y + origin[1]) for x, y in sheet.placed.centres]
        for shape, centre in zip(sheet.shapes, centres, strict=True):
            self._shape(shape, centre)
        loops = dict.fromkeys(range(len(sheet.shapes)), 0.0)
        place = {shape.box.key: index for index, shape in enumerate(sheet.shapes)}
        written: list[tuple[list[str], Point, str]] = []
        for line, text, route in zip(
            sheet.lines, sheet.labels, sheet.placed.routes, strict=True
        ):
            if route.back or not route.points:
                colour = _COLOURS["accent"]
            else:
                colour = _COLOURS["edge"]
            if not route.points:
                index = place[line.source]
                label = self._loop(
                    sheet.shapes[index],
                    centres[index],
                    loops[index],
                    line,
                    text,
                    colour,
                )
                loops[index] += max(_text_size(text, _SMALL)[1] + 4, 20)
            else:
                moved = Route(
                    [(x + origin[0], y + origin[1]) for x, y in route.points],
                    route.back,
                    route.label,
                )
                self._line(moved, line, colour)
                if route.label is None:
                    label = None
                else:
                    label = (route.label[0] + origin[0], route.label[1] + origin[1])
            if text and label:
                written.append((text, label, colour))
        for text, label, colour in written:
            self._label(text, label, colour)

    def _next(self) -> float:
        self._order += 1
        return self._order

    def _shape(self, shape: _Shape, centre: Point) -> None:
        fill, border, text = (_COLOURS[name] for name in _LOOKS[shape.box.look])
        if shape.box.starts and shape.box.look is Look.WORKFLOW:
            border = _COLOURS["ok"]
        self._outline(shape, centre, fill, border)
        if shape.inner is not None:
            top = centre[1] - shape.size[1] / 2
            self._text(
                shape.lines,
                (centre[0], top + 10 + _text_size(shape.lines, _FONT)[1] / 2),
                _FONT,
                text,
            )
            left = centre[0] - shape.inner.size[0] / 2
            self.sheet(
                shape.inner,
                (left, top + shape.size[1] - _PAD - shape.inner.size[1] + 4),
            )
            return
        small = shape.box.look in (Look.JOIN, Look.SWITCH, Look.SELECTION)
        detail = "" if small else _detail(shape.box)
        height = _text_size(shape.lines, _SMALL if small else _FONT)[1]
        below = _SMALL * 1.3 if detail else 0.0
        self._text(
            shape.lines,
            (centre[0], centre[1] - below / 2),
            _SMALL if small else _FONT,
            text,
        )
        if detail:
            colour = _COLOURS["ok" if shape.box.starts else "text3"]
            self._text([detail], (centre[0], centre[1] + height / 2), _SMALL, colour)

    def _outline(self, shape: _Shape, centre: Point, fill: str, border: str) -> None:
        from matplotlib.patches import FancyBboxPatch, Polygon

        (x, y), (width, height) = centre, shape.size
        left = x - width / 2
        top = y - height / 2
        style: dict[str, Any] = {
            "facecolor": fill,
            "edgecolor": border,
            "linewidth": 1.0,
            "zorder": self._next(),
        }
        if shape.box.look in (Look.SWITCH, Look.SELECTION):
            cut = height / 2 if shape.box.look is Look.SWITCH else height / 4
            corners = [(left, y), (left + cut, top), (left + width - cut, top), (left + width, y),
                       (left + width - cut, top + height), (left + cut, top + height)]  # fmt: skip
            self._axes.add_patch(Polygon(corners, joinstyle="round", **style))
            return
        radius = height / 2 if shape.box.look is Look.JOIN else 7.0
        if shape.box.look is Look.WORKFLOW:
            style["linestyle"] = (0, (4, 3))
        rounded = f"round,pad=0,rounding_size={radius}"
        self._axes.add_patch(
            FancyBboxPatch((left, top), width, height, boxstyle=rounded, **style)
        )

    def _text(self, lines: list[str], centre: Point, size: float, colour: str) -> None:
        step = size * 1.3
        for number, line in enumerate(lines):
            y = centre[1] + (number - (len(lines) - 1) / 2) * step
            self._axes.text(
                centre[0], y, line, size=size, color=colour, ha="center", va="center_baseline",
                parse_math=False, zorder=self._next(),
            )  # fmt: skip

    def _label(self, lines: list[str], centre: Point, colour: str) -> None:
        from matplotlib.patches import FancyBboxPatch

        width, height = _text_size(lines, _SMALL)
        corner = (centre[0] - width / 2 - 4, centre[1] - height / 2 - 1)
        style: dict[str, Any] = {
            "facecolor": _COLOURS["canvas"],
            "linewidth": 0.0,
            "zorder": self._next(),
        }
        rounded = "round,pad=0,rounding_size=4"
        self._axes.add_patch(
            FancyBboxPatch(corner, width + 8, height + 2, boxstyle=rounded, **style)
        )
        self._text(
            lines,
            centre,
            _SMALL,
            _COLOURS["text2"] if colour == _COLOURS["edge"] else colour,
        )

    def _line(self, route: Route, line: Line, colour: str) -> None:
        from matplotlib.path import Path

        points = route.points
        (x, y), down = points[-1], -1.0 if route.back else 1.0
        points = [*points[:-1], (x, y - down * _HEAD[0])]
        codes = [Path.MOVETO]
        vertices = [points[0]]
        for a, b in pairwise(points):
            half = (b[1] - a[1]) / 2
            vertices += [(a[0], a[1] + half), (b[0], b[1] - half), b]
            codes += [Path.CURVE4] * 3
        self._stroke(Path(vertices, codes), line, colour)
        self._arrow((x, y), (0.0, down), colour)

    def _loop(
        self,
        shape: _Shape,
        centre: Point,
        used: float,
        line: Line,
        text: list[str],
        colour: str,
    ) -> Point | None:
        """A line from the right side of a box to itself; the centre of its label."""
        from matplotlib.path import Path

        right = centre[0] + shape.size[0] / 2
        y = (
            centre[1]
            - shape.loop[1] / 2
            + used
            + max(_text_size(text, _SMALL)[1] + 4, 20) / 2
        )
        reach = 30.0
        half = 6.0
        path = Path(
            [
                (right, y - half),
                (right + reach, y - half),
                (right + reach, y + half),
                (right + _HEAD[0], y + half),
            ],
            [Path.MOVETO, Path.CURVE4, Path.CURVE4, Path.CURVE4],
        )
        self._stroke(path, line, colour)
        self._arrow((right, y + half), (-1.0, 0.0), colour)
        return (right + 28 + _text_size(text, _SMALL)[0] / 2, y) if text else None

    def _stroke(self, path: Any, line: Line, colour: str) -> None:
        from matplotlib.patches import PathPatch

        if line.look in (Look.CONDITION, Look.ERROR):
            dashes: Any = (0, (4, 2.5))
        else:
            dashes = "solid"
        self._axes.add_patch(
            PathPatch(
                path,
                fill=False,
                edgecolor=colour,
                linewidth=1.2,
                linestyle=dashes,
                zorder=self._next(),
            )
        )

    def _arrow(self, tip: Point, way: Point, colour: str) -> None:
        from matplotlib.patches import Polygon

        (x, y), (dx, dy), (length, half) = tip, way, _HEAD
        corners = [
            (x, y),
            (x - length * dx - half * dy, y - length * dy - half * dx),
            (x - length * dx + half * dy, y - length * dy + half * dx),
        ]
        self._axes.add_patch(
            Polygon(corners, facecolor=colour, linewidth=0.0, zorder=self._next())
        )
