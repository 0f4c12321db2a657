"""The commands of the window, with one for each layout and each theme of installed
packages.
"""

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
    """Return the table, with the layouts and themes of packages behind our last ones.
    Imports no package.
    """
    specs: list[ActionSpec] = []
    for spec in ACTIONS:
        specs.append(_with_more(spec) if spec.id == _BUTTON else spec)
        if spec.id == _LAST_LAYOUT:
            specs += [_layout(spec, name) for name in LAYOUTS.names()]
        elif spec.id == _LAST_THEME:
            specs += [_theme(spec, name) for name in THEMES.names()]
    return tuple(specs)


def packaged_ids() -> tuple[str, ...]:
    """Return the ids of the commands for layouts and themes of packages."""
    return (*map(_layout_id, LAYOUTS.names()), *map(_theme_id, THEMES.names()))


def left_out() -> list[str]:
    """Return a sentence for each layout, theme or viewer whose name is taken."""
    sentences = []
    for plugins in (LAYOUTS, THEMES, VIEWERS):
        sentences += plugins.left_out()
    return sentences


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
    """Return the button of layouts, with those of packages in its menu."""
    place = button.more.index(_LAST_LAYOUT) + 1
    packaged = map(_layout_id, LAYOUTS.names())
    more = (*button.more[:place], *packaged, *button.more[place:])
    return replace(button, more=more)


def _layout_id(name: str) -> str:
    return f"layout.{name}"


def _theme_id(name: str) -> str:
    return f"theme.{name}"
