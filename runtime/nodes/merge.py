"""Merge: one map made of several, such as a join delivers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.nodes.base import DATA, NodeParams, NodeType, Place


class MergeParams(NodeParams):
    deep: bool = Field(
        False,
        title="Inner maps too",
        description="Merge maps inside the maps as well, not only the outermost ones.",
    )
    conflict: Literal["last", "first", "all", "error"] = Field(
        "last",
        title="Same key",
        description="When several maps have a key: the last value wins, the first wins, all of them are kept in a "
        "list, or it is an error if the values differ.",
    )


class MergeExecutor(Executor):
    def __init__(self, id: str, params: MergeParams) -> None:
        super().__init__(id, type=MERGE.type)
        self._deep = params.deep
        self._conflict = params.conflict

    @handler
    async def merge(
        self, message: list[Any], ctx: WorkflowContext[dict[Any, Any]]
    ) -> None:
        for position, item in enumerate(message):
            if not isinstance(item, Mapping):
                raise NodeError(
                    f"item {position} of the list is of type {type(item).__name__}, not a map. Make one of it before "
                    "the join, with JSON transform.",
                    self.id,
                )
        try:
            merged = self._merged(message, "")
        except RecursionError:
            raise NodeError(
                "the maps are nested too deeply to be merged. Switch off 'Inner maps too'.",
                self.id,
            ) from None
        await ctx.send_message(merged)

    def _merged(self, maps: list[Mapping[Any, Any]], way: str) -> dict[Any, Any]:
        values_by_key: dict[Any, list[Any]] = {}
        for item in maps:
            for key, value in item.items():
                values_by_key.setdefault(key, []).append(value)
        return {
            key: self._settled(values, f"{way}.{key}" if way else str(key))
            for key, values in values_by_key.items()
        }

    def _settled(self, values: list[Any], way: str) -> Any:
        if self._deep and all(isinstance(value, Mapping) for value in values):
            return self._merged(values, way)
        if len(values) == 1:
            return values[0]
        match self._conflict:
            case "last":
                return values[-1]
            case "first":
                return values[0]
            case "all":
                return values
            case _:
                return self._only(values, way)

    def _only(self, values: list[Any], way: str) -> Any:
        other = next((value for value in values[1:] if value != values[0]), values[0])
        if other != values[0]:
            raise NodeError(
                f"'{way}' has different values: {values[0]!r:.80} and {other!r:.80}. Choose which one wins in "
                "'Same key'.",
                self.id,
            )
        return values[0]


def _make(place: Place, params: MergeParams) -> Executor:
    return MergeExecutor(place.node_id, params)


MERGE = NodeType(
    type="merge",
    title="Merge",
    category=DATA,
    icon="join",
    description="Makes one map of the list of maps that a join delivers, in the order of the join's sources, or of any "
    "list of maps. It waits for nothing: draw a join into it to wait for several branches.",
    params=MergeParams,
    make=_make,
    inputs=("list[Any]",),
    outputs=("dict[Any, Any]",),
    summary="conflict",
    always_sends=True,
)
