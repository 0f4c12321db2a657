"""Schedule: when it is due, over leaps of the clock too; that it can be stopped; and
that faults are found by check.
"""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, time, timedelta
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.nodes.schedule import (
    ScheduleExecutor,
    ScheduleParams,
    next_stroke,
    next_time_of_day,
)
from runtime.workflow.builder import WorkflowBuilder
from tests.runtime.graphs import Sink
from tests.runtime.nodes.single import problems

BERLIN = ZoneInfo("Europe/Berlin")


class FakeClock:
    """Sleeping moves it on, as much as `speed` says."""

    def __init__(self, text: str, speed: float = 1.0) -> None:
        self.time = datetime.fromisoformat(text)
        self.speed = speed
        self.naps = 0

    def now(self) -> datetime:
        return self.time

    async def sleep(self, seconds: float) -> None:
        self.naps += 1
        self.time += timedelta(seconds=seconds * self.speed)


async def passed_at(clock: FakeClock, **params: Any) -> str:
    """When the message came out, by the clock of UTC."""
    executor = ScheduleExecutor("it", ScheduleParams(**params), clock)
    sink = Sink("out")
    await (
        WorkflowBuilder(start_executor=executor)
        .add_edge(executor, sink)
        .build()
        .run("go")
    )
    return clock.time.astimezone(UTC).strftime("%d %H:%M:%S")


@pytest.mark.parametrize(
    ("params", "now", "expected"),
    [
        ({"time": "09:00"}, "2027-01-10T08:59:50+00:00", "10 09:00:00"),
        ({"time": "09:00"}, "2027-01-10T09:00:00+00:00", "10 09:00:00"),
        ({"time": "09:00"}, "2027-01-10T09:00:01+00:00", "11 09:00:00"),
        (
            {"time": "09:00", "zone": "Europe/Berlin"},
            "2027-01-10T07:00:00+00:00",
            "10 08:00:00",
        ),
        (
            {"time": "00:30", "zone": "Pacific/Auckland"},
            "2027-01-10T11:00:00+00:00",
            "10 11:30:00",
        ),
        (
            {"until": "moment", "moment": "2027-01-12T01:00"},
            "2027-01-10T07:00:00+00:00",
            "12 01:00:00",
        ),
        (
            {"until": "moment", "moment": "2027-01-12T01:00+02:00"},
            "2027-01-10T07:00:00+00:00",
            "11 23:00:00",
        ),
        (
            {"until": "moment", "moment": "2026-01-12T01:00"},
            "2027-01-10T07:00:00+00:00",
            "10 07:00:00",
        ),
        ({"until": "moment"}, "2027-01-10T07:00:00+00:00", "10 07:00:00"),
        ({"until": "interval"}, "2027-01-10T07:01:00+00:00", "10 07:15:00"),
        ({"until": "interval"}, "2027-01-10T07:15:00+00:00", "10 07:15:00"),
        (
            {"until": "interval", "seconds": 50_000.0},
            "2027-01-10T20:00:00+00:00",
            "11 00:00:00",
        ),
    ],
)
async def test_the_message_passes_when_it_is_due(
    params: dict[str, Any], now: str, expected: str
) -> None:
    assert await passed_at(FakeClock(now), **params) == expected


@pytest.mark.parametrize(
    ("now", "expected"),
    [
        ("2027-03-28T00:00+01:00", "2027-03-28T03:30+02:00"),  # 02:30 is leapt over
        ("2027-10-31T00:00+02:00", "2027-10-31T02:30+02:00"),  # 02:30 comes twice
    ],
)
def test_a_time_that_the_clock_leaps_over_or_shows_twice(
    now: str, expected: str
) -> None:
    found = next_time_of_day(datetime.fromisoformat(now), time(2, 30), BERLIN)
    assert found == datetime.fromisoformat(expected)


MOMENTS = st.datetimes(
    datetime(2020, 1, 1),  # noqa: DTZ001
    datetime(2035, 1, 1),  # noqa: DTZ001
    timezones=st.just(UTC),
)


@given(MOMENTS, st.times())
def test_a_time_of_day_is_never_past_and_at_most_a_day_and_an_hour_away(
    now: datetime, wanted: time
) -> None:
    due = next_time_of_day(now, wanted, BERLIN)
    assert timedelta() <= due - now <= timedelta(hours=25)


@given(MOMENTS, st.integers(1, 86_400))
def test_the_next_stroke_is_never_past_and_at_most_an_interval_away(
    now: datetime, seconds: int
) -> None:
    due = next_stroke(now, seconds, BERLIN)
    assert timedelta() <= due - now <= timedelta(seconds=seconds)


async def test_the_clock_is_read_again_now_and_then() -> None:
    # it was set, or the computer slept
    clock = FakeClock("2027-01-10T08:00:00+00:00", speed=60.0)
    await passed_at(clock, time="09:00")
    assert clock.naps == 2


async def test_it_can_be_stopped_while_it_waits() -> None:
    class Endless(FakeClock):
        async def sleep(self, seconds: float) -> None:
            waiting.set()
            await asyncio.Event().wait()

    waiting = asyncio.Event()
    run = asyncio.ensure_future(passed_at(Endless("2027-01-10T08:00:00+00:00")))
    await waiting.wait()
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


@pytest.mark.parametrize(
    ("params", "part", "words"),
    [
        ({"time": "25:00"}, "params.time", "write a time such as 09:00"),
        ({"time": "9 o'clock"}, "params.time", "write a time such as 09:00"),
        ({"moment": "tomorrow"}, "params.moment", "2027-01-31T09:00"),
        ({"moment": "2027-01-31"}, "params.moment", "2027-01-31T09:00"),
        ({"zone": "Mars/Olympus"}, "params.zone", "is an unknown time zone"),
        ({"zone": "../etc"}, "params.zone", "is an unknown time zone"),
        ({"zone": ""}, "params.zone", "is an unknown time zone"),
        ({"seconds": 0}, "params.seconds", "at least 1"),
    ],
)
def test_check_finds_what_is_no_time(
    params: dict[str, Any], part: str, words: str
) -> None:
    (problem,) = problems("schedule", **params)
    assert problem.part == part
    assert words in problem.message
