"""The canvas with all its verbs, as keys and menus see it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from designer.canvas.base import Canvas

if TYPE_CHECKING:
    from designer.canvas.verbs.arrange import Arranger
    from designer.canvas.verbs.bookmarks import Bookmarks
    from designer.canvas.verbs.breakpoints import BreakpointVerbs
    from designer.canvas.verbs.commands import Commands
    from designer.canvas.verbs.condition_editor import ConditionEditor
    from designer.canvas.verbs.dots import Dots
    from designer.canvas.verbs.frame_text import FrameText
    from designer.canvas.verbs.frames import FrameVerbs
    from designer.canvas.verbs.results import ResultVerbs
    from designer.canvas.verbs.walk import Walk
    from designer.qt.keys import Press


class Key(NamedTuple):
    """What a key does, in words and in deed."""

    words: str
    act: Callable[[Verbs], object]


class Verbs(Canvas, Protocol):
    """Each verb is one undo step, and does the same from a key and from a menu."""

    @property
    def commands(self) -> Commands: ...
    @property
    def frames(self) -> FrameVerbs: ...
    @property
    def dots(self) -> Dots: ...
    @property
    def bookmarks(self) -> Bookmarks: ...
    @property
    def breakpoints(self) -> BreakpointVerbs: ...
    @property
    def results(self) -> ResultVerbs: ...
    @property
    def arranger(self) -> Arranger: ...
    @property
    def walk(self) -> Walk: ...
    @property
    def conditions(self) -> ConditionEditor: ...
    @property
    def frame_text(self) -> FrameText: ...

    @property
    def keys(self) -> Mapping[Press, Key]:
        """What each key does."""

    @property
    def key_names(self) -> Mapping[str, str]:
        """The present key for each of ours that a menu names."""

    @property
    def can_go_out(self) -> bool:
        """Whether there is a document that has this one inside."""

    def delete_selection(self) -> None:
        """Delete the chosen dot of a wire, else all that is selected."""

    def set_snap(self, on: bool) -> None:
        """Let what is dragged snap to the grid, or not."""

    def toggle_minimap(self) -> None:
        """Show or hide the overview of the drawing."""

    def hold_space(self) -> None:
        """Let a drag move the view until Space is released."""
