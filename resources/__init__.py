"""Files that come with the program: examples, icons, themes, fonts, the guide, the JSON Schema."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parent
EXAMPLES = (  # in the order of the start page
    "licence_audit",
    "review_loop",
    "lost_join",
    "orders_report",
    "log_summary",
    "loan_plan",
    "city_weather",
    "this_machine",
)


@dataclass(frozen=True, slots=True)
class Example:
    """A workflow to try. `path` is its document; its modules and its README stand beside it."""

    name: str
    title: str
    description: str
    tags: tuple[str, ...]
    path: Path


def examples() -> list[Example]:
    """The examples that come with the program. Their READMEs say how they are shown."""
    return [_example(ROOT / "examples" / name) for name in EXAMPLES]


def _example(folder: Path) -> Example:
    """Title, description and tags are the first three paragraphs of the README."""
    title, description, tags = (
        (folder / "README.md").read_text(encoding="utf-8").split("\n\n")[:3]
    )
    return Example(
        name=folder.name,
        title=title.removeprefix("# "),
        description=" ".join(description.split()),
        tags=tuple(tags.removeprefix("Tags: ").strip().split(", ")),
        path=folder / f"{folder.name}.stepwell.json",
    )
