"""The commands of the window with those for what installed packages bring: one for each layout, one for each theme."""

from __future__ import annotations

from dataclasses import replace

from designer.look.packaged_themes import PACKAGED as THEMES
from designer.model.layout.arrange import PACKAGED as LAYOUTS
from designer.packages import title_of
from designer.panels.values.viewers import PACKAGED as VIEWERS
from designer.shell.actions import ACTIONS, ActionSpec

_LAST_LAYOUT = "layout-organic"
_LAST_THEME = "theme-contrast-dark"
_BUTTON = "layout"


def all_actions() -> tuple[ActionSpec, ...]:
    """The table, and behind our last layout and our last theme those of packages. Imports nothing of packages."""
    found: list[ActionSpec] = []
    for spec in ACTIONS:
        found.append(_with_more(spec) if spec.id == _BUTTON else spec)
        if spec.id == _LAST_LAYOUT:
            found += [_layout(spec, name) for name in LAYOUTS.names()]
        elif spec.id == _LAST_THEME:
            found += [_theme(spec, name) for name in THEMES.names()]
    return tuple(found)


def packaged_ids() -> tuple[str, ...]:
    """The ids of the commands that packages bring."""
    return (*map(_layout_id, LAYOUTS.names()), *map(_theme_id, THEMES.names()))


def left_out() -> list[str]:
    """What is to be told of packages whose names are taken."""
    return [
        text for plugins in (LAYOUTS, THEMES, VIEWERS) for text in plugins.left_out()
    ]


def _layout(ours: ActionSpec, name: str) -> ActionSpec:
    text = f"Layout, {title_of(name)}"
    return replace(
        ours,
        id=_layout_id(name),
        text=text,
        shortcut="",
        run=lambda w: w.workspace.canvas.arranger.arrange(name),
    )


def _theme(ours: ActionSpec, name: str) -> ActionSpec:
    title = title_of(name)
    return replace(
        ours,
        id=_theme_id(name),
        text=f"{title[:1].upper()}{title[1:]} theme",
        run=lambda w: w.choose_theme(name),
        checked=lambda w: w.settings.values.theme == name,
    )


def _with_more(button: ActionSpec) -> ActionSpec:
    """The button of layouts, with those of packages in its menu."""
    at = button.more.index(_LAST_LAYOUT) + 1
    packaged = map(_layout_id, LAYOUTS.names())
    return replace(button, more=(*button.more[:at], *packaged, *button.more[at:]))


def _layout_id(name: str) -> str:
    return f"layout.{name}"


def _theme_id(name: str) -> str:
    return f"theme.{name}"
