"""Edit and fork: the changes that the user has staged over checkpoints, and what would
come of them.

Nothing runs and no store changes before `apply`. Each checkpoint keeps its own changes
until they are applied or discarded, also while the user looks elsewhere. The host says
what would come of them: the last question wins, and nothing waits for the answer.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import NamedTuple, Protocol

from pydantic import BaseModel
from PySide6.QtCore import QObject, QTimer, Signal

from designer.model.staged_changes import Changes, Draft
from designer.session.client import Done
from designer.session.draft_pages import NO_CHANGES, Pages
from designer.session.failures import reply_to
from designer.session.latest_question import Body, LatestQuestion
from designer.session.mirror import Mirror
from designer.session.questions import Questions
from runtime.debug.protocol import (
    Moment,
    Patch,
    PatchChange,
    PatchParseArguments,
    PatchParseBody,
    PatchPlanArguments,
    PatchPlanBody,
    Reply,
)
from runtime.values.words import counted

DEBOUNCE = 120  # ms after the last key until the host is asked what would come of it
DEPTH = 4  # levels of the value trees of the preview


class StagedDraft(NamedTuple):
    """A draft for the timeline: over which checkpoint, its name, how many changes."""

    checkpoint_id: str
    name: str
    changes: int


class Restore(Protocol):
    def __call__(
        self,
        checkpoint_id: str,
        branch: str = "",
        done: Done | None = None,
        *,
        patch: Patch | None = None,
    ) -> None: ...


class StagedPatch(QObject):
    """A part of the session.

    checkpoint  the one whose copy is edited; "" while the task is closed
    failure     why it is not known what would come of the changes; "" if it is known
    """

    changed = Signal()  # the changes, their names, or whether the task is open
    planned = Signal()  # plan or failure

    def __init__(
        self, mirror: Mirror, questions: Questions, restore: Restore, parent: QObject
    ) -> None:
        super().__init__(parent)
        self.checkpoint = ""
        self.failure = ""
        self._mirror = mirror
        self._questions = questions
        self._restore = restore
        self._pages: dict[str, Pages] = {}
        self._was_live = False
        self._planned_patch: Patch | None = None
        # What was asked last, and what the last answer is about.
        self._asked_for: tuple[str, Draft] | None = None
        self._planned_for: tuple[str, Draft] | None = None
        # The changes whose guards the host has filled in, as they are since.
        self._guarded: dict[tuple[str, str], PatchChange] = {}
        self._plan = LatestQuestion(
            "patch_plan", PatchPlanBody, self._ask, questions.drop, self._on_plan
        )
        self._pause = QTimer(self, interval=DEBOUNCE, singleShot=True)
        self._pause.timeout.connect(self._ask_plan)
        mirror.changed.connect(self._follow)
        mirror.viewed.connect(self._on_viewed)

    # --- what is staged ---

    @property
    def is_on(self) -> bool:
        return self.checkpoint != ""

    @property
    def draft(self) -> Draft:
        return self._draft_of(self.checkpoint)

    @property
    def count(self) -> int:
        return len(self.draft.changes)

    @property
    def drafts(self) -> list[StagedDraft]:
        """All drafts with changes, and the one that is edited."""
        drafts = []
        for checkpoint_id, pages in self._pages.items():
            count = len(pages.draft.changes)
            if count or checkpoint_id == self.checkpoint:
                drafts.append(StagedDraft(checkpoint_id, pages.draft.name, count))
        return drafts

    @property
    def patch(self) -> Patch:
        """The changes as a patch, as a file keeps them."""
        draft = self.draft
        return Patch(name=draft.name, made_for=self.checkpoint, changes=draft.changes)

    @property
    def plan(self) -> PatchPlanBody | None:
        """What would come of the changes, as far as it is known: the newest answer."""
        plan = self._plan.answer
        if plan is None or plan.checkpoint_id != self.checkpoint:
            return None
        return plan

    @property
    def is_current(self) -> bool:
        """Whether `plan` or `failure` is about the present changes."""
        return self._planned_for == (self.checkpoint, self.draft)

    @property
    def problems(self) -> Mapping[str, tuple[str, ...]]:
        """What is wrong with each change, by its id; "" for all of them."""
        problems: dict[str, tuple[str, ...]] = {}
        for problem in self.plan.problems if self.plan is not None else ():
            problems[problem.change] = (*problems.get(problem.change, ()), problem.text)
        return problems

    @property
    def warnings(self) -> Mapping[str, tuple[str, ...]]:
        """What is worth knowing about each change, by its id."""
        warnings: dict[str, tuple[str, ...]] = {}
        for warning in self.plan.warnings if self.plan is not None else ():
            warnings[warning.change] = (*warnings.get(warning.change, ()), warning.text)
        return warnings

    @property
    def original(self) -> Moment | None:
        """The level that is shown, as it is without the changes."""
        return self._mirror.seen_original

    @property
    def requests_of(self) -> Moment | None:
        """The outermost moment without the changes, which has the questions."""
        return self._mirror.original

    @property
    def run(self) -> tuple[str, ...]:
        """The keys of the invocations that lead to the level that is shown."""
        return self._mirror.runs_inside

    @property
    def wrong(self) -> int:
        """How many things are wrong with the changes."""
        return sum(len(texts) for texts in self.problems.values())

    @property
    def branch(self) -> str:
        """The name of the branch that the changes will make: the user's, or a free one."""
        if self.draft.name:
            return self.draft.name
        name = f"edit of {self._mirror.timeline.name(self.checkpoint)}"
        taken = {lane.branch for lane in self._mirror.timeline.lanes}
        proposed = name
        number = 2
        while proposed in taken:
            proposed = f"{name} ({number})"
            number += 1
        return proposed

    @property
    def why_no_name(self) -> str:
        """Why the branch cannot have its name; "" if it can."""
        taken = {lane.branch for lane in self._mirror.timeline.lanes}
        if self.branch in taken:
            return f"There is a branch '{self.branch}' already. Choose another name."
        return ""

    @property
    def why_not(self) -> str:
        """Why the changes cannot be applied; "" if they can."""
        if not self.count:
            return "Change something first."
        if self.wrong:
            return f"{counted(self.wrong, 'error')} to fix first."
        if self.why_no_name:
            return self.why_no_name
        if not self.is_current:
            return "The changes are being checked."
        if self.plan is None:
            return self.failure or "The changes could not be checked."
        return ""

    # --- opening and leaving ---

    def begin(self, checkpoint_id: str) -> None:
        """Edit a copy of a checkpoint. It is shown as the past, also if the run stands
        there, so that it stays while the run goes on.
        """
        if not checkpoint_id:
            return
        self._was_live = self._mirror.mode == "live"
        self._pages.setdefault(checkpoint_id, Pages())
        self.checkpoint = checkpoint_id
        if self._mirror.viewing != checkpoint_id:
            self._mirror.look_at(checkpoint_id)
        self._mirror.changed.emit()
        self.changed.emit()
        self._ask_plan()

    def leave(self) -> None:
        """Close the task. The changes are kept."""
        if not self.is_on:
            return
        self._close()
        if self._was_live:
            self._mirror.look_live()
            self._mirror.show_live()
        else:
            self._mirror.changed.emit()

    def forget(self) -> None:
        """Drop everything, because another document is shown."""
        self._pages.clear()
        if self.is_on:
            self._close()

    # --- staging ---

    def stage(self, change: PatchChange, *, typing: object = None) -> str:
        """Add a change, or put it in the place of the one about the same thing. While
        `typing` is the same, the steps of undo are one. Return its id.
        """
        before = self.draft
        draft = before.with_change(change)
        self.put(draft, typing=typing)
        known = {each.id: each for each in before.changes}
        new = (each.id for each in draft.changes if known.get(each.id) != each)
        return next(new, change.id)

    def put(self, draft: Draft, *, typing: object = None) -> None:
        """Take other changes in place of the present ones, as one step."""
        if draft == self.draft or not self.is_on:
            return
        self._pages[self.checkpoint].put(draft, typing)
        self._on_changed()

    def settle(self) -> None:
        """The user has typed to the end: the next letter is a step of its own."""
        if self.is_on:
            self._pages[self.checkpoint].typing = None

    def take_back(self, *ids: str) -> None:
        """Undo some changes on their own, wherever they stand in the list."""
        self.put(self.draft.without(ids))

    def name(self, name: str) -> None:
        """Name the branch that the changes will make."""
        self.put(self.draft.named(name), typing="name")

    @property
    def can_undo(self) -> bool:
        return self.is_on and self._pages[self.checkpoint].at > 0

    @property
    def can_redo(self) -> bool:
        if not self.is_on:
            return False
        pages = self._pages[self.checkpoint]
        return pages.at < len(pages.steps) - 1

    def undo(self) -> None:
        if self.can_undo:
            self._step(-1)

    def redo(self) -> None:
        if self.can_redo:
            self._step(1)

    def discard(self) -> None:
        """Drop all changes over the checkpoint, for good, and close the task."""
        self._pages.pop(self.checkpoint, None)
        self.leave()

    def load(self, patch: Patch) -> None:
        """Take the changes of a patch in place of the present ones. The host says which
        of them do not fit here.
        """
        self.put(Draft(patch.changes, patch.name))

    # --- applying ---

    def apply(self, done: Done | None = None) -> None:
        """Make the fork, and stand there. The changes belong to the fork then."""
        checkpoint_id = self.checkpoint
        if not checkpoint_id:
            return

        def on_reply(reply: Reply) -> None:
            if reply.success:
                self._pages.pop(checkpoint_id, None)
                if self.checkpoint == checkpoint_id:
                    self._close()
                self.changed.emit()
            reply_to(done, reply)

        self._restore(checkpoint_id, self.branch, on_reply, patch=self.patch)

    # --- asking the host ---

    def read(
        self, change: PatchChange, done: Callable[[PatchParseBody | None], None]
    ) -> None:
        """Ask what a change would replace, as JSON, and of which type it may be."""
        self.read_at(self.checkpoint, change, done, others=self.draft.changes)

    def read_at(
        self,
        checkpoint_id: str,
        change: PatchChange,
        done: Callable[[PatchParseBody | None], None],
        *,
        others: Changes = (),
    ) -> None:
        """Ask the same of any checkpoint, on which nothing is staged."""
        arguments = PatchParseArguments(
            checkpoint_id=checkpoint_id, change=change, others=others
        )
        ask = self._questions.ask_workflow
        ask("patch_parse", arguments, PatchParseBody, done)

    def _ask(
        self,
        command: str,
        arguments: BaseModel,
        body: type[Body],
        done: Callable[[Body | None], None],
        sent: Callable[[int], None],
    ) -> None:
        ask = self._questions.ask_workflow
        ask(command, arguments, body, done, self._complain, sent)

    def _complain(self, reply: Reply) -> None:
        self.failure = "" if reply.success else reply.message

    def _ask_plan(self) -> None:
        self._pause.stop()
        if not self.is_on:
            return
        self._asked_for = (self.checkpoint, self.draft)
        self._planned_patch = self.patch
        self._plan.ask(
            PatchPlanArguments(
                checkpoint_id=self.checkpoint,
                patch=self.patch,
                depth=DEPTH,
                inside=self._mirror.way,
                runs=self._mirror.viewer.runs,
            )
        )
        self._ask_guards()

    def _on_plan(self) -> None:
        self._planned_for = self._asked_for
        self._show_plan()
        self.planned.emit()

    def _show_plan(self) -> None:
        plan = self.plan
        if plan is None:
            self._mirror.show_preview(None)
        else:
            self._mirror.show_preview(plan.moment, self._planned_patch)

    def _ask_guards(self) -> None:
        """Let the host fill in what stood at the place of each change, so that the
        patch knows on other checkpoints whether it fits.
        """
        checkpoint_id = self.checkpoint
        for change in self.draft.changes:
            name = (checkpoint_id, change.id)
            if self._guarded.get(name) != change:
                self._guarded[name] = change
                self.read(change, partial(self._on_guard, checkpoint_id, change))

    def _on_guard(
        self, checkpoint_id: str, change: PatchChange, body: PatchParseBody | None
    ) -> None:
        pages = self._pages.get(checkpoint_id)
        if body is None or body.change == change or pages is None:
            return
        guarded = body.change
        self._guarded[checkpoint_id, change.id] = guarded
        # In every step, so that undo leads to no change without its guard.
        pages.steps = [_with(draft, change, guarded) for draft in pages.steps]
        if checkpoint_id == self.checkpoint:
            self._planned_for = _guarded(self._planned_for, change, guarded)
            self._asked_for = _guarded(self._asked_for, change, guarded)

    # --- following ---

    def _draft_of(self, checkpoint_id: str) -> Draft:
        pages = self._pages.get(checkpoint_id)
        return pages.draft if pages is not None else NO_CHANGES

    def _step(self, by: int) -> None:
        pages = self._pages[self.checkpoint]
        pages.at += by
        pages.typing = None
        self._on_changed()

    def _on_changed(self) -> None:
        self._pause.start()
        self.changed.emit()

    def _close(self) -> None:
        pages = self._pages.get(self.checkpoint)
        if pages is not None and not pages.draft.changes and pages.at == 0:
            del self._pages[self.checkpoint]
        self.checkpoint = ""
        self.failure = ""
        self._planned_for = None
        self._pause.stop()
        self._plan.forget()
        self._mirror.show_preview(None)
        self.changed.emit()

    def _follow(self) -> None:
        """Edit a copy of what the user looks at; nothing once that is not the past."""
        if not self.is_on:
            return
        viewing = self._mirror.viewing
        if viewing is None:
            self._close()
        elif viewing != self.checkpoint:
            self._close()
            self._was_live = False
            self._pages.setdefault(viewing, Pages())
            self.checkpoint = viewing
            self.changed.emit()
            self._pause.start()

    def _on_viewed(self) -> None:
        """The level that is shown may be another one, of which the plan says nothing."""
        if self.is_on and self.plan is not None:
            inside = self.plan.moment.inside
            way = inside.way if inside is not None else ()
            if way != self._mirror.way and not self._pause.isActive():
                self._pause.start()


def _guarded(
    place: tuple[str, Draft] | None, change: PatchChange, guarded: PatchChange
) -> tuple[str, Draft] | None:
    if place is None:
        return None
    checkpoint_id, draft = place
    return checkpoint_id, _with(draft, change, guarded)


def _with(draft: Draft, change: PatchChange, guarded: PatchChange) -> Draft:
    changes = tuple(guarded if each == change else each for each in draft.changes)
    return Draft(changes, draft.name)
