"""The picture of imports between the rooms of a package: floors, arrows, circles.

A room is a module or folder at the top of a package; in `designer` it is one level
deeper, because its top folders are large. The order of rooms is that of the import
contracts of the kind `layers` in pyproject.toml.
"""

from __future__ import annotations

import statistics
import tomllib
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple
from xml.sax.saxutils import escape

import networkx as nx

from tests.house_sources import Import, Kind, circles, imports_of, read_sources

# How many names below the first one tell a room; else 1.
DEPTHS = {"designer": 2, "runtime.debug": 2}


@dataclass(frozen=True)
class Layers:
    """One import contract of the kind `layers`, with the rank of each of its modules.

    The top layer has rank 0.
    """

    name: str
    ranks: Mapping[str, int]
    independent: frozenset[int]  # the ranks whose modules must not import each other

    def named(self, module: str) -> str | None:
        """Return the module of the contract that `module` is or lies in."""
        while module and module not in self.ranks:
            module = module.rpartition(".")[0]
        return module or None

    def forbids(self, importer: str, imported: str) -> bool:
        upper, lower = self.named(importer), self.named(imported)
        if upper is None or lower is None or upper == lower:
            return False
        if self.ranks[upper] == self.ranks[lower]:
            return self.ranks[upper] in self.independent
        return self.ranks[upper] > self.ranks[lower]


def read_layers(root: Path) -> list[Layers]:
    with (root / "pyproject.toml").open("rb") as file:
        settings = tomllib.load(file).get("tool", {}).get("importlinter", {})
    contracts = []
    for contract in settings.get("contracts", []):
        if contract["type"] != "layers":
            continue
        for container in contract.get("containers", [""]):
            ranks: dict[str, int] = {}
            independent = set()
            for rank, layer in enumerate(contract["layers"]):
                # `a | b` must not import each other, `a : b` may; `(a)` need not exist.
                members = [
                    member.strip(" ()") for member in layer.replace(":", "|").split("|")
                ]
                ranks.update(
                    (f"{container}.{member}".strip("."), rank) for member in members
                )
                if "|" in layer:
                    independent.add(rank)
            contracts.append(Layers(contract["name"], ranks, frozenset(independent)))
    return contracts


@dataclass
class Arrow:
    """All imports from one room to another."""

    kinds: Counter[Kind] = field(default_factory=Counter)
    against: list[Import] = field(default_factory=list)

    def __str__(self) -> str:
        return ", ".join(
            f"{self.kinds[kind]} {kind}"
            for kind in ("load", "lazy", "type")
            if self.kinds[kind]
        )


@dataclass
class Rooms:
    """The rooms of a package and the imports between them."""

    package: str
    rooms: set[str] = field(default_factory=set)
    arrows: dict[tuple[str, str], Arrow] = field(default_factory=dict)

    @classmethod
    def read(cls, root: Path, package: str, depth: int | None = None) -> Rooms:
        picture = cls(package)
        sources = read_sources(root, package)
        contracts = read_layers(root)
        if depth is None:
            depth = DEPTHS.get(package, 1)

        def room_of(module: str) -> str:
            return room_name(module, depth)

        picture.rooms = {room_of(source.module) for source in sources} - {package}
        for item in imports_of(sources):
            ends = room_of(item.importer), room_of(item.imported)
            # The package itself only hands on the public names.
            if ends[0] == ends[1] or package in ends:
                continue
            arrow = picture.arrows.setdefault(ends, Arrow())
            arrow.kinds[item.kind] += 1
            if any(
                contract.forbids(item.importer, item.imported) for contract in contracts
            ):
                arrow.against.append(item)
        return picture

    @property
    def against(self) -> dict[tuple[str, str], Arrow]:
        return {ends: arrow for ends, arrow in self.arrows.items() if arrow.against}

    @property
    def circles(self) -> list[list[str]]:
        return circles(self.arrows)

    @property
    def circles_at_load(self) -> list[list[str]]:
        return circles(
            ends for ends, arrow in self.arrows.items() if arrow.kinds["load"]
        )

    def floors(self) -> dict[str, int]:
        """Return each room's floor: it lies above every room that it imports.

        Arrows against the layers do not count, and rooms of one circle share a floor.
        """
        graph = nx.DiGraph()
        graph.add_nodes_from(self.rooms)
        graph.add_edges_from(
            ends for ends, arrow in self.arrows.items() if not arrow.against
        )
        groups = nx.condensation(graph)
        floors: dict[str, int] = {}
        for group in reversed(list(nx.topological_sort(groups))):
            members = groups.nodes[group]["members"]
            below = [
                floors[room]
                for member in members
                for room in graph[member]
                if room not in members
            ]
            floors.update(dict.fromkeys(members, max(below, default=-1) + 1))
        return floors

    def short(self, room: str) -> str:
        return room.removeprefix(self.package + ".")


def room_name(module: str, depth: int) -> str:
    """Return the room that a module is in, by its dotted name."""
    return ".".join(module.split(".")[: depth + 1])


def room_lines(picture: Rooms) -> Iterator[str]:
    """Describe the rooms by floor, the arrows, and the circles."""
    floors = picture.floors()
    yield (
        f"{picture.package}: {len(picture.rooms)} rooms "
        f"on {len(set(floors.values()))} floors, "
        f"{len(picture.arrows)} arrows, {len(picture.against)} against the layers, "
        f"{len(picture.circles)} circles ({len(picture.circles_at_load)} at load)"
    )
    for floor in sorted(set(floors.values()), reverse=True):
        rooms = sorted(picture.short(room) for room in floors if floors[room] == floor)
        yield f"  floor {floor}: {', '.join(rooms)}"
    yield "Arrows"
    for (importer, imported), arrow in sorted(
        picture.arrows.items(), key=lambda pair: pair[0]
    ):
        yield f"  {picture.short(importer)} -> {picture.short(imported)}  {arrow}"
    yield "Against the layers" + ("" if picture.against else ": none")
    for _, arrow in sorted(picture.against.items(), key=lambda pair: pair[0]):
        for item in sorted(arrow.against):
            yield f"  {item.importer} -> {item.imported}  {item.kind}"
    yield "Circles" + ("" if picture.circles else ": none")
    for circle in picture.circles:
        yield f"  {len(circle)}: {', '.join(map(picture.short, circle))}"


def rooms_as_data(picture: Rooms) -> dict[str, Any]:
    return {
        "rooms": sorted(picture.rooms),
        "floors": picture.floors(),
        "arrows": [
            {
                "from": importer,
                "to": imported,
                **arrow.kinds,
                "against": [list(item) for item in arrow.against],
            }
            for (importer, imported), arrow in sorted(
                picture.arrows.items(), key=lambda pair: pair[0]
            )
        ],
        "circles": picture.circles,
        "circles_at_load": picture.circles_at_load,
    }


# --- pictures ---


def draw(picture: Rooms, file: Path) -> None:
    text = svg(picture) if file.suffix == ".svg" else dot(picture)
    file.write_text(text, encoding="utf-8")


def dot(picture: Rooms) -> str:
    lines = ["digraph rooms {", "  node [shape=box, fontname=sans];"]
    floors = picture.floors()
    for floor in sorted(set(floors.values())):
        rooms = " ".join(
            f'"{picture.short(room)}";'
            for room in sorted(floors)
            if floors[room] == floor
        )
        lines.append(f"  {{ rank=same; {rooms} }}")
    for (importer, imported), arrow in sorted(
        picture.arrows.items(), key=lambda pair: pair[0]
    ):
        style = "color=red, constraint=false" if arrow.against else "color=gray40"
        if not arrow.kinds["load"]:
            style += ", style=dashed"
        lines.append(
            f'  "{picture.short(importer)}" -> "{picture.short(imported)}" [{style}];'
        )
    return "\n".join([*lines, "}", ""])


BOX_HEIGHT = 28
FLOOR_HEIGHT = 110
GAP = 18
MARGIN = 30


class Box(NamedTuple):
    x: float
    y: float
    width: float


def svg(picture: Rooms) -> str:
    """Draw the rooms floor by floor.

    Red arrows run against the layers, dashed ones do not exist at load.
    """
    boxes, width, height = placed(picture)
    size = f'width="{width:.0f}" height="{height:.0f}"'
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="sans-serif">',
        '<rect width="100%" height="100%" fill="white"/>',
        marker("gray"),
        marker("red"),
    ]
    for (importer, imported), arrow in sorted(
        picture.arrows.items(), key=lambda pair: pair[0]
    ):
        lines.append(arrow_path(boxes[importer], boxes[imported], arrow))
    for room, box in boxes.items():
        name = escape(picture.short(room))
        lines.append(
            f'<rect x="{box.x:.0f}" y="{box.y:.0f}" '
            f'width="{box.width:.0f}" height="{BOX_HEIGHT}" rx="5" '
            'fill="#eef3fa" stroke="#3b5b8c"/>'
        )
        middle = box.x + box.width / 2
        lines.append(
            f'<text x="{middle:.0f}" y="{box.y + 18:.0f}" '
            f'font-size="12" text-anchor="middle">{name}</text>'
        )
    return "\n".join([*lines, "</svg>", ""])


def marker(colour: str) -> str:
    return (
        f'<marker id="{colour}" viewBox="0 0 8 8" refX="8" refY="4" '
        'markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0,0 L8,4 L0,8 z" fill="{colour}"/></marker>'
    )


def placed(picture: Rooms) -> tuple[dict[str, Box], float, float]:
    """Return a box for each room, and the size of the picture.

    A room is drawn near the rooms that import it.
    """
    floors = picture.floors()
    top = max(floors.values(), default=0)
    by_floor: dict[int, list[str]] = defaultdict(list)
    for room in sorted(floors):
        by_floor[floors[room]].append(room)
    widths = {room: 16 + 7.2 * len(picture.short(room)) for room in floors}
    floor_widths = {
        floor: sum(widths[room] for room in rooms) + GAP * (len(rooms) - 1)
        for floor, rooms in by_floor.items()
    }
    # A tall house is drawn wide too, or its arrows would lie on each other.
    usable = max(*floor_widths.values(), FLOOR_HEIGHT * top * 0.7)
    picture_width = usable + 2 * MARGIN
    centres: dict[str, float] = {}
    boxes: dict[str, Box] = {}
    for floor in range(top, -1, -1):
        rooms = by_floor[floor]
        importers = {
            room: [
                centres[importer]
                for importer, imported in picture.arrows
                if imported == room and importer in centres
            ]
            for room in rooms
        }
        rooms.sort(
            key=lambda room: (
                statistics.fmean(importers[room])
                if importers[room]
                else picture_width / 2
            )
        )
        gap = GAP + (usable - floor_widths[floor]) / len(rooms)
        # Floors lean left and right in turn, so that arrows pass beside single rooms.
        x = MARGIN + (gap - GAP) * (0.25 if floor % 2 else 0.75)
        for room in rooms:
            boxes[room] = Box(x, MARGIN + (top - floor) * FLOOR_HEIGHT, widths[room])
            centres[room] = x + widths[room] / 2
            x += widths[room] + gap
    return boxes, picture_width, 2 * MARGIN + top * FLOOR_HEIGHT + BOX_HEIGHT


def arrow_path(importer: Box, imported: Box, arrow: Arrow) -> str:
    downward = importer.y <= imported.y
    x1 = importer.x + importer.width / 2
    x2 = imported.x + imported.width / 2
    y1 = importer.y + BOX_HEIGHT if downward else importer.y
    y2 = imported.y if downward and importer.y < imported.y else imported.y + BOX_HEIGHT
    bend = 40 if downward else -40
    end_bend = -bend if importer.y < imported.y else 40
    colour = "red" if arrow.against else "gray"
    dashes = "" if arrow.kinds["load"] else ' stroke-dasharray="4 3"'
    strength = 1.4 if arrow.against else 0.7
    return (
        f'<path d="M{x1:.0f},{y1:.0f} C{x1:.0f},{y1 + bend:.0f} '
        f'{x2:.0f},{y2 + end_bend:.0f} {x2:.0f},{y2:.0f}" '
        f'fill="none" stroke="{colour}" stroke-width="{strength}" '
        f'marker-end="url(#{colour})"{dashes}/>'
    )
