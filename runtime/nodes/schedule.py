"""Schedule: waits for a time of day, a moment, or the next stroke of an interval, then
passes the message on.
"""

from __future__ import annotations

import asyncio
import math
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from typing import Annotated, Any, Literal, Protocol
from zoneinfo import ZoneInfo

from pydantic import Field

from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.executors.outside import Outside
from runtime.expressions.text_formats import (
    DATE_TIME_FORMAT,
    TIME_OF_DAY_FORMAT,
    ZONE_FORMAT,
)
from runtime.nodes.base import FLOW, NodeParams, NodeType, Place, only_when, well_formed

# seconds after which the clock is read again: it may be set, and a computer may sleep
_NAP = 30.0


class Clock(Protocol):
    """A clock that can be asked and waited for."""

    def now(self) -> datetime:
        """The present moment, with a zone."""
        ...

    async def sleep(self, seconds: float) -> None: ...


class SystemClock:
    def now(self) -> datetime:
        return datetime.now(UTC)

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def _formatted(name: str) -> Any:
    return Annotated[str, well_formed(name), Field(json_schema_extra={"format": name})]


class ScheduleParams(NodeParams):
    until: Literal["time of day", "moment", "interval"] = Field(
        "time of day",
        title="Until",
        description="time of day is the next time that the clock shows it, moment a date and time, interval the next "
        "full 15 minutes or the like.",
    )
    time: _formatted(TIME_OF_DAY_FORMAT) = Field(  # type: ignore[valid-type]
        "09:00",
        title="Time of day",
        description="Such as 09:00 or 17:30:15. For 'time of day'.",
        json_schema_extra=only_when(until="time of day"),
    )
    moment: _formatted(DATE_TIME_FORMAT) = Field(  # type: ignore[valid-type]
        "",
        title="Moment",
        description=(
            "Such as 2027-01-31T09:00, or with an offset of its own as "
            "2027-01-31T09:00+02:00. For 'moment'. If it is past, the message "
            "passes at once."
        ),
        json_schema_extra=only_when(until="moment"),
    )
    seconds: float = Field(
        900.0,
        ge=1,
        le=86_400,
        title="Interval",
        description="In seconds, counted from midnight: 900 waits for the next quarter of an hour. For 'interval'.",
        json_schema_extra={"unit": "s", **only_when(until="interval")},
    )
    zone: _formatted(ZONE_FORMAT) = Field(  # type: ignore[valid-type]
        "UTC",
        title="Zone",
        description="The time zone of the clock, such as Europe/Berlin or UTC.",
    )


class ScheduleExecutor(Executor):
    """Waits inside of its superstep, and can be stopped at any moment."""

    def __init__(self, id: str, params: ScheduleParams, clock: Clock) -> None:
        super().__init__(id, type=SCHEDULE.type)
        self._params = params
        self._clock = clock
        self._zone = ZoneInfo(params.zone)

    @handler
    async def wait(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        due = self._due(self._clock.now())
        while (seconds_left := (due - self._clock.now()).total_seconds()) > 0:
            await self._clock.sleep(min(seconds_left, _NAP))
        await ctx.send_message(message)

    def _due(self, now: datetime) -> datetime:
        match self._params.until:
            case "time of day":
                return next_time_of_day(
                    now, time.fromisoformat(self._params.time), self._zone
                )
            case "moment":
                if self._params.moment:
                    moment = datetime.fromisoformat(self._params.moment)
                else:
                    moment = now
                if moment.tzinfo is not None:
                    return moment
                return moment.replace(tzinfo=self._zone)
            case _:
                return next_stroke(now, self._params.seconds, self._zone)


def next_time_of_day(now: datetime, time_of_day: time, zone: tzinfo) -> datetime:
    """The next moment, not before now, at which the zone's clock shows this time, in
    UTC.

    On the day on which the clock leaps over it, it is as much later as the leap; shown
    twice, the first one counts.
    """
    today = now.astimezone(zone).date()
    days = (today + timedelta(days=offset) for offset in range(-1, 3))
    return next(due for day in days if (due := _at(day, time_of_day, zone)) >= now)


def _at(day: date, time_of_day: time, zone: tzinfo) -> datetime:
    return datetime.combine(day, time_of_day, zone).astimezone(UTC)


def next_stroke(now: datetime, seconds: float, zone: tzinfo) -> datetime:
    """The next moment, not before now, that is a whole number of intervals after
    midnight of the zone, or the next midnight if that comes first, in UTC.
    """
    today = now.astimezone(zone).date()
    midnight = _at(today, time(), zone)
    tomorrow = _at(today + timedelta(days=1), time(), zone)
    passed = (now - midnight).total_seconds()
    return min(
        midnight + timedelta(seconds=math.ceil(passed / seconds) * seconds), tomorrow
    )


def _make(place: Place, params: ScheduleParams) -> Executor:
    return ScheduleExecutor(place.node_id, params, SystemClock())


SCHEDULE = NodeType(
    type="schedule",
    title="Schedule",
    category=FLOW,
    icon="clock",
    description=(
        "Waits until a time of day, a certain moment, or the next full interval of "
        "the clock, then passes the message on unchanged. The superstep takes that "
        "long, so everything else waits at the barrier too. After a stop or a "
        "restart the node computes the time again."
    ),
    params=ScheduleParams,
    make=_make,
    outside=lambda _: Outside("wait for a time", is_harmless=True),
    summary="until",
    always_sends=True,
    passes_on=True,
)
