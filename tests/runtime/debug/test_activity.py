"""What a superstep puts out as it runs: pieces are put together, all is bounded, and
over with the superstep.
"""

from runtime.debug.protocol import SAID_LIMIT
from runtime.debug.session.activity import Activity
from runtime.debug.session.live_superstep import MOST, TEXTS_LIMIT
from runtime.debug.session.notices import Notices
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
    return [
        (one.path, one.executor, one.text or "", one.cut) for one in progress.coming
    ]


def test_pieces_are_put_together_for_each_executor() -> None:
    activity = running()
    for piece in (
        told("Hel"),
        told("x", "b"),
        told("lo"),
        told("", "c"),
        told("in", "d", ("sub#1",)),
    ):
        activity(piece)
    assert said(activity) == [
        ((), "a", "Hello", 0),
        ((), "b", "x", 0),
        (("sub",), "d", "in", 0),
    ]


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


def yielded(
    value: object,
    ordinal: int,
    executor: str = "a",
    path: tuple[str, ...] = (),
    output: bool = True,
) -> RunEvent:
    return heard(
        RunEventKind.YIELDED,
        path,
        executor=executor,
        value=value,
        ordinal=ordinal,
        output=output,
    )


def rows(activity: Activity) -> list[tuple[str, str]]:
    progress = activity.progress()
    assert progress is not None
    return [
        (one.text if one.text is not None else one.value.text, one.state)
        for one in progress.coming
    ]


def test_outputs_come_one_by_one_and_are_taken_back_one_by_one() -> None:
    activity = running()
    for event in (
        yielded("one", 1),
        told("Hel"),
        yielded(["two"], 2),
        yielded("on the way", 3, output=False),
    ):
        activity(event)
    assert rows(activity) == [
        ("one", "coming"),
        ("Hel", "told"),
        ("1 item", "coming"),
        ("on the way", "told"),
    ]
    activity(heard(RunEventKind.WITHDRAWN, executor="a", value="one", ordinal=1))
    assert rows(activity)[0] == ("one", "taken_back")
    assert {item.state for item in activity.taken_back()} == {"taken_back"}


def test_what_becomes_a_message_of_the_parent_is_no_output_and_progress_is_told_from_anywhere() -> (
    None
):
    activity = running()
    activity(yielded("a message", 1, "inner", ("sub#1",)))
    activity(yielded("progress", 2, "inner", ("sub#1",), output=False))
    progress = activity.progress()
    assert progress is not None
    assert [(one.path, one.executor, one.text) for one in progress.coming] == [
        (("sub",), "inner", "progress")
    ]


def test_of_many_outputs_the_newest_are_told_and_how_many_there_were() -> None:
    activity = running()
    for ordinal in range(MOST + 5):
        activity(yielded("x" * 3 * SAID_LIMIT, ordinal))
    progress = activity.progress()
    assert progress is not None
    assert (len(progress.coming), progress.left_out, progress.coming[-1].index) == (
        MOST,
        5,
        MOST + 4,
    )
    lengths = [len(one.text or "") for one in progress.coming]
    assert (sum(lengths), lengths[-1]) == (TEXTS_LIMIT, SAID_LIMIT)
    assert progress.coming[-1].cut == 2 * SAID_LIMIT


def test_nothing_that_counts_is_taken_back_when_the_run_stands() -> None:
    activity = running()
    activity(yielded("one", 1))
    activity(heard(RunEventKind.SUPERSTEP_ENDED, seconds=1.0))
    assert activity.taken_back() == ()
