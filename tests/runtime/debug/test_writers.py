"""Who wrote each key of the shared state last."""

from runtime.debug.supersteps.past_supersteps import Past, When
from runtime.debug.supersteps.writers import writers
from runtime.state import Invocation, RunState, Trace, Write

STATE = RunState(4, shared={"old": 1, "new": 2, "unknown": 3, "both": 4})


def test_the_newest_write_counts_and_an_unknown_writer_is_left_out() -> None:
    trace = Trace(
        invocations=(
            Invocation("a", "h", (), 1, 0.0, 0.1, wrote=("new", "both")),
            Invocation("b", "h", (), 1, 0.0, 0.1, wrote=("both",)),
        ),
        writes=(Write("new", "a"), Write("both", "a"), Write("both", "b")),
    )
    past = Past(
        wrote={
            ("c", "old"): When(2, "c2"),
            ("d", "old"): When(1, "c1"),
            ("c", "new"): When(3, "c3"),
        }
    )
    known = writers(STATE, trace, past, When(4, "c4"))
    assert [(writer.key, writer.executors, writer.superstep) for writer in known] == [
        ("old", ("c",), 2),
        ("new", ("a",), 4),
        ("both", ("a", "b"), 4),
    ]
    assert known[1].checkpoint_id == "c4"
