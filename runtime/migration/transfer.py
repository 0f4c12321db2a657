"""Makes the state of a changed graph from a state of the graph before, by a mapping.

Nothing is guessed and nothing is lost in silence: what the mapping drops is listed, and
what it does not decide, or what the changed graph cannot take, is a problem. With a
problem no state counts.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, is_dataclass, replace
from typing import TYPE_CHECKING, Any, cast

from runtime.edges.join import JoinEdgeGroup
from runtime.message import ExecutorFailure, Message, Request, internal_source_id
from runtime.migration.mapping import (
    NO_MAPPING,
    UNDECIDED,
    Choice,
    GraphMapping,
    JoinMapping,
)
from runtime.migration.outline import UNKNOWN, Outline
from runtime.migration.report import Item, Report
from runtime.state import ExecutorRecord, RunState, owner_of
from runtime.values.words import counted

if TYPE_CHECKING:
    from runtime.graph.workflow_graph import WorkflowGraph

INTERNAL = "internal:"


@dataclass(frozen=True)
class Transfer:
    """The state of the changed graph, and what became of everything in it."""

    state: RunState
    report: Report


def transfer(
    before: Outline, after: WorkflowGraph, state: RunState, mapping: GraphMapping
) -> Transfer:
    """Return the state for the changed graph. It may be used only if the report has no
    problems.
    """
    report = Report()
    level = _Level(before, after, mapping, report, ())
    level.check_mapping()
    moved, _ = level.moved(state)
    return Transfer(moved, report)


class _Level:
    """One graph of the tree of workflows, and its successor."""

    def __init__(
        self,
        before: Outline,
        after: WorkflowGraph,
        mapping: GraphMapping,
        report: Report,
        inside: tuple[str, ...],
    ) -> None:
        self._before = before
        self._after = after
        self._mapping = mapping
        self._report = report
        self._inside = inside
        self._joins_before = before.joins
        self._joins_after: dict[str, JoinEdgeGroup] = {}
        for join in after.joins:
            self._joins_after[join.key] = join
            self._joins_after.setdefault(join.id, join)

    # --- the mapping itself ---------------------------------------------------------------------------------------

    def check_mapping(self) -> None:
        """Note the names of the mapping that are in neither graph."""
        for old_id, mapping in self._mapping.executors.items():
            if self._before.is_known and old_id not in self._before.executors:
                self._problem(
                    f"the mapping names '{old_id}', which was no executor", old_id
                )
            for aspect in (
                "messages_for",
                "messages_from",
                "record",
                "requests",
                "runs",
            ):
                self._check_target(old_id, aspect, getattr(mapping, aspect))
        for name, join in self._mapping.joins.items():
            if (
                join.join not in (None, UNDECIDED)
                and join.join not in self._joins_after
            ):
                self._problem(
                    f"the mapping puts what '{name}' holds into '{join.join}', which is no join now",
                    name,
                    "join",
                )
            if join.send_to and join.send_to not in self._after.executors:
                self._problem(
                    f"the mapping sends what '{name}' holds to '{join.send_to}', which is no executor now",
                    name,
                    "join",
                )

        for owner in self._mapping.inside:
            new_owner = self._choice(owner, "runs")
            executor = self._after.executors.get(new_owner or "")
            if executor is not None and executor.wraps_workflow:
                self._level_of(owner, executor).check_mapping()
            elif new_owner is not None:
                text = f"the mapping goes into '{owner}', which is no sub-workflow now"
                self._problem(text, owner, "runs")

    def _check_target(self, old_id: str, aspect: str, choice: Choice) -> None:
        if choice in (None, UNDECIDED) or choice in self._after.executors:
            return
        self._problem(
            f"the mapping puts '{old_id}' to '{choice}', which is no executor now",
            old_id,
            aspect,
        )

    # --- a run ----------------------------------------------------------------------------------------------------

    def moved(self, state: RunState) -> tuple[RunState, frozenset[str]]:
        """Return the state of one run, and the ids of the questions that were dropped."""
        children, withdrawn = self._children(state)
        requests, dropped_requests = self._requests(state, withdrawn)
        held, sent_again = self._buffers(state)
        queue = (*sent_again, *self._queue(state, withdrawn | dropped_requests))
        self._report.keep("shared value", len(state.shared))
        moved = replace(
            state,
            queue=queue,
            buffers=held,
            executors=self._records(state, children),
            requests=requests,
            children=children,
        )
        return moved, withdrawn | dropped_requests

    def _choice(self, executor_id: str, aspect: str) -> Choice:
        mapping = self._mapping.executors.get(executor_id)
        if mapping is not None:
            return cast("Choice", getattr(mapping, aspect))
        return executor_id if executor_id in self._after.executors else UNDECIDED

    def _queue(self, state: RunState, withdrawn: frozenset[str]) -> list[Message]:
        queue = []
        for message in state.queue:
            request = message.request
            if request is not None and request.id in withdrawn:
                self._drop(
                    f"the answer to question '{request.id}'",
                    request.executor_id,
                    "requests",
                )
                continue
            moved = self._message(message, "queued message")
            if moved is not None:
                queue.append(moved)
                self._report.keep("queued message")
        return queue

    def _message(self, message: Message, what: str) -> Message | None:
        """Return the message between the executors of now; None if it is dropped, or
        if that is not decided.
        """
        target = message.target_id
        source = message.source_id
        if target is not None:
            text = f"a {what} for '{target}' ({type(message.data).__name__})"
            new_target = self._decided(target, "messages_for", text)
            if new_target is None:
                return None
        else:
            new_target = None
        if source.startswith(INTERNAL) and target is not None:
            new_source = internal_source_id(cast("str", new_target))
        else:
            text = f"a {what} from '{source}' ({type(message.data).__name__})"
            decided = self._decided(source, "messages_from", text)
            if decided is None:
                return None
            new_source = decided
        request = message.request
        if request is not None:
            request = replace(request, executor_id=new_target or request.executor_id)
        data = self._payload(message.data)
        is_same = (new_target, new_source) == (target, source)
        if is_same and data is message.data and request == message.request:
            return message
        return Message(data, new_source, new_target, request)

    def _payload(self, data: Any) -> Any:
        """Return a payload of the engine's own that names an executor, with its name of
        now.
        """
        if isinstance(data, ExecutorFailure):
            new_id = self._choice(data.executor_id, "messages_from")
            if new_id not in (None, UNDECIDED, data.executor_id):
                return replace(data, executor_id=new_id)
            return data
        # A question of a sub-workflow on its way names the executor that wraps it.
        asked = getattr(data, "source_event", None)
        if isinstance(asked, Request) and is_dataclass(data):
            owner = getattr(data, "executor_id", None)
            new_owner = self._choice(owner, "runs") if isinstance(owner, str) else None
            if new_owner not in (None, UNDECIDED, owner):
                return replace(cast("Any", data), executor_id=new_owner)
        return data

    # --- joins ----------------------------------------------------------------------------------------------------

    def _buffers(
        self, state: RunState
    ) -> tuple[dict[str, tuple[Message, ...]], list[Message]]:
        """Return what joins hold now, and the messages that are sent again."""
        held: dict[str, tuple[Message, ...]] = {}
        sent_again: list[Message] = []
        for key, messages in state.buffers.items():
            name = self._join_name(key)
            mapping = self._join_mapping(key)
            if mapping.send_to:
                sent_again += self._sent_again(name, mapping, messages)
                continue
            if mapping.join is None:
                for message in messages:
                    text = _held_text(message, name)
                    self._drop(text, name, "join")
                continue
            join = self._joins_after.get(mapping.join)
            if mapping.join == UNDECIDED or join is None:
                count = counted(len(messages), "message")
                self._problem(
                    f"join '{name}' holds {count} and is gone: say which join takes them",
                    name,
                    "join",
                )
                continue
            moved = self._held_by(join, name, mapping, messages)
            if moved:
                held[join.key] = (*held.get(join.key, ()), *moved)
        return self._released(held, sent_again)

    def _join_name(self, key: str) -> str:
        old = self._joins_before.get(key)
        return key if old is None else old.id

    def _join_mapping(self, key: str) -> JoinMapping:
        name = self._join_name(key)
        mapping = self._mapping.joins.get(name) or self._mapping.joins.get(key)
        if mapping is not None:
            return mapping
        return JoinMapping(key if key in self._joins_after else UNDECIDED)

    def _held_by(
        self,
        join: JoinEdgeGroup,
        name: str,
        mapping: JoinMapping,
        messages: Iterable[Message],
    ) -> list[Message]:
        moved = []
        takes = self._after.executors[join.target_id].handler_for
        for message in messages:
            text = _held_text(message, name)
            source = self._present_source(message, text, name, mapping)
            if source is None:
                continue
            if source not in join.source_ids:
                self._problem(
                    f"join '{join.id}' has no source '{source}' for {text}",
                    name,
                    "join",
                )
                continue
            offered = [message.data] if join.delivers_lists else message.data
            if takes(offered) is None:
                self._problem(f"'{join.target_id}' does not take {text}", name, "join")
                continue
            moved.append(replace(message, source_id=source))
            self._report.keep("message held by a join")
        return moved

    def _present_source(
        self, message: Message, text: str, name: str, mapping: JoinMapping
    ) -> str | None:
        """Return the executor that a held message is from in the changed graph; None
        if it is dropped, or its source is not decided.
        """
        if message.source_id in mapping.without:
            self._drop(text, name, "join")
            return None
        return self._decided(message.source_id, "messages_from", text)

    def _sent_again(
        self, name: str, mapping: JoinMapping, messages: Iterable[Message]
    ) -> list[Message]:
        target = mapping.send_to
        sent = []
        for message in messages:
            text = _held_text(message, name)
            source = self._present_source(message, text, name, mapping)
            if source is None:
                continue
            groups = self._after.outgoing.get(source, ())
            if not any(target in group.targets for group in groups):
                self._problem(
                    f"no edge leads from '{source}' to '{target}' for {text}",
                    name,
                    "join",
                )
                continue
            sent.append(Message(message.data, source, target))
            self._report.keep("message sent again")
        return sent

    def _released(
        self,
        held: dict[str, tuple[Message, ...]],
        sent_again: list[Message],
    ) -> tuple[dict[str, tuple[Message, ...]], list[Message]]:
        """Send the messages again that a changed join would release: it is asked only
        when a message arrives, and it may wait for nothing any more.
        """
        for key, messages in list(held.items()):
            join = self._joins_after[key]
            lists, _ = join.release(messages)
            if lists:
                del held[key]
                sent_again += [
                    replace(message, target_id=join.target_id) for message in messages
                ]
        return held, sent_again

    # --- records, questions, sub-workflows ------------------------------------------------------------------------

    def _records(
        self, state: RunState, children: Mapping[str, RunState]
    ) -> dict[str, ExecutorRecord]:
        records: dict[str, ExecutorRecord] = {}
        owners = {owner_of(key) for key in children}
        for executor_id, record in state.executors.items():
            ran = f"ran {counted(record.runs, 'time')}"
            own = f", its own state: {', '.join(record.state)}" if record.state else ""
            text = f"the record of '{executor_id}' ({ran}{own})"
            if self._is_bare(executor_id, record):
                self._drop(text, executor_id, "record")
                continue
            new_id = self._decided(executor_id, "record", text)
            if new_id is None:
                continue
            if new_id in records:
                self._problem(
                    f"'{new_id}' would get {text} beside another record: drop one of them",
                    executor_id,
                    "record",
                )
                continue
            records[new_id] = record
            self._report.keep("executor record")
        for owner in owners:
            # The keys of later runs are numbered by it.
            highest = max(
                int(key.rpartition("#")[2] or 0)
                for key in children
                if owner_of(key) == owner
            )
            if records.get(owner, ExecutorRecord()).runs < highest:
                self._problem(
                    f"'{owner}' gets runs of a sub-workflow without the record that counts them",
                    owner,
                    "record",
                )
        return records

    def _is_bare(self, executor_id: str, record: ExecutorRecord) -> bool:
        """Return whether a record only tells how often an executor ran that is gone.
        Nothing is lost with it that a run could need.
        """
        is_undecided = self._choice(executor_id, "record") == UNDECIDED
        is_gone = executor_id not in self._after.executors
        return is_undecided and is_gone and not record.state

    def _requests(
        self, state: RunState, withdrawn: frozenset[str]
    ) -> tuple[dict[str, Request], frozenset[str]]:
        requests = {}
        dropped = set()
        for request in state.requests.values():
            if request.id in withdrawn:
                # It was listed where it was asked.
                continue
            is_of_child = any(
                request.id in child.requests for child in state.children.values()
            )
            aspect = "runs" if is_of_child else "requests"
            text = f"question '{request.id}' of '{request.executor_id}'"
            new_id = self._decided(request.executor_id, aspect, text)
            if new_id is None:
                dropped.add(request.id)
                continue
            executor = self._after.executors[new_id]
            if not executor.wraps_workflow and not executor.is_request_response_capable:
                self._problem(
                    f"'{new_id}' takes no answer, and so not that to {text}",
                    request.executor_id,
                    "requests",
                )
            if new_id == request.executor_id:
                requests[request.id] = request
            else:
                requests[request.id] = replace(request, executor_id=new_id)
            self._report.keep("open question")
        return requests, frozenset(dropped)

    def _children(self, state: RunState) -> tuple[dict[str, RunState], frozenset[str]]:
        children: dict[str, RunState] = {}
        withdrawn: set[str] = set()
        for key, child in state.children.items():
            owner = owner_of(key)
            new_owner = self._decided(owner, "runs", f"the run '{key}'")
            if new_owner is None:
                withdrawn |= child.requests.keys()
                for request_id in child.requests:
                    self._drop(
                        f"question '{request_id}' of the run '{key}'", owner, "runs"
                    )
                continue
            executor = self._after.executors[new_owner]
            if not executor.wraps_workflow:
                self._problem(
                    f"'{new_owner}' is no sub-workflow now and cannot take the run '{key}'",
                    owner,
                    "runs",
                )
                continue
            new_key = f"{new_owner}#{key.rpartition('#')[2]}"
            if new_key in children:
                self._problem(
                    f"two runs would be '{new_key}': drop one of them", owner, "runs"
                )
                continue
            level = self._level_of(owner, executor)
            children[new_key], dropped = level.moved(child)
            withdrawn |= dropped
            self._report.keep("sub-workflow run")
        return children, frozenset(withdrawn)

    def _level_of(self, owner: str, executor: Any) -> _Level:
        old = self._before.executors.get(owner)
        inner = UNKNOWN if old is None or old.inner is None else old.inner
        mapping = self._mapping.inside.get(owner, NO_MAPPING)
        inside = (*self._inside, owner)
        return _Level(inner, executor.workflow, mapping, self._report, inside)

    # --- reporting ------------------------------------------------------------------------------------------------

    def _decided(self, executor_id: str, aspect: str, text: str) -> str | None:
        """Return the executor that gets something of an executor; None if it is
        dropped, or if that is not decided, which is noted.
        """
        choice = self._choice(executor_id, aspect)
        if choice is None:
            self._drop(text, executor_id, aspect)
            return None
        if choice == UNDECIDED:
            if executor_id in self._after.executors:
                reason = f"'{executor_id}' is of another type now: say whether it takes {text}"
            else:
                reason = f"'{executor_id}' is gone: say what becomes of {text}"
            self._problem(reason, executor_id, aspect)
            return None
        # A wrong name was noted when the mapping was checked.
        return choice if choice in self._after.executors else None

    def _drop(self, text: str, executor_id: str, aspect: str) -> None:
        where = self._where()
        item = Item(f"{text}{where}", executor_id, aspect, self._inside)
        self._report.dropped.append(item)

    def _problem(self, text: str, executor_id: str, aspect: str = "") -> None:
        where = self._where()
        item = Item(f"{text}{where}", executor_id, aspect, self._inside)
        if item not in self._report.problems:
            self._report.problems.append(item)

    def _where(self) -> str:
        return f" in '{'/'.join(self._inside)}'" if self._inside else ""


def _held_text(message: Message, join: str) -> str:
    what = type(message.data).__name__
    return f"a message from '{message.source_id}' ({what}) that join '{join}' holds"
