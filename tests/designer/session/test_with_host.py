"""The session with a real host behind it: nothing is faked, the run lives in a child
process.
"""

from itertools import pairwise

import pytest

from designer.session.opener import Source
from designer.session.session import DebugSession

CODE = """
def double(message: int) -> int:
    print("doubling", message)
    return message * 2

async def spin(message: int) -> int:
    while True:
        pass

def crash(message: int) -> int:
    import os
    os._exit(7)
"""


def node(node_id, function):
    return {
        "id": node_id,
        "type": "python_function",
        "params": {"function": f"stepwell_test_work:{function}"},
    }


def chain(*functions):
    """A document: one node after the other."""
    nodes = [node(f"n{number}", function) for number, function in enumerate(functions)]
    nodes.append({"id": "end", "type": "output"})
    edges = [
        {"id": f"e{number}", "kind": "direct", "source": a["id"], "target": b["id"]}
        for number, (a, b) in enumerate(pairwise(nodes))
    ]
    return {
        "format": 1,
        "workflow": {
            "name": "chain",
            "start": "n0",
            "input": 3,
            "nodes": nodes,
            "edges": edges,
        },
    }


@pytest.fixture
def session(qtbot, tmp_path):
    (tmp_path / "stepwell_test_work.py").write_text(CODE)
    session = DebugSession()
    session.document = chain("double", "double", "double")
    session.source = lambda: Source(
        session.document, str(tmp_path), f"sqlite:{tmp_path / 'runs.db'}"
    )
    session.trust = lambda folder: True
    session.told = []
    session.lines = []
    session.failed.connect(lambda title, text: session.told.append((title, text)))
    session.console.connect(lambda _, text: session.lines.append(text))
    yield session
    session.close()


def stands(session, reason):
    return lambda: (
        not session.running
        and session.stopped is not None
        and session.stopped.reason == reason
    )


def looks_at(session, checkpoint_id):
    return lambda: (
        session.moment is not None and session.moment.header.id == checkpoint_id
    )


def test_a_run_is_stepped_looked_at_restored_and_finished_on_another_branch(
    session, qtbot
):
    session.step()
    qtbot.waitUntil(stands(session, "entry"), timeout=15000)
    session.step()
    qtbot.waitUntil(stands(session, "step"))
    first = session.head
    assert first.superstep == 1
    session.continue_()
    qtbot.waitUntil(stands(session, "finished"))
    qtbot.waitUntil(lambda: session.moment is not None and bool(session.moment.outputs))
    assert session.moment.outputs[0][1].text == "24"
    assert [line for line in session.lines if "doubling" in line] == [
        "doubling 3",
        "doubling 6",
        "doubling 12",
    ]

    session.view(first.id)
    qtbot.waitUntil(looks_at(session, first.id))
    assert (session.mode, session.moment.nodes["n1"].state) == ("past", "next")
    last = session.head
    session.restore(first.id)
    qtbot.waitUntil(stands(session, "restored"))
    assert (session.mode, session.head.parent, session.head.cause) == (
        "live",
        first.id,
        "fork",
    )
    session.continue_()
    qtbot.waitUntil(stands(session, "finished"))
    session.timeline.flush()
    assert session.timeline.branch_count == 2
    assert session.timeline.header(last.id) is not None
    assert session.told == []


def test_the_past_is_there_in_a_new_window_without_importing_anything(
    session, qtbot, tmp_path
):
    session.run()
    qtbot.waitUntil(stands(session, "finished"), timeout=15000)
    count = session.timeline.rowCount() or 5
    session.close()
    (tmp_path / "stepwell_test_work.py").write_text("raise SystemExit('imported')")
    window = DebugSession()
    window.load_history(f"sqlite:{tmp_path / 'runs.db'}", "chain")
    qtbot.waitUntil(lambda: window.timeline.rowCount() >= count, timeout=15000)
    window.view(window.timeline.header_at(1).id)
    qtbot.waitUntil(lambda: window.moment is not None, timeout=15000)
    assert (window.mode, window.moment.superstep) == ("past", 1)
    window.close()


def test_an_endless_loop_never_stalls_the_window_and_stop_ends_it(
    session, qtbot, tmp_path
):
    session.document = chain("double", "spin")
    session.run()
    qtbot.waitUntil(
        lambda: session.head is not None and session.head.superstep == 1, timeout=15000
    )
    session.stop()
    # The window waits for the end of the process in its event loop, not in this call.
    assert session.running
    qtbot.waitUntil(lambda: not session.running, timeout=15000)
    assert any("did not stop by itself" in line for line in session.lines)
    assert (session.mode, session.told) == ("live", [])
    at = session.head
    (tmp_path / "stepwell_test_work.py").write_text(
        CODE.replace("while True:\n        pass", "return message")
    )
    session.step()
    qtbot.waitUntil(stands(session, "step"), timeout=15000)
    assert session.head.superstep == at.superstep + 1


def test_a_run_takes_the_code_as_it_is_on_disk_now(session, qtbot, tmp_path):
    session.run()
    qtbot.waitUntil(stands(session, "finished"), timeout=15000)
    (tmp_path / "stepwell_test_work.py").write_text(
        CODE.replace("message * 2", "message * 1000")
    )
    before = session.run_id
    session.leave()
    session.run()
    qtbot.waitUntil(lambda: session.run_id != before)
    qtbot.waitUntil(stands(session, "finished"))
    qtbot.waitUntil(lambda: session.moment is not None and bool(session.moment.outputs))
    assert session.moment.outputs[0][1].text == "3000000000"


def test_a_host_that_dies_in_a_handler_takes_nothing_with_it(session, qtbot):
    session.document = chain("double", "crash")
    session.run()
    qtbot.waitUntil(lambda: bool(session.told), timeout=15000)
    assert "exit code 7" in session.told[0][1]
    qtbot.waitUntil(
        lambda: session.moment is not None and session.moment.superstep == 1,
        timeout=15000,
    )
    assert (session.mode, session.head.superstep) == ("live", 1)


def test_a_run_restored_at_its_question_goes_on_with_the_answer(session, qtbot):
    session.document = chain("double")
    ask = {
        "id": "ask",
        "type": "ask",
        "params": {"question": "Ship {message}?", "free_text": True},
    }
    workflow = session.document["workflow"]
    workflow["nodes"].insert(1, ask)
    pairs = (("n0", "ask"), ("ask", "end"))
    workflow["edges"] = [
        {"id": a + b, "kind": "direct", "source": a, "target": b} for a, b in pairs
    ]
    session.run()
    qtbot.waitUntil(stands(session, "waiting"), timeout=15000)
    asked = session.head
    for verdict in ("yes", "no"):
        session.restore(asked.id)
        qtbot.waitUntil(stands(session, "restored"), timeout=15000)
        qtbot.waitUntil(
            lambda: session.moment is not None and bool(session.moment.requests)
        )
        session.answer({session.moment.requests[0].id: verdict})
        qtbot.waitUntil(stands(session, "finished"))
        outputs = []
        session.questions.outputs(session.head.id, outputs.append)
        qtbot.waitUntil(lambda: bool(outputs))  # noqa: B023 - waited for here
        assert verdict in str(outputs[0].items[-1].value)


def deep(levels):
    value = 1
    for _ in range(levels):
        value = [value]
    return value


def test_a_node_named_by_half_a_surrogate_pair_is_run(session, qtbot):
    """F5 said "starting the run…" for ever."""
    session.document["workflow"]["nodes"][0]["name"] = "\ud800"
    session.run()
    qtbot.waitUntil(stands(session, "finished"), timeout=15000)


def test_an_input_of_250_levels_is_refused_and_the_next_run_is_not(session, qtbot):
    """F5 said "starting the run…" for ever."""
    session.document["workflow"]["input"] = deep(250)
    replies = []
    session.run(done=replies.append)
    qtbot.waitUntil(lambda: bool(replies), timeout=15000)
    assert not replies[0].success
    assert "nested too deeply" in session.told[0][1]
    assert not session.starting
    session.document = chain("double")
    session.run(done=replies.append)
    qtbot.waitUntil(stands(session, "finished"), timeout=15000)
