"""What is told without being asked stays few, and loses no checkpoint."""

from threading import Event, Thread

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.debug.protocol import (
    EventsBody,
    HeadersBody,
    Notice,
    ProgressBody,
    StoppedBody,
)
from runtime.debug.session.notices import EVENTS_KEPT, HEADERS_PER_PACKET, Notices
from runtime.events import RunEvent, RunEventKind


class Clock:
    now = 100.0

    def __call__(self) -> float:
        return self.now


def header(number: int) -> CheckpointHeader:
    return CheckpointHeader(f"c{number}", "r", "w", number, Cause.SUPERSTEP)


def event(number: int) -> RunEvent:
    return RunEvent(
        number,
        0.0,
        RunEventKind.HANDLER_STARTED,
        1,
        (),
        {"executor": "a", "messages": 1},
    )


def made() -> tuple[Notices, list[Notice], Clock]:
    sent: list[Notice] = []
    clock = Clock()
    return Notices(sent.append, clock), sent, clock


def headers_in(sent: list[Notice]) -> list[str]:
    return [
        h.id
        for notice in sent
        if isinstance(notice.body, HeadersBody)
        for h in notice.body.headers
    ]


def test_ten_seconds_of_flood_stay_at_sixty_packets_a_second() -> None:
    notices, sent, clock = made()
    for number in range(10_000):
        clock.now += 0.001
        notices.add_header(header(number))
        notices.add_event(event(number))
        notices.send_due(lambda: ProgressBody(superstep=1))
    assert len(sent) <= 610
    notices.flush()
    assert headers_in(sent) == [f"c{n}" for n in range(10_000)]


def test_the_first_of_a_kind_is_sent_at_once() -> None:
    notices, sent, _ = made()
    notices.add_header(header(1))
    notices.send_due()
    assert headers_in(sent) == ["c1"]


def test_what_is_told_comes_after_what_happened_before() -> None:
    notices, sent, _ = made()
    notices.send_due()
    notices.add_header(header(1))
    notices.add_event(event(1))
    notices.send_now("stopped", StoppedBody(reason="step", status="", superstep=1))
    assert [notice.event for notice in sent] == ["checkpoints", "event", "stopped"]


def test_events_are_bounded_and_say_how_many_were_left_out() -> None:
    notices, sent, _ = made()
    for number in range(EVENTS_KEPT + 7):
        notices.add_event(event(number))
    notices.flush()
    (body,) = [notice.body for notice in sent]
    assert isinstance(body, EventsBody)
    assert (len(body.events), body.left_out, body.events[-1].number) == (
        EVENTS_KEPT,
        7,
        EVENTS_KEPT + 6,
    )


def test_many_headers_go_in_packets_of_bounded_size() -> None:
    notices, sent, _ = made()
    for number in range(2 * HEADERS_PER_PACKET + 1):
        notices.add_header(header(number))
    notices.flush()
    assert [len(notice.body.headers) for notice in sent] == [
        HEADERS_PER_PACKET,
        HEADERS_PER_PACKET,
        1,
    ]


def test_every_kind_of_event_has_a_text() -> None:
    notices, sent, _ = made()
    for kind in RunEventKind:
        notices.add_event(RunEvent(1, 0.0, kind, 1, (), {}))
    notices.flush()
    assert len(sent[0].body.events) == len(RunEventKind)


def test_what_is_added_while_another_thread_sends_is_neither_lost_nor_told_twice() -> (
    None
):
    """The sending thread takes from the front what the loop's thread adds at the end,
    both without waiting.
    """
    sent: list[Notice] = []
    notices = Notices(sent.append)
    stop = Event()

    def pump() -> None:
        while not stop.is_set():
            notices.flush()

    thread = Thread(target=pump)
    thread.start()
    for number in range(20_000):
        notices.add_header(header(number))
        notices.add_event(event(number))
    stop.set()
    thread.join()
    notices.flush()
    assert headers_in(sent) == [f"c{n}" for n in range(20_000)]
    told = [notice.body for notice in sent if isinstance(notice.body, EventsBody)]
    numbers = [item.number for body in told for item in body.events]
    assert numbers == sorted(set(numbers))
    assert sum(len(body.events) + body.left_out for body in told) == 20_000
