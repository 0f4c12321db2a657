"""`PatchPlan`: what a checkpoint becomes by a patch, known before anything is done: which
changes cannot be made, and the state with the others.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from runtime.codec import TypeRegistry
from runtime.engine.commit import is_alive
from runtime.engine.join_history import NO_HISTORY, History
from runtime.engine.patch_joins import with_join_keys
from runtime.engine.patch_requests import change_question
from runtime.engine.restore_checks import misfits
from runtime.engine.sub_runs import Path, sub_workflow
from runtime.errors import RequestError
from runtime.patches.completed import completed
from runtime.patches.message_values import types_for
from runtime.patches.patch import Patch, PatchChange
from runtime.patches.refused import Issue, Refused
from runtime.patches.run_draft import RunDraft
from runtime.state import RunState, owner_of
from runtime.values.type_matching import describe
from runtime.values.user_failures import in_words
from runtime.values.words import counted

if TYPE_CHECKING:
    from runtime.checkpoint import Checkpoint
    from runtime.graph.workflow_graph import WorkflowGraph


@dataclass(frozen=True)
class PatchPlan:
    """What `before` becomes.

    patch     with its guards: this is what the fork keeps
    after     the checkpoint with the changes that have no problem
    problems  why changes cannot be made. With any of them nothing is applied
    warnings  what is worth knowing about the others
    history   what explains why joins wait afterwards
    made      id of a change -> the value that it sets or adds
    """

    patch: Patch
    before: Checkpoint
    after: Checkpoint
    problems: tuple[Issue, ...] = ()
    warnings: tuple[Issue, ...] = ()
    history: History = NO_HISTORY
    made: Mapping[str, Any] = field(default_factory=dict)

    def reasons(self) -> list[str]:
        """Return why the patch cannot be applied, a sentence for each change."""
        return [_words(issue) for issue in self.problems]

    def summary(self) -> str:
        """Return how much was edited, for the header of the checkpoint."""
        return counted(len(self.patch.changes), "change")


def _words(issue: Issue) -> str:
    if not issue.change:
        return issue.text
    return f"{issue.change}{issue.path and f' at {issue.path}'}: {issue.text}"


def plan_of_patch(
    workflow: WorkflowGraph, checkpoint: Checkpoint, patch: Patch, types: TypeRegistry
) -> PatchPlan:
    """Return what a checkpoint of the workflow becomes by a patch. Runs no handler and
    no condition.
    """
    patch = with_join_keys(workflow, patch)
    tree = _Tree(workflow, checkpoint, patch, types)
    for change in patch.changes:
        if change.section != "requests":
            tree.make(change)
    state = tree.with_drafts()
    state = tree.without_ended_runs(state)
    for change in patch.changes:
        if change.section == "requests":
            state = tree.with_question(state, change)
    state = tree.without_ended_runs(state)
    tree.problems += [
        Issue("", f"The state does not fit the workflow any more: {text}.")
        for text in misfits(workflow, state)
    ]
    whole_patch = patch.model_copy(
        update={
            "made_for": patch.made_for or checkpoint.header.id,
            "changes": tuple(map(tree.completed, patch.changes)),
        }
    )
    return PatchPlan(
        whole_patch,
        checkpoint,
        replace(checkpoint, state=state),
        tuple(tree.problems),
        tuple(tree.warnings),
        made=tree.made,
    )


def possible_types(
    workflow: WorkflowGraph, state: RunState, change: PatchChange
) -> tuple[str, ...]:
    """Return in words what the value of a change may be; nothing for anything."""
    try:
        run_workflow, run = _run_at(workflow, state, change.run)
        types = types_for(run_workflow, run, change)
    except Refused:
        return ()
    return tuple(dict.fromkeys(map(describe, types)))


def _run_at(
    workflow: WorkflowGraph, state: RunState, run: Path
) -> tuple[WorkflowGraph, RunState]:
    """Return a run with its workflow. Raise `Refused` if there is none."""
    for key in run:
        if key not in state.children:
            present = ", ".join(f"'{name}'" for name in state.children) or "none"
            raise Refused(
                f"There is no run '{'/'.join(run)}' here. Present are: {present}."
            )
        workflow = sub_workflow(workflow, owner_of(key))
        state = state.children[key]
    return workflow, state


class _Tree:
    """A run and the runs of its sub-workflows, while a patch is applied to them."""

    def __init__(
        self,
        workflow: WorkflowGraph,
        checkpoint: Checkpoint,
        patch: Patch,
        types: TypeRegistry,
    ) -> None:
        self._workflow = workflow
        self._state = checkpoint.state
        self._patch = patch
        self._types = types
        self._is_same = patch.made_for == checkpoint.header.id
        self._drafts: dict[Path, RunDraft] = {}
        self.problems: list[Issue] = []
        self.warnings: list[Issue] = []
        self.made: dict[str, Any] = {}

    def make(self, change: PatchChange) -> None:
        """Make a change, or note why it cannot be made."""
        try:
            draft = self._draft(change.run)
            warnings = draft.apply(change)
            if change.id in draft.made:
                self.made[change.id] = draft.made[change.id]
        except Refused as refused:
            self.problems.append(Issue(change.id, refused.text, refused.path))
        except Exception as error:  # noqa: BLE001 - code of a class: its validators, its `__eq__`
            self._note_failure(change, error)
        else:
            self.warnings += [Issue(change.id, text) for text in warnings]

    def _note_failure(self, change: PatchChange, error: Exception) -> None:
        text = f"The value could not be made: {in_words(error)}."
        self.problems.append(Issue(change.id, text))

    def completed(self, change: PatchChange) -> PatchChange:
        """Return a change with its guards."""
        try:
            _, state = self._run(change.run)
            return completed(change, state, self._types)
        except Exception:  # noqa: BLE001 - there is no such run, or code of a class raises: it is a problem already
            return change

    def _draft(self, run: Path) -> RunDraft:
        draft = self._drafts.get(run)
        if draft is None:
            workflow, state = self._run(run)
            changes = [change for change in self._patch.changes if change.run == run]
            draft = self._drafts[run] = RunDraft(
                workflow, state, changes, self._types, is_same=self._is_same
            )
        return draft

    def _run(self, run: Path) -> tuple[WorkflowGraph, RunState]:
        """Return a run with its workflow. Raise `Refused` if there is none."""
        return _run_at(self._workflow, self._state, run)

    # --- the result -----------------------------------------------------------------------------------------------

    def with_drafts(self) -> RunState:
        """Return the whole run with all changes but those of questions."""
        return self._with_drafts(self._state, ())

    def _with_drafts(self, state: RunState, path: Path) -> RunState:
        draft = self._drafts.get(path)
        new_state = state if draft is None else draft.result()
        children = {
            key: self._with_drafts(child, (*path, key))
            for key, child in state.children.items()
        }
        if any(children[key] is not child for key, child in state.children.items()):
            new_state = replace(new_state, children=children)
        return new_state

    def without_ended_runs(self, state: RunState, path: Path = ()) -> RunState:
        """Return the run without those inside that have nothing left to do, as a
        superstep would leave it.
        """
        children = {}
        for key, child in state.children.items():
            new_child = self.without_ended_runs(child, (*path, key))
            if is_alive(new_child):
                children[key] = new_child
            else:
                self._note_end((*path, key))
        is_same = len(children) == len(state.children) and all(
            children[key] is child for key, child in state.children.items()
        )
        return state if is_same else replace(state, children=children)

    def _note_end(self, path: Path) -> None:
        name = "/".join(path)
        changes = [change.id for change in self._patch.changes if change.run == path]
        text = f"The run '{name}' has nothing left to do, and ends."
        self.warnings.append(Issue(changes[-1] if changes else "", text))

    def with_question(self, state: RunState, change: PatchChange) -> RunState:
        """Return the whole run with a change of a question, or note why it cannot be
        made.
        """
        try:
            self._run(change.run)
            new_state, warnings = change_question(
                self._workflow, state, change, self._types
            )
            if change.do != "withdraw":
                self.made[change.id] = change.value
        except Refused as refused:
            self.problems.append(Issue(change.id, refused.text, refused.path))
        except RequestError as error:
            self.problems.append(Issue(change.id, str(error)))
        except Exception as error:  # noqa: BLE001 - as above
            self._note_failure(change, error)
        else:
            self.warnings += [Issue(change.id, text) for text in warnings]
            return new_state
        return state
