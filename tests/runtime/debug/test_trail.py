"""What is remembered of the supersteps before a checkpoint."""

from runtime.checkpoint import Cause, CheckpointHeader
from runtime.debug.supersteps.trail import REMEMBERED, Trail
from runtime.state import Fate, Invocation, Output, Release, Trace


def header(
    id_: str, superstep: int, parent: str | None, cause: Cause = Cause.SUPERSTEP
) -> CheckpointHeader:
    return CheckpointHeader(id_, "r", "w", superstep, cause, parent)


def trace(seconds: float, *releases: Release) -> Trace:
    return Trace(
        invocations=(Invocation("a", "h", (), 1, 0.0, seconds),),
        fates=(Fate("buffered", "a", "join", "in"),),
        releases=releases,
        outputs=(Output("a", "x" * 10_000),),
    )


def test_the_nearest_superstep_wins_and_a_fork_counts_once() -> None:
    trail = Trail()
    trail.add(header("c1", 1, None), trace(0.1, Release("in", "join", (1,))))
    trail.add(header("c2", 2, "c1"), trace(0.2))
    trail.add(header("f", 2, "c2", Cause.FORK), trace(0.2))
    trail.add(header("r", 2, "f", Cause.RESPONSE), Trace(answered=("q",)))
    history = trail.before(header("c3", 3, "r"))
    assert history.seconds == {"a": 0.2}
    assert history.arrived == {("in", "a"): [(2, 1), (1, 1)]}
    assert history.fired == {"in": 1}


def test_a_fork_does_not_count_what_it_copies_as_its_past() -> None:
    trail = Trail()
    trail.add(header("c1", 1, None), trace(0.1))
    trail.add(header("c2", 2, "c1"), trace(0.2))
    assert trail.before(header("f", 2, "c2", Cause.FORK)).arrived == {
        ("in", "a"): [(1, 1)]
    }


def test_what_is_not_known_ends_the_past() -> None:
    trail = Trail()
    trail.add(header("c1", 1, None), trace(0.1))
    assert trail.before(header("c3", 3, "c2")).seconds == {}


def test_memory_is_bounded_and_holds_no_payload() -> None:
    trail = Trail()
    for number in range(REMEMBERED + 50):
        trail.add(header(f"c{number}", number, f"c{number - 1}"), trace(0.1))
    assert len(trail._steps) == REMEMBERED
    assert not any(step.trace.outputs for step in trail._steps.values())


async def test_the_newest_of_a_line_may_be_forgotten_while_those_before_it_are_read() -> (
    None
):
    class OneBefore:
        async def trace(self, checkpoint_id: str) -> tuple[CheckpointHeader, Trace]:
            return header(checkpoint_id, 1, None), trace(0.1)

    trail = Trail()
    head = header("head", 2, "before")
    trail.add(head, trace(0.2))
    for number in range(REMEMBERED - 1):
        trail.add(header(f"c{number}", number, None), Trace())
    steps, complete = await trail.line(OneBefore(), head, 10)
    assert ([step.header.id for step in steps], complete) == (["head", "before"], True)


def test_how_the_last_run_of_an_executor_ended_is_remembered() -> None:
    def tried(*errors: str) -> Trace:
        calls = (
            Invocation("a", "h", (), 1, 0.0, 0.1, attempt=number, error=error)
            for number, error in enumerate(errors, 1)
        )
        return Trace(invocations=tuple(calls))

    trail = Trail()
    trail.add(header("c1", 1, None), tried("ValueError: no", ""))
    trail.add(header("c2", 2, "c1"), Trace())
    trail.add(header("c3", 3, "c2"), tried("ValueError: no", "KeyError: k"))
    recovered = trail.before(header("c2", 2, "c1"))
    assert (recovered.errors, recovered.attempts) == ({"a": ""}, {"a": 2})
    failed = trail.before(header("c4", 4, "c3"))
    assert (failed.errors, failed.attempts) == ({"a": "KeyError: k"}, {"a": 2})
