"""The line to the run's process: it reads what comes, however it comes, and always ends
with a reason.
"""

import math
import sys

import pytest
from PySide6.QtCore import QMetaObject, QProcess, QTimer

from designer.session.link import ProcessLink

ECHO = "import sys\nfor line in sys.stdin: print(line, end='', flush=True)"


def child(code: str) -> ProcessLink:
    return ProcessLink([sys.executable, "-c", code])


@pytest.fixture
def heard():
    return {"packets": [], "console": [], "closed": []}


def listen(link, heard):
    heard["link"] = link  # nobody else may hold it
    link.packet.connect(heard["packets"].append)
    link.console.connect(lambda category, text: heard["console"].append(text))
    link.closed.connect(heard["closed"].append)
    link.start()
    return link


def test_a_packet_that_is_sent_before_the_process_is_up_arrives(qtbot, heard):
    link = listen(child(ECHO), heard)
    link.send({"seq": 1, "text": "ä\nb", "big": 10**30})
    qtbot.waitUntil(lambda: bool(heard["packets"]))
    assert heard["packets"][0]["seq"] == 1
    assert heard["packets"][0]["text"] == "ä\nb"
    link.kill()


def test_a_line_that_comes_in_pieces_is_one_packet(qtbot, heard):
    pieces = """import sys, time
for part in ('{"a"', ':1}', '\\n{"b":2}\\n'):
    sys.stdout.write(part); sys.stdout.flush(); time.sleep(0.02)"""
    link = listen(child(pieces), heard)
    qtbot.waitUntil(lambda: bool(heard["closed"]))
    assert heard["packets"] == [{"a": 1}, {"b": 2}]
    assert not link.is_open


def test_everything_said_before_the_end_is_heard_before_closed(qtbot, heard):
    order: list[str] = []
    link = child("print('{\"n\":1}\\n' * 20000, end='')")
    link.packet.connect(lambda _: order.append("packet"))
    link.closed.connect(lambda _: order.append("closed"))
    link.start()
    qtbot.waitUntil(lambda: order[-1:] == ["closed"], timeout=20000)
    assert order.count("packet") == 20000


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("raise SystemExit(3)", "exit code 3"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGSEGV)", "SIGSEGV"),
        ("import no_such_module", "No module named 'no_such_module'"),
    ],
)
def test_the_reason_of_an_end_is_readable(qtbot, heard, code, reason):
    listen(child(code), heard)
    qtbot.waitUntil(lambda: bool(heard["closed"]))
    assert len(heard["closed"]) == 1
    assert reason in heard["closed"][0]


def test_a_command_that_does_not_exist_closes_with_its_name(qtbot, heard):
    listen(ProcessLink(["/no/such/python"]), heard)
    qtbot.waitUntil(lambda: bool(heard["closed"]))
    assert "/no/such/python" in heard["closed"][0]


def test_what_is_no_packet_goes_to_the_console(qtbot, heard):
    listen(child("import sys; print('hello'); print('oops', file=sys.stderr)"), heard)
    qtbot.waitUntil(lambda: bool(heard["closed"]))
    assert sorted(heard["console"]) == ["hello", "oops"]
    assert heard["packets"] == []


def test_a_flood_on_stderr_is_bounded_and_says_so(qtbot, heard):
    listen(child("import sys; sys.stderr.write('x\\n' * 200000)"), heard)
    qtbot.waitUntil(lambda: bool(heard["closed"]), timeout=20000)
    assert len(heard["console"]) < 100_000
    assert any("left out" in line for line in heard["console"])


def test_kill_ends_a_process_that_does_not_listen_and_tells_once(qtbot, heard):
    link = listen(child("while True: pass"), heard)
    link.kill()
    link.kill()
    qtbot.waitUntil(lambda: bool(heard["closed"]))
    assert len(heard["closed"]) == 1


def test_a_link_starts_again_after_it_closed(qtbot, heard):
    link = listen(child(ECHO), heard)
    link.kill()
    qtbot.waitUntil(lambda: bool(heard["closed"]))
    link.start()
    link.send({"seq": 2})
    qtbot.waitUntil(lambda: heard["packets"] == [{"seq": 2}])
    link.kill()


def test_a_link_that_is_dropped_leaves_no_process_and_no_warning(qtbot, heard):
    link = listen(child("while True: pass"), heard)
    process = link._process
    link.deleteLater()
    with qtbot.waitSignal(link.destroyed):
        pass
    del link, process


def test_a_quit_ends_the_process_of_a_link_and_asks_nothing_of_one_that_is_gone(
    qapp, qtbot, heard
):
    gone = child(ECHO)
    gone.deleteLater()
    with qtbot.waitSignal(gone.destroyed):
        pass
    link = listen(child("while True: pass"), heard)
    assert link._process.waitForStarted()
    with qtbot.captureExceptions() as errors:
        QMetaObject.invokeMethod(qapp, "aboutToQuit")
    assert errors == []
    assert link._process.state() == QProcess.ProcessState.NotRunning


def test_reading_a_flood_gives_way_to_the_window_after_every_slice(qtbot, heard):
    link = ProcessLink([sys.executable, "-c", "print('{}\\n' * 300, end='')"], turn=0.0)
    beats = []
    window = QTimer(interval=0)
    window.timeout.connect(lambda: beats.append(len(heard["packets"])))
    window.start()
    listen(link, heard)
    qtbot.waitUntil(lambda: bool(heard["closed"]), timeout=30000)
    assert len(heard["packets"]) == 300
    between = [count for count in beats if 0 < count < 300]
    assert len(set(between)) > 100


def test_of_a_flood_that_is_ended_only_the_beginning_is_read(qtbot, heard):
    """Otherwise Stop would do nothing until all had been read, which can take minutes."""
    endless = "while True: print('{}' + '\\n{}' * 1000)"
    link = ProcessLink([sys.executable, "-c", endless], turn=0.0, last=0.0)
    listen(link, heard)
    qtbot.waitUntil(lambda: bool(link._lines), timeout=20000)
    link.kill()
    read = len(heard["packets"])
    qtbot.waitUntil(lambda: bool(heard["closed"]), timeout=20000)
    assert len(heard["packets"]) == read
    assert any(
        "left out, because the run was ended" in line for line in heard["console"]
    )


def test_texts_that_come_again_in_other_packets_are_one_object(qtbot):
    """A timeline keeps hundreds of thousands of headers, which name the same run, and
    each the one before.
    """
    link = ProcessLink(turn=math.inf)
    packets = []
    link.packet.connect(packets.append)
    link._split(
        b'{"id": "c41", "run_id": "a-run-of-many"}\n{"parent": "c41", "run_id": "a-run-of-many"}\n'
    )
    link._drain()
    before, after = packets
    assert after["run_id"] is before["run_id"]
    assert after["parent"] is before["id"]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        (b'{"type": "response", "request_seq": 7, "body": "\\xff\n', "cannot be read"),
        (
            b'{"type": "response", "request_seq": 7, "body": '
            + b"[" * 5000
            + b"]" * 5000
            + b"}\n",
            "too deeply",
        ),
        (
            b'{"type": "response", "request_seq": 7, "body": "'
            + b"x" * 20_000
            + b'"}\n',
            "longer than",
        ),
    ],
)
def test_an_answer_that_cannot_be_read_is_a_failure_for_who_waits(
    qtbot, heard, line, reason
):
    link = ProcessLink([sys.executable, "-c", "pass"], turn=math.inf, longest=15_000)
    link.packet.connect(heard["packets"].append)
    for start in range(0, len(line), 4000):
        link._split(line[start : start + 4000])
    link._split(b'{"n": 1}\n')
    link._drain()
    failure, after = heard["packets"]
    assert (failure["request_seq"], failure["success"]) == (7, False)
    assert reason in failure["message"]
    assert after == {"n": 1}


def test_of_a_line_without_end_only_the_beginning_is_kept(qtbot):
    link = ProcessLink([sys.executable, "-c", "pass"], longest=15_000)
    for _ in range(1000):
        link._split(b"x" * 1000)
    assert len(link._unfinished) < 16_000
    link._split(b"\n")
    assert [line.is_too_long for line in link._lines] == [True]
