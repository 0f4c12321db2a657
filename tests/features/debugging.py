"""The rows on running, stepping, breakpoints, time and what a run holds."""

from __future__ import annotations

from tests.features.feature import Feature

DEBUGGING: dict[int, Feature] = {
    28: Feature(
        "MUST",
        "run, pause and stop, said in the status bar and the title",
        (
            "tests/end_to_end/test_window.py::test_the_main_job_from_run_to_report",
            "shell/test_workspace.py::test_mode_is_said_in_title_status_and_colour",
            "shell/test_going.py::test_the_focus_goes_from_a_verb_that_is_done_to_the_canvas_and_never_to_another_verb",
        ),
    ),
    29: Feature(
        "MUST",
        "one superstep",
        (
            "shell/test_going.py::test_after_the_last_checkpoint_of_a_branch_superstep_makes_one_more_from_it",
            "session/test_with_host.py::test_a_run_is_stepped_looked_at_restored_and_finished_on_another_branch",
        ),
    ),
    30: Feature(
        "MUST",
        "one delivery inside a superstep",
        (
            "shell/test_stops.py::test_delivery_is_on_the_toolbar_and_f11",
            "shell/test_stops.py::test_next_delivery_in_the_banner_steps_and_edit_opens_the_selection",
            "shell/test_stops.py::test_the_executor_is_selected_and_shown_as_the_next_delivery",
        ),
    ),
    31: Feature(
        "MUST",
        "run to an executor, an edge, a checkpoint or the next question",
        (
            "shell/test_stops.py::test_run_to_here_goes_to_what_is_selected",
            "shell/test_stops.py::test_run_to_here_while_editing_starts_a_run_for_it",
            "shell/test_stops.py::test_run_to_the_next_question_and_run_without_stopping",
        ),
    ),
    32: Feature(
        "MUST",
        "back by one checkpoint, and back to the last hit",
        (
            "panels/test_timeline.py::test_the_buttons_walk_and_are_off_where_there_is_nothing_more",
        ),
    ),
    33: Feature(
        "SHOULD",
        "one executor alone with a chosen input",
        lacks="A copy of the node in an empty workflow does it. Pinned results of executors are planned.",
    ),
    34: Feature(
        "SHOULD",
        "a run moves on the canvas, and motion can be off",
        (
            "canvas/test_scene.py::test_a_superstep_at_work_says_running_and_done_held",
            "shell/test_motion.py::test_a_change_of_the_system_reaches_canvas_and_timeline",
        ),
        lacks="No camera follows the run.",
    ),
    35: Feature(
        "BEYOND",
        "the fate of each message: taken, buffered, or dropped and why",
        (
            "panels/test_selected.py::test_an_edge_tells_what_it_stopped_and_what_decides",
            "canvas/test_overlay.py::test_a_stopped_message_is_loud_only_where_nobody_else_took_it",
        ),
    ),
    36: Feature(
        "MUST",
        "a stop is prompt and leaves nothing behind",
        (
            "tests/end_to_end/test_window_trouble.py::test_an_endless_loop_leaves_the_window_alive_and_stop_ends_it",
            "tests/end_to_end/test_window_trouble.py::test_stop_right_after_run_leaves_a_window_that_can_run_again",
        ),
    ),
    43: Feature(
        "MUST",
        "checkpoints with superstep, time, size and what waits",
        (
            "panels/test_timeline.py::test_a_click_looks_and_runs_nothing",
            "panels/test_timeline.py::test_the_details_say_what_the_checkpoint_holds",
        ),
    ),
    44: Feature(
        "MUST",
        "scrubbing through time, with the canvas",
        (
            "panels/test_timeline.py::test_dragging_scrubs_along_the_branch_that_was_pressed",
            "panels/test_timeline.py::test_keys_walk_along_the_branch_and_across_the_fork",
            "panels/test_timeline.py::test_space_plays_to_the_end_of_the_branch_and_stops_there",
            "canvas/test_scene.py::test_a_moment_shows_its_states_and_back_to_editing_shows_none",
        ),
    ),
    46: Feature(
        "MUST",
        "restoring anywhere is a fork, and says what runs again",
        (
            "panels/test_timeline.py::test_a_double_click_and_enter_ask_to_restore",
            "tests/end_to_end/test_sub_workflows.py::test_a_run_is_seen_inside_answered_seen_in_the_past_and_restored_there",
        ),
    ),
    47: Feature(
        "MUST",
        "lineage by the parent's id",
        (
            "panels/test_timeline.py::test_lanes_say_where_they_come_from",
            "panels/test_timeline.py::test_keys_walk_along_the_branch_and_across_the_fork",
        ),
    ),
    48: Feature(
        "MUST",
        "gaps and foreign checkpoints are shown",
        (
            "panels/test_timeline.py::test_case_94_a_gap_is_marked_and_walked_over",
            "panels/test_timeline.py::test_case_94_the_line_of_a_lane_is_dotted_over_a_gap",
        ),
    ),
    52: Feature(
        "MUST",
        "state as typed trees, searched and copied as Python or JSON",
        (
            "panels/test_inspector.py::test_search_says_how_much_it_found",
            "panels/test_value_tree.py::test_the_value_is_copied_in_the_notation_of_python",
            "panels/test_value_tree.py::test_the_path_that_is_copied_is_python",
        ),
    ),
    53: Feature(
        "MUST",
        "queued messages with source, target and age",
        (
            "canvas/test_panel_targets.py::test_a_queue_tag_leads_to_messages",
            "panels/test_inspector.py::test_messages_are_grouped_by_who_gets_them",
        ),
    ),
    54: Feature(
        "BEYOND",
        "joins: what each source gave, and who is missing",
        (
            "panels/test_joins.py::test_the_ledger_tells_the_whole_story",
            "panels/test_joins.py::test_a_click_on_a_source_selects_its_node",
        ),
    ),
    55: Feature(
        "MUST",
        "the difference of any two checkpoints, with what moved",
        (
            "panels/test_changes.py::test_each_section_shows_what_differs_in_it_and_what_was_removed",
            "tests/end_to_end/test_stores.py::test_two_runs_are_compared",
        ),
    ),
    59: Feature(
        "MUST",
        "large values are read as they are opened; viewers of one's own",
        (
            "panels/test_value_tree.py::test_children_are_asked_for_when_a_row_is_opened_and_the_rest_on_request",
            "panels/test_inspector.py::test_large_values_are_asked_of_the_session",
        ),
    ),
    60: Feature(
        "MUST",
        "an inbox of questions, with who asks",
        (
            "panels/test_requests.py::test_the_badge_counts_and_an_empty_inbox_says_so",
            "panels/test_requests.py::test_after_an_answer_the_keys_are_in_the_next_question",
        ),
    ),
    61: Feature(
        "MUST",
        "a form of the answer's type, JSON, and checks before it is sent",
        (
            "panels/test_requests.py::test_the_form_sends_exactly_its_json",
            "panels/test_requests.py::test_a_message_stands_under_a_field_once_it_was_touched",
            "panels/test_requests.py::test_json_and_form_show_the_same_answer",
        ),
    ),
    62: Feature(
        "MUST",
        "one question answered otherwise on another branch",
        (
            "session/test_with_host.py::test_a_run_restored_at_its_question_goes_on_with_the_answer",
            "tests/end_to_end/test_sub_workflows.py::test_a_run_is_seen_inside_answered_seen_in_the_past_and_restored_there",
        ),
    ),
    63: Feature(
        "SHOULD",
        "some questions are answered, others wait, drafts are kept",
        (
            "panels/test_requests.py::test_a_draft_is_there_again_when_one_comes_back",
            "panels/test_requests.py::test_after_an_answer_the_keys_are_in_the_next_question",
        ),
    ),
    65: Feature(
        "MUST",
        "what a sub-workflow holds, for each of its runs",
        (
            "shell/test_sub_workflows.py::test_of_several_runs_inside_one_is_chosen_in_the_strip",
            "shell/test_sub_workflows.py::test_panels_tell_of_the_level_that_is_looked_at",
        ),
    ),
    66: Feature(
        "MUST",
        "restoring the parent restores the runs inside exactly",
        (
            "tests/end_to_end/test_sub_workflows.py::test_a_run_is_seen_inside_answered_seen_in_the_past_and_restored_there",
        ),
    ),
}
