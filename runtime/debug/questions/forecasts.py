"""A forecast of the engine in the words of the protocol."""

from __future__ import annotations

from typing import TYPE_CHECKING

from runtime.debug.protocol import (
    JoinForecast,
    LostMessage,
    StarvedJoin,
    UpcomingCall,
)
from runtime.debug.values.shapes import clean

if TYPE_CHECKING:
    from runtime.engine.forecast import Forecast


def upcoming_calls(forecast: Forecast) -> tuple[UpcomingCall, ...]:
    return tuple(
        UpcomingCall(
            executor=call.executor_id,
            calls=call.calls,
            sources=call.sources,
            path=call.path,
        )
        for call in forecast.delivered
    )


def lost_messages(forecast: Forecast) -> tuple[LostMessage, ...]:
    return tuple(
        LostMessage(
            source=lost.source,
            target=lost.target,
            reason=clean(lost.reason),
            count=lost.count,
            path=lost.path,
        )
        for lost in forecast.lost
    )


def firing_joins(forecast: Forecast) -> tuple[JoinForecast, ...]:
    return tuple(
        JoinForecast(
            join=firing.edge_id,
            target=firing.target_id,
            counts=firing.counts,
            path=firing.path,
        )
        for firing in forecast.fires
    )


def starving_joins(forecast: Forecast) -> tuple[StarvedJoin, ...]:
    from runtime.engine.forecast import waits_for

    return tuple(
        StarvedJoin(
            join=join.group.id,
            target=join.group.target_id,
            counts=tuple(join.held.items()),
            missing=tuple(source for source, _ in join.missing),
            reason=clean(waits_for(join)),
            path=join.path,
        )
        for join in forecast.starves
    )
