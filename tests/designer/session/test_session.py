"""The session against a link that plays the host: transcripts of what is sent, and what
is mirrored.
"""

from dataclasses import replace

import pytest

from designer.session.opener import Source
from designer.session.session import DebugSession
from runtime.debug.protocol import (
    CatalogueBody,
    DiffBody,
    DivergenceBody,
    EventItem,
    EventsBody,
    ExpandBody,
    HeaderBody,
    HeadersBody,
    Moment,
    OpenBody,
    OutputItem,
    OutputsBody,
    ResumedBody,
    RunInfo,
    RunsBody,
    StartBody,
    StoppedBody,
    TimelineBody,
    Value,
)
from runtime.document.definition import NodeInfo
from tests.designer.fakes import RecordingLink, header, straight

DOCUMENT = {"format": 1, "workflow": {"name": "w", "nodes": []}, "layout": {}}


@pytest.fixture
def link():
    return RecordingLink()


@pytest.fixture
def session(qtbot, link, tmp_path):
    session = DebugSession(link)
    session.document = dict(DOCUMENT)
    store = tmp_path / "runs.db"
    store.touch()
    session.source = lambda: Source(session.document, "/work", f"sqlite:{store}")
    session.trust = lambda folder: True
    session.told = []
    session.failed.connect(lambda title, text: session.told.append((title, text)))
    session.looked = []
    session.viewed.connect(lambda: session.looked.append(session.moment))
    yield session
    session.close()


def stopped(reason="step", superstep=1, **fields):
    return StoppedBody(
        reason=reason, status="IDLE", superstep=superstep, run_id="r1", **fields
    )


def moment(number, **fields):
    return Moment(header=header(number), superstep=number - 1, **fields)


def start(session, link, headers=2):
    """A run that stands at checkpoint `headers`."""
    session.run(stop_on_entry=True)
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.reply("start", StartBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(straight(headers))))
    link.reply("inspect", moment(headers))
    link.notice("stopped", stopped(superstep=headers - 1, checkpoint_id=f"c{headers}"))
    link.reply("inspect", moment(headers))
    link.reply("runs", RunsBody(runs=()))
    session.timeline.flush()
    session.looked.clear()


def test_a_run_opens_the_document_then_starts_and_is_live_when_the_host_says_so(
    session, link
):
    session.run({"n": 1})
    assert link.commands == ["open"]
    assert (session.mode, session.running) == ("edit", False)
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("start")["arguments"] == {
        "input": {"n": 1},
        "stop_on_entry": False,
    }
    link.notice("resumed", ResumedBody(run_id="r1"))
    assert (session.mode, session.running, session.run_id) == ("live", True, "r1")
    link.notice("stopped", stopped("finished"))
    assert (session.mode, session.running, session.stopped.reason) == (
        "live",
        False,
        "finished",
    )


def test_every_run_opens_the_document_as_it_is_then_since_code_may_have_changed_too(
    session, link
):
    start(session, link)
    session.leave()
    session.document = {**DOCUMENT, "workflow": {"name": "changed"}}
    session.run()
    assert link.last("open")["arguments"]["document"]["workflow"] == {"name": "changed"}
    link.reply("open", OpenBody(workflow="w"))
    link.reply("start", StartBody(run_id="r2"))
    session.leave()
    session.run()
    assert link.commands.count("open") == 3


def test_going_on_with_a_run_opens_nothing(session, link):
    start(session, link)
    session.document = {**DOCUMENT, "workflow": {"name": "changed"}}
    session.step()
    assert link.commands[-1] == "step"
    assert link.commands.count("open") == 1


def test_nothing_of_an_untrusted_folder_reaches_the_host(session, link):
    asked = []
    replies = []
    session.trust = lambda folder: bool(asked.append(folder))
    session.run(done=replies.append)
    assert (link.commands, asked, session.told) == ([], ["/work"], [])
    assert not replies[0].success
    session.trust = lambda folder: True
    session.run()
    assert link.commands == ["open"]


def test_a_workflow_that_does_not_open_is_told_and_not_started(session, link):
    session.run()
    link.reply("open", error="nodes[0]: there is no type 'x'")
    assert link.commands == ["open"]
    assert session.told == [
        ("The workflow cannot be run", "nodes[0]: there is no type 'x'")
    ]
    session.run()
    assert link.commands == ["open", "open"]


def test_a_step_when_editing_starts_a_run_that_stands_at_its_input(session, link):
    session.step()
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("start")["arguments"]["stop_on_entry"] is True


def test_a_key_that_repeats_sends_one_step_until_the_run_stands_again(session, link):
    start(session, link)
    session.step()
    session.step()
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.reply("step")
    session.step()
    assert link.commands.count("step") == 1
    link.notice("stopped", stopped(superstep=2))
    session.step()
    assert link.commands.count("step") == 2


def test_looking_at_a_checkpoint_inspects_it_and_moves_nothing(session, link):
    start(session, link, headers=4)
    sent = len(link.sent)
    session.view("c2")
    assert (session.mode, session.viewing, session.head.id) == ("past", "c2", "c4")
    assert [packet["command"] for packet in link.sent[sent:]] == ["inspect"]
    link.reply("inspect", moment(2))
    assert session.moment.header.id == "c2"


def test_scrubbing_asks_one_at_a_time_and_only_for_the_newest(session, link):
    start(session, link, headers=9)
    sent = len(link.sent)
    for number in range(1, 9):
        session.view(f"c{number}")
    asked = [packet["arguments"]["checkpoint_id"] for packet in link.sent[sent:]]
    assert asked == ["c1"]
    link.reply("inspect", moment(1))
    assert link.last("inspect")["arguments"]["checkpoint_id"] == "c8"
    link.reply("inspect", moment(8))
    assert session.moment.header.id == "c8"
    assert len(link.sent) == sent + 2


def test_a_checkpoint_that_cannot_be_shown_is_told(session, link):
    start(session, link, headers=4)
    session.view("c2")
    link.reply("inspect", error="Checkpoint c2 is damaged")
    assert session.told == [
        ("This checkpoint cannot be shown", "Checkpoint c2 is damaged")
    ]
    session.view("c1")
    assert link.last("inspect")["arguments"]["checkpoint_id"] == "c1"


def test_a_checkpoint_that_was_looked_at_is_shown_again_without_asking(session, link):
    start(session, link, headers=4)
    session.view("c2")
    link.reply("inspect", moment(2))
    session.view("c1")
    link.reply("inspect", moment(1))
    sent = len(link.sent)
    session.view("c2")
    assert session.moment.header.id == "c2"
    assert len(link.sent) == sent


def test_a_comparison_follows_what_is_looked_at_and_ends_when_the_run_moves(
    session, link
):
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.compare_with("c2")
    asked = link.last("diff")["arguments"]
    assert (asked["base"], asked["checkpoint_id"]) == ("c2", "c1")
    # The first question is dropped, and its answer is not taken for the second.
    dropped = link.last("diff")["seq"]
    session.compare_with("c1")
    assert link.last("drop")["arguments"]["number"] == dropped
    assert link.last("diff")["arguments"]["base"] == "c1"
    link.reply("diff", DiffBody(base="c1", checkpoint_id="c1"))
    assert session.comparison == DiffBody(base="c1", checkpoint_id="c1")
    link.notice("resumed", ResumedBody(run_id="r1"))
    assert (session.base, session.comparison) == ("", None)


def test_nothing_is_compared_while_the_comparison_is_not_on_screen(session, link):
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.watch_comparison(False)
    session.compare_with("c2")
    assert not [packet for packet in link.sent if packet["command"] == "diff"]
    session.watch_comparison(True)
    asked = link.last("diff")["seq"]
    session.watch_comparison(False)
    assert link.last("drop")["arguments"]["number"] == asked


def test_where_two_checkpoints_part_is_asked_on_request_only(session, link):
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.compare_with("c2")
    assert "divergence" not in {packet["command"] for packet in link.sent}
    session.show_first_difference(True)
    asked = link.last("divergence")["arguments"]
    assert (asked["base"], asked["checkpoint_id"]) == ("c2", "c1")
    body = DivergenceBody(base="c2", checkpoint_id="c1", equal=3)
    link.reply("divergence", body)
    assert session.divergence == body
    session.compare_with("")
    assert (session.divergence, session.shows_first) == (None, False)


def test_branches_part_at_one_place_wherever_the_user_is_on_them(session, link):
    start(session, link, headers=4)
    fork = [
        header(5, parent="c2", superstep=1, cause="fork", branch="what if"),
        header(6, parent="c5", superstep=2, branch="what if"),
        header(7, parent="c6", superstep=3, branch="what if"),
    ]
    link.notice("checkpoints", HeadersBody(headers=tuple(fork)))
    session.timeline.flush()
    session.view("c6")
    link.reply("inspect", moment(6))
    session.compare_with("c3")
    session.show_first_difference(True)
    asked = link.last("divergence")
    ends = (asked["arguments"]["base"], asked["arguments"]["checkpoint_id"])
    assert ends == ("c4", "c7")
    body = DivergenceBody(base="c4", checkpoint_id="c7", equal=2)
    link.reply("divergence", body)
    session.compare_pair("c2", "c5")
    link.reply("inspect", moment(5))
    assert link.last("divergence")["seq"] == asked["seq"]
    assert session.divergence == body
    # Two checkpoints of one branch are compared themselves.
    session.compare_pair("c5", "c6")
    asked = link.last("divergence")["arguments"]
    assert (asked["base"], asked["checkpoint_id"]) == ("c5", "c6")


def test_the_newest_run_of_the_same_workflow_of_another_store_is_compared(
    session, link
):
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.compare_with_store("sqlite:/old/other.db")
    assert link.last("runs")["arguments"]["store"] == "sqlite:/old/other.db"
    runs = tuple(
        RunInfo(
            run_id=f"r{number}",
            workflow=workflow,
            checkpoints=3,
            branches=1,
            latest=header(number),
        )
        for number, workflow in ((9, "another"), (8, header(1).workflow))
    )
    link.reply("runs", RunsBody(runs=runs))
    asked = link.last("diff")["arguments"]
    assert (asked["base"], asked["base_store"]) == ("c8", "sqlite:/old/other.db")
    assert session.base_name == "other.db, run 1"
    # A checkpoint of this run ends the comparison with the other store.
    session.compare_with("c2")
    asked = link.last("diff")["arguments"]
    assert (asked["base"], asked["base_store"]) == ("c2", "")


def test_a_store_without_runs_and_one_that_cannot_be_opened_are_told(session, link):
    start(session, link)
    session.compare_with_store("sqlite:empty.db")
    link.reply("runs", RunsBody(runs=()))
    session.compare_with_store("sqlite:gone.db")
    link.reply("runs", error="no such file")
    title = "This store cannot be compared with"
    assert session.told == [
        (title, "There is no run in it."),
        (title, "no such file"),
    ]
    assert session.base == ""


def test_along_the_other_run_its_name_stays(session, link):
    """A row of the aligned supersteps names two checkpoints, one of them there."""
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.compare_with("x9", "other.db, run 1", "sqlite:other.db")
    session.compare_pair("x8", "c1")
    asked = link.last("diff")["arguments"]
    assert (asked["base"], asked["base_store"]) == ("x8", "sqlite:other.db")
    assert session.base_name == "other.db, run 1"


def test_what_cannot_be_compared_is_told_and_not_waited_for(session, link):
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.compare_with("c2")
    link.reply("diff", error="Checkpoint c2 is damaged")
    assert session.told == [
        ("These two cannot be compared", "Checkpoint c2 is damaged")
    ]
    assert session.comparison_failed
    session.compare_with("c1")
    assert not session.comparison_failed
    # A question that is dropped is no failure.
    session.watch_comparison(False)
    link.reply("diff", error="The question was dropped.", error_type="Dropped")
    assert len(session.told) == 1


def test_the_invocation_to_compare_with_is_asked_inside_only(session, link):
    start(session, link)
    session.view("c1")
    link.reply("inspect", moment(1))
    session.compare_with("c2")
    session.choose_base_run("review#1")
    assert link.last("diff")["arguments"]["base_run"] == ""
    session.look_inside(("review",))
    link.reply("inspect", moment(1))
    assert link.last("diff")["arguments"]["base_run"] == "review#1"
    assert not session.is_compared


def test_a_moment_of_the_past_that_comes_late_does_not_replace_the_live_one(
    session, link
):
    start(session, link, headers=4)
    session.view("c2")
    session.back_to_live()
    link.reply("inspect", moment(2))
    assert session.looked == []
    link.reply("inspect", moment(4))
    assert [shown.header.id for shown in session.looked] == ["c4"]


def test_where_the_run_stands_is_live_and_not_past(session, link):
    start(session, link, headers=4)
    session.view("c2")
    session.view("c4")
    assert (session.mode, session.viewing) == ("live", None)


def test_step_back_goes_along_parents_and_step_comes_forward_without_running(
    session, link
):
    start(session, link, headers=4)
    session.step_back()
    assert session.viewing == "c3"
    session.step_back()
    assert session.viewing == "c2"
    session.step()
    session.step()
    assert session.mode == "live"
    assert "step" not in link.commands


def test_a_run_flat_out_is_looked_at_in_intervals_and_at_its_end(session, link, qtbot):
    start(session, link)
    session.continue_()
    link.reply("continue")
    link.notice("resumed", ResumedBody(run_id="r1"))
    looks = link.commands.count("inspect")
    for number in range(3, 60):
        link.notice("checkpoints", HeadersBody(headers=(header(number),)))
        link.reply("inspect", moment(number))
    assert link.commands.count("inspect") - looks <= 5
    link.notice("stopped", stopped("finished", 58))
    qtbot.waitUntil(lambda: link.commands.count("inspect") > looks)
    while session.moment.header.id != "c59":
        link.reply("inspect", moment(59))
    assert session.timeline.rowCount() < 60
    session.timeline.flush()
    assert session.timeline.rowCount() == 59


def test_new_checkpoints_do_not_pull_the_user_out_of_the_past(session, link):
    start(session, link, headers=4)
    session.view("c2")
    looks = link.commands.count("inspect")
    link.notice("checkpoints", HeadersBody(headers=(header(5),)))
    assert (session.mode, session.head.id) == ("past", "c5")
    assert link.commands.count("inspect") == looks


def test_restore_stands_live_at_the_fork_that_the_host_made(session, link):
    start(session, link, headers=4)
    session.view("c2")
    session.restore("c2")
    link.reply("open", OpenBody(workflow="w"))
    arguments = link.last("restore")["arguments"]
    given = {name: value for name, value in arguments.items() if value is not None}
    assert given == {
        "checkpoint_id": "c2",
        "branch": "",
        "fork": True,
        "on_change": "refuse",
        "replay": {
            "live": [],
            "pinned": {},
            "default": "recorded",
            "on_miss": "stop",
        },
    }
    fork = header(5, parent="c2", superstep=1, cause="fork", branch="fork 1")
    link.notice("checkpoints", HeadersBody(headers=(fork,)))
    link.reply("restore", HeaderBody(header=fork))
    assert (session.mode, session.head.branch, session.viewing) == (
        "live",
        "fork 1",
        None,
    )


def test_a_run_that_could_not_start_after_an_edit_leaves_the_earlier_one_to_go_on_with(
    session, link
):
    start(session, link, headers=3)
    session.document = {**DOCUMENT, "workflow": {"name": "broken"}}
    session.run()
    link.reply("open", OpenBody(workflow="broken"))
    link.reply("start", error="nodes[0]: there is no type 'x'")
    session.step()
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c3"


def test_a_second_restore_before_the_first_is_done_makes_no_second_branch(
    session, link
):
    start(session, link, headers=4)
    session.restore("c2")
    session.restore("c2")
    link.reply("open", OpenBody(workflow="w"))
    assert link.commands.count("restore") == 1


def test_a_restore_that_is_refused_says_why(session, link):
    start(session, link, headers=4)
    session.restore("c2")
    link.reply("open", OpenBody(workflow="w"))
    link.reply("restore", error="Workflow graph has changed: node b is gone")
    assert session.told == [
        (
            "The checkpoint could not be restored",
            "Workflow graph has changed: node b is gone",
        )
    ]
    assert session.head.id == "c4"


def test_what_the_host_refuses_to_put_elsewhere_leaves_the_view_as_it_was(
    session, link
):
    start(session, link, headers=3)
    session.view("c1")
    session.restore("c1")
    link.reply("open", OpenBody(workflow="w"))
    link.reply("restore", error="the workflow is another one")
    assert (session.mode, session.viewing) == ("past", "c1")
    session.leave()
    modes = []
    session.changed.connect(lambda: modes.append(session.mode))
    for command, move in [
        ("restore", lambda: session.restore("c1")),
        ("start", session.run),
    ]:
        move()
        link.reply("open", OpenBody(workflow="w"))
        link.reply(command, error="it cannot be built")
    assert set(modes) == {"edit"}
    session.run()
    link.reply("open", OpenBody(workflow="w"))
    link.notice("resumed", ResumedBody(run_id="r2"))
    assert session.mode == "live"


def test_who_goes_back_to_editing_while_a_restore_is_on_stays_there(session, link):
    start(session, link, headers=3)
    session.restore("c1")
    link.reply("open", OpenBody(workflow="w"))
    session.leave()
    link.reply("restore", HeaderBody(header=header(4, parent="c1", branch="fork 2")))
    assert session.mode == "edit"


def test_a_restore_while_the_run_moves_stops_it_first(session, link):
    start(session, link, headers=4)
    session.continue_()
    link.notice("resumed", ResumedBody(run_id="r1"))
    session.restore("c2")
    assert link.commands[-1] == "stop"
    link.notice("stopped", stopped("cancelled"))
    link.reply("open", OpenBody(workflow="w"))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c2"


def test_an_answer_in_the_past_is_refused_with_what_to_do(session, link):
    start(session, link, headers=4)
    session.view("c2")
    session.answer({"q": True})
    assert "answer" not in link.commands
    assert "Restore" in session.told[0][1]
    session.back_to_live()
    session.answer({"q": True})
    assert link.last("answer")["arguments"] == {"answers": {"q": True}}


def test_an_answer_that_was_waited_for_lets_the_run_go_on_when_it_is_accepted(
    session, link
):
    start(session, link, headers=4)
    session.continue_()
    link.notice("stopped", stopped("waiting", superstep=3, checkpoint_id="c4"))
    link.reply("continue")
    session.answer({"q": "no"})
    link.reply("answer", error="'no' is not one of yes, maybe")
    assert (link.commands.count("continue"), session.running) == (1, False)
    session.answer({"q": "yes"})
    link.notice("stopped", stopped("step", superstep=3, checkpoint_id="c5"))
    assert link.commands.count("continue") == 1
    link.reply("answer", HeaderBody(header=header(5, cause="response")))
    assert link.commands.count("continue") == 2


def answered_at(session, link, reason, queued):
    """A run that stands, with so many messages queued, gets an answer."""
    start(session, link, headers=4)
    session.continue_()
    link.notice("checkpoints", HeadersBody(headers=(header(5, queued=queued),)))
    link.notice("stopped", stopped(reason, superstep=4, checkpoint_id="c5"))
    link.reply("continue")
    session.answer({"q": "yes"})
    link.notice("stopped", stopped("step", superstep=4, checkpoint_id="c6"))
    link.reply("answer", HeaderBody(header=header(6, cause="response")))


@pytest.mark.parametrize("reason", ["step", "pause", "restored"])
def test_an_answer_in_the_middle_of_a_run_that_the_user_holds_leaves_it_standing(
    session, link, reason
):
    answered_at(session, link, reason, queued=1)
    assert link.commands.count("continue") == 1


@pytest.mark.parametrize("reason", ["step", "pause", "restored"])
def test_an_answer_without_which_the_run_could_not_go_on_lets_it_go_on(
    session, link, reason
):
    answered_at(session, link, reason, queued=0)
    assert link.commands.count("continue") == 2


def test_stop_that_is_obeyed_kills_nothing(session, link, qtbot):
    start(session, link)
    session.continue_()
    link.notice("resumed", ResumedBody(run_id="r1"))
    session.stop()
    session.stop()
    assert link.commands.count("stop") == 1
    link.notice("stopped", stopped("cancelled"))
    link.reply("stop")
    qtbot.wait(1000)
    assert (link.kills, session.told) == (0, [])


def test_a_run_that_does_not_stop_is_killed_and_the_next_command_stands_at_the_last_checkpoint(
    session, link, qtbot
):
    start(session, link, headers=3)
    session.step()
    link.notice("resumed", ResumedBody(run_id="r1"))
    session.stop()
    qtbot.waitUntil(lambda: link.kills == 1, timeout=15000)
    assert (session.running, session.mode, session.stopped.reason) == (
        False,
        "live",
        "cancelled",
    )
    assert session.told == []
    assert link.starts == 2
    assert link.last("open")["arguments"]["document"] is None
    link.reply("open", OpenBody(workflow="w"))
    session.step()
    link.reply("open", OpenBody(workflow="w"))
    # not yet: the lost host may have saved more than it told
    assert link.commands[-1] == "open"
    link.reply("timeline", TimelineBody(headers=(header(4),)))
    assert link.last("restore")["arguments"]["checkpoint_id"] == "c4"
    link.reply(
        "restore",
        HeaderBody(
            header=header(5, parent="c4", superstep=3, cause="fork", branch="b")
        ),
    )
    assert link.commands[-1] == "step"


def test_a_host_that_dies_is_told_and_keeps_what_was_saved(session, link):
    replies = []
    start(session, link, headers=3)
    session.step(done=replies.append)
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.close("The process of the run was ended by signal SIGSEGV.")
    assert [reply.success for reply in replies] == [False]
    _, text = session.told[0]
    assert len(session.told) == 1
    assert "SIGSEGV" in text
    assert "last checkpoint" in text
    assert (session.running, session.head.id, session.timeline.rowCount()) == (
        False,
        "c3",
        3,
    )


def test_a_store_that_cannot_be_written_is_opened_for_reading_only(
    session, link, tmp_path
):
    (tmp_path / "runs.db").chmod(0o444)
    session.load_history(session.source().store, "w")
    assert link.last("open")["arguments"]["read_only"]
    assert session.read_only
    (tmp_path / "runs.db").chmod(0o644)
    assert not session.read_only


def test_looking_at_the_past_works_after_the_host_died_without_building_anything(
    session, link
):
    start(session, link, headers=3)
    link.close("gone")
    session.view("c1")
    assert link.last("open")["arguments"]["document"] is None
    link.reply("open", OpenBody(workflow="w"))
    link.reply("inspect", moment(1))
    assert session.moment.header.id == "c1"


def test_the_history_of_a_document_is_there_before_anything_ran(session, link):
    session.load_history(session.source().store, "w")
    assert link.last("open")["arguments"]["document"] is None
    link.reply("open", OpenBody(workflow="w"))
    newest = RunInfo(
        run_id="r1", workflow="w", checkpoints=4, branches=1, latest=header(4)
    )
    link.reply("runs", RunsBody(runs=(newest,)))
    link.reply("timeline", TimelineBody(headers=tuple(straight(4)[:3]), more=True))
    assert link.last("timeline")["arguments"]["after"] == 3
    link.reply("timeline", TimelineBody(headers=(header(4),)))
    assert session.timeline.rowCount() == 4
    assert (session.mode, session.run_id, session.runs[0].run_id) == (
        "edit",
        None,
        "r1",
    )
    session.view("c4")
    assert session.mode == "past"


def test_a_run_that_cannot_be_opened_leaves_the_history_to_look_at(session, link):
    session.load_history(session.source().store, "w")
    link.reply("open", OpenBody(workflow="w"))
    link.reply("runs", RunsBody(runs=()))
    session.run()
    link.reply("open", error="The store cannot be written.")
    session.view("c1")
    assert link.commands[-1] == "open"
    link.reply("open", OpenBody(workflow="w"))
    assert link.commands[-1] == "inspect"


def run_info(run_id, workflow="w"):
    return RunInfo(
        run_id=run_id,
        workflow=workflow,
        checkpoints=4,
        branches=1,
        latest=header(4, run_id=run_id),
    )


def test_a_document_shows_its_own_runs_alone(session, link):
    session.load_history(session.source().store, "w")
    link.reply("open", OpenBody(workflow="other"))
    link.reply(
        "runs",
        RunsBody(runs=(run_info("other's", "other"), run_info("r1"), run_info("r0"))),
    )
    assert [run.run_id for run in session.runs] == ["r1", "r0"]
    assert link.last("timeline")["arguments"]["run_id"] == "r1"


def test_a_damaged_run_that_does_not_say_whose_it_is_is_listed(session, link):
    lost = run_info("r9", "")
    damaged = lost.model_copy(
        update={"latest": replace(lost.latest, damaged="it is cut")}
    )
    session.load_history(session.source().store, "w")
    link.reply("open", OpenBody(workflow="w"))
    link.reply(
        "runs", RunsBody(runs=(damaged, run_info("r8", "another"), run_info("r7", "")))
    )
    assert [run.run_id for run in session.runs] == ["r9"]


def test_of_runs_without_a_name_or_a_file_those_made_here_are_shown(session, link):
    start(session, link)
    name = "workflow"
    unnamed = replace(header(1, run_id="r2"), workflow=name)
    link.notice("checkpoints", HeadersBody(headers=(unnamed,)))
    link.reply(
        "runs", RunsBody(runs=(run_info("r2", name), run_info("somebody's", name)))
    )
    assert [run.run_id for run in session.runs] == ["r2"]


def test_what_was_put_out_is_asked_of_the_checkpoint_and_its_values_where_they_are(
    session, link
):
    start(session, link, headers=4)
    got = []
    session.questions.outputs("c4", got.append)
    assert link.last("outputs")["arguments"] == {"checkpoint_id": "c4"}
    item = OutputItem(
        superstep=2,
        executor="n",
        checkpoint_id="c3",
        value=Value(type="dict", text="1 item", count=1),
    )
    link.reply("outputs", OutputsBody(checkpoint_id="c4", items=(item,)))
    assert got[0].items == (item,)
    session.questions.expand("output:0", (), 0, got.append, checkpoint_id="c3")
    assert link.last("expand")["arguments"]["checkpoint_id"] == "c3"
    session.questions.outputs("c9", got.append)
    link.reply("outputs", error="Checkpoint c9 is damaged")
    assert got[-1] is None
    assert session.told == [
        ("The outputs of the run cannot be shown", "Checkpoint c9 is damaged")
    ]


def test_who_asked_is_not_called_when_the_window_has_closed(session, link):
    start(session, link, headers=4)
    got = []
    session.questions.outputs("c4", got.append)
    session.questions.expand("state", (), 0, got.append)
    session.close()
    assert not link.is_open
    assert got == []


def test_looking_for_history_makes_no_store(session, link, tmp_path):
    session.load_history(f"sqlite:{tmp_path / 'none.db'}", "w")
    assert link.commands == []


def test_another_run_is_chosen_and_left_again(session, link):
    start(session, link, headers=3)
    session.select_run("r0")
    link.reply(
        "timeline",
        TimelineBody(headers=(header(1, run_id="r0"), header(2, run_id="r0"))),
    )
    assert (session.viewing, session.timeline.run_id) == ("c2", "r0")
    link.notice("checkpoints", HeadersBody(headers=(header(4),)))
    session.timeline.flush()
    assert session.timeline.rowCount() == 2
    session.select_run("r1")
    assert session.mode == "live"
    link.reply("timeline", TimelineBody(headers=tuple(straight(4))))
    assert (session.timeline.run_id, session.timeline.rowCount()) == ("r1", 4)


def test_a_failed_superstep_and_one_that_was_not_saved_are_marked(session, link):
    start(session, link, headers=3)
    items = (
        EventItem(
            number=1,
            time=0,
            kind="checkpoint_missed",
            superstep=2,
            text="not saved: disk full",
        ),
    )
    link.notice("event", EventsBody(events=items))
    link.notice("stopped", stopped("failed", 2, text="ValueError: x", executor="a"))
    assert [
        (mark.kind, mark.column) for mark in session.timeline.lane_rows[0].incidents
    ] == [
        ("missed", 2),
        ("failed", 3),
    ]


def test_children_of_a_value_belong_to_the_moment_that_is_looked_at(session, link):
    start(session, link, headers=3)
    session.view("c2")
    got = []
    session.questions.expand("state", [0, 1], 200, got.append)
    assert link.last("expand")["arguments"] == {
        "checkpoint_id": "c2",
        "section": "state",
        "path": [0, 1],
        "offset": 200,
        "limit": 200,
        "inside": [],
        "runs": [],
        "patch": None,
    }
    link.reply(
        "expand", ExpandBody(children=(("a", Value(type="int", text="1")),), count=1)
    )
    session.questions.expand("state", [0], 0, got.append)
    link.reply("expand", error="gone")
    assert (got[0].count, got[1]) == (1, None)


def test_a_note_is_shown_when_it_is_stored(session, link):
    start(session, link, headers=3)
    session.annotate("c2", note="here it goes wrong")
    assert session.timeline.header("c2").note == ""
    link.reply("annotate", HeaderBody(header=header(2, note="here it goes wrong")))
    assert session.timeline.header("c2").note == "here it goes wrong"


def test_node_types_are_asked_for_once_and_again_after_a_failure(session, link):
    session.load_catalogue()
    session.load_catalogue()
    assert link.commands == ["catalogue"]
    link.close("gone")
    session.load_catalogue()
    info = NodeInfo(type="ask", title="Ask", category="Human", icon="person")
    link.reply("catalogue", CatalogueBody(nodes=(info,)))
    session.load_catalogue()
    assert (link.commands.count("catalogue"), session.infos["ask"].title) == (2, "Ask")


def test_another_folder_has_node_types_of_its_own_and_what_is_left_out_is_told(
    session, link
):
    folder = ["/one"]
    said = []
    session.folder = lambda: folder[0]
    session.console.connect(lambda stream, text: said.append((stream, text)))
    session.load_catalogue()
    link.reply(
        "catalogue", CatalogueBody(nodes=(), warnings=("nodes/x.py is left out",))
    )
    session.load_catalogue()
    folder[0] = "/two"
    session.load_catalogue()
    assert [packet["arguments"]["folder"] for packet in link.sent] == ["/one", "/two"]
    assert said == [("stderr", "nodes/x.py is left out")]


def test_leaving_shows_the_drawing_again_and_keeps_the_run(session, link):
    start(session, link, headers=3)
    session.leave()
    assert (session.mode, session.moment, session.run_id) == ("edit", None, "r1")
    link.notice("checkpoints", HeadersBody(headers=(header(4),)))
    assert session.mode == "edit"
    session.back_to_live()
    assert session.mode == "live"


def test_another_document_forgets_the_run(session, link):
    start(session, link, headers=3)
    session.forget()
    assert (
        session.mode,
        session.run_id,
        session.head,
        session.timeline.rowCount(),
    ) == ("edit", None, None, 0)
