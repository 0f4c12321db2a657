"""What executors tell as they run is put together, bounded, and over with the superstep."""

from runtime.debug.activity import Activity
from runtime.debug.notices import Notices
from runtime.debug.protocol import SAID_LIMIT
from runtime.events import RunEvent, RunEventKind


def heard(kind: RunEventKind, path: tuple[str, ...] = (), **data: object) -> RunEvent:
    return RunEvent(1, 0.0, kind, 1, path, data)


def told(text: str, executor: str = "a", path: tuple[str, ...] = ()) -> RunEvent:
    return heard(RunEventKind.TOLD, path, executor=executor, type="data", text=text)


def running() -> Activity:
    activity = Activity(Notices(lambda _notice: None))
    activity(heard(RunEventKind.SUPERSTEP_STARTED, executors=("a",)))
    activity(heard(RunEventKind.HANDLER_STARTED, executor="a", messages=1))
    return activity


def said(activity: Activity) -> list[tuple[tuple[str, ...], str, str, int]]:
    progress = activity.progress()
    assert progress is not None
    return [(one.path, one.executor, one.text, one.cut) for one in progress.said]


def test_pieces_are_put_together_for_each_executor() -> None:
    activity = running()
    for piece in (told("Hel"), told("x", "b"), told("lo"), told("", "c"), told("in", "d", ("sub#1",))):
        activity(piece)
    assert said(activity) == [((), "a", "Hello", 0), ((), "b", "x", 0), (("sub",), "d", "in", 0)]


def test_of_much_the_end_is_kept_and_how_much_went_before() -> None:
    activity = running()
    activity(told("a" * SAID_LIMIT))
    activity(told("bc"))
    ((_, _, text, cut),) = said(activity)
    assert (text[-3:], len(text), cut) == ("abc", SAID_LIMIT, 2)


def test_it_is_over_with_the_superstep() -> None:
    activity = running()
    activity(told("Hel"))
    activity(heard(RunEventKind.SUPERSTEP_ENDED, seconds=1.0))
    assert said(activity) == []
