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
            "shell/test_breakpoints_window.py::test_inside_a_superstep_messages_shows_the_deliveries_and_what_is_held",
            "tests/end_to_end/test_breakpoints.py::test_a_delivery_shows_what_it_sent_and_the_run_goes_to_here_and_holds_an_executor",
        ),
    ),
    31: Feature(
        "MUST",
        "run to an executor, an edge, a checkpoint or the next question",
        (
            "shell/test_stops.py::test_run_to_here_goes_to_what_is_selected",
            "shell/test_stops.py::test_run_to_here_while_editing_starts_a_run_for_it",
            "shell/test_stops.py::test_run_to_the_next_question_and_run_without_stopping",
            "tests/end_to_end/test_breakpoints.py::test_a_delivery_shows_what_it_sent_and_the_run_goes_to_here_and_holds_an_executor",
        ),
    ),
    32: Feature(
        "MUST",
        "back by one checkpoint, and back to the last hit",
        (
            "panels/test_timeline.py::test_the_buttons_walk_and_are_off_where_there_is_nothing_more",
            "panels/test_past_search.py::test_run_back_is_requested_by_its_button",
        ),
    ),
    33: Feature(
        "SHOULD",
        "one executor alone with a chosen input",
        lacks="A copy of the node in an empty workflow does it.",
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
            "tests/end_to_end/test_why.py::test_a_message_that_an_edge_stopped_says_why_with_its_values",
            "panels/test_origins.py::test_messages_that_nobody_took_are_listed_with_the_reasons",
            "canvas/test_overlay.py::test_a_stopped_message_is_loud_only_where_nobody_else_took_it",
        ),
    ),
    36: Feature(
        "MUST",
        "a stop is prompt and leaves nothing behind",
        (
            "tests/end_to_end/test_window_trouble.py::test_case_190_an_endless_loop_leaves_the_window_alive_and_stop_twice_ends_it",
            "tests/end_to_end/test_window_trouble.py::test_case_190_stop_right_after_run_leaves_a_window_that_can_run_again",
        ),
    ),
    37: Feature(
        "MUST",
        "breakpoints before and after an executor, kept beside the document",
        (
            "canvas/test_breakpoints.py::test_a_click_at_the_corner_sets_one_and_further_clicks_turn_it",
            "shell/test_breakpoints_window.py::test_a_double_click_on_a_mark_edits_it",
            "panels/test_breakpoints.py::test_the_editor_changes_what_must_happen",
            "test_breakpoint_file.py::test_a_second_window_sees_the_changes_and_neither_loses_any",
        ),
    ),
    38: Feature(
        "MUST",
        "breakpoints on edges and joins",
        (
            "canvas/test_breakpoints.py::test_a_click_on_the_mark_of_an_edge_and_of_a_join_turns_it",
            "shell/test_breakpoints_window.py::test_edges_and_joins_get_one_by_their_menus",
            "tests/end_to_end/test_breakpoints.py::test_a_key_a_message_a_join_a_question_and_an_output_stop_the_run",
        ),
    ),
    39: Feature(
        "MUST",
        "a condition, hits, once, and all muted or deleted",
        (
            "panels/test_breakpoints.py::test_a_condition_is_checked_and_tried_as_it_is_typed",
            "panels/test_breakpoints.py::test_hits_once_and_log_are_set_by_mouse",
            "panels/test_breakpoints.py::test_mute_all_and_the_further_commands_work_on_all",
            "panels/test_breakpoints.py::test_selected_rows_are_turned_and_deleted_together",
            "shell/test_stops.py::test_a_breakpoint_for_one_stop_is_off_after_it",
            "tests/end_to_end/test_breakpoints.py::test_a_condition_or_a_click_stops_a_run_at_full_speed_and_the_banner_says_why",
        ),
    ),
    40: Feature(
        "SHOULD",
        "a log text instead of a stop",
        (
            "panels/test_breakpoints.py::test_hits_once_and_log_are_set_by_mouse",
            "panels/test_breakpoints.py::test_words_are_offered_in_braces_of_the_log_text_alone",
        ),
    ),
    41: Feature(
        "BEYOND",
        "on the write of a key, a failure, a question, a join that fires or starves",
        (
            "shell/test_breakpoints_window.py::test_a_key_of_the_state_gets_one_in_the_gutter_and_by_its_menu",
            "panels/test_breakpoints.py::test_a_write_of_a_node_has_its_key_and_stays_at_the_node",
            "panels/test_breakpoints.py::test_a_join_offers_what_happens_at_joins",
            "panels/test_breakpoints.py::test_add_sets_one_without_a_place_and_edits_it",
            "tests/end_to_end/test_breakpoints.py::test_a_key_a_message_a_join_a_question_and_an_output_stop_the_run",
        ),
    ),
    42: Feature(
        "MUST",
        "breakpoints inside sub-workflows, for one of its runs or all",
        (
            "shell/test_breakpoints_window.py::test_a_row_of_the_list_is_edited_at_its_mark_and_in_its_level",
            "panels/test_breakpoints.py::test_inside_a_sub_workflow_it_can_be_for_one_run_alone",
            "tests/end_to_end/test_breakpoints.py::test_a_breakpoint_inside_a_sub_workflow_leads_there_and_out_again",
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
    45: Feature(
        "MUST",
        "branches with names, tags, notes and heads",
        (
            "panels/test_timeline_branches.py::test_a_new_branch_gets_the_name_that_the_user_types",
            "panels/test_timeline_branches.py::test_m_bookmarks_a_checkpoint_and_ctrl_arrows_go_to_it",
            "panels/test_timeline_branches.py::test_the_button_lists_the_heads_and_a_click_goes_there",
            "panels/test_timeline.py::test_a_note_is_typed_beside_the_checkpoint_and_sent_once",
            "panels/test_timeline_branches.py::test_the_triangle_folds_the_branches_that_leave_a_branch_and_shows_them_again",
        ),
    ),
    46: Feature(
        "MUST",
        "restoring anywhere is a fork, and says what runs again",
        (
            "panels/test_timeline.py::test_a_double_click_and_enter_ask_to_restore",
            "tests/runtime/debug/stops/test_outside.py::test_going_on_from_the_past_repeats_no_request_no_command_and_no_file",
            "tests/runtime/replay/test_plan.py::test_an_unchanged_past_calls_nothing",
            "tests/runtime/replay/test_resume_command.py::test_an_older_checkpoint_goes_on_with_what_was_recorded",
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
    49: Feature(
        "BEYOND",
        "the hits of a question on every lane",
        (
            "panels/test_past_search.py::test_hits_are_tags_on_every_lane_with_the_active_one_told_apart",
            "panels/test_past_search.py::test_questions_have_chips_to_choose_and_to_remove_them",
        ),
    ),
    50: Feature(
        "BEYOND",
        "breakpoints and log texts asked of the past",
        (
            "panels/test_past_search.py::test_the_menu_asks_about_what_is_selected_and_about_breakpoints",
            "panels/test_past_search.py::test_run_back_is_requested_by_its_button",
        ),
    ),
    51: Feature(
        "BEYOND",
        "a board of supersteps and executors, with waiting at barriers",
        (
            "panels/test_board.py::test_a_click_on_a_cell_views_its_barrier_and_selects_the_node",
            "panels/test_board.py::test_the_pane_says_who_waited_for_whom",
            "panels/test_board.py::test_an_invocation_folds_under_its_node_with_its_own_superstep",
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
            "tests/end_to_end/test_why.py::test_from_a_starved_join_to_the_case_that_was_taken_in_two_clicks",
            "panels/test_joins.py::test_a_click_on_a_source_selects_its_node",
        ),
    ),
    55: Feature(
        "MUST",
        "the difference of any two checkpoints, with what moved",
        (
            "tests/end_to_end/test_comparing.py::test_two_moments_of_a_run_are_compared_by_mouse_and_keys",
            "tests/end_to_end/test_comparing.py::test_two_invocations_of_a_sub_workflow_are_compared",
            "tests/end_to_end/test_stores.py::test_two_runs_are_compared",
        ),
    ),
    56: Feature(
        "MUST",
        "values of the past are edited: checked, staged, previewed, applied as a fork",
        (
            "tests/end_to_end/test_edit_and_fork.py::test_a_message_of_the_past_is_repaired_and_run_on",
            "panels/test_surgery.py::test_a_key_of_the_state_is_typed_over_in_place",
            "panels/test_surgery.py::test_what_is_no_number_is_sent_as_a_text_and_refused_under_its_field",
            "panels/test_surgery.py::test_a_question_is_answered_in_its_form",
            "tests/end_to_end/test_edit_and_fork.py::test_the_value_of_another_moment_is_grafted_into_a_copy",
        ),
    ),
    57: Feature(
        "BEYOND",
        "messages in queues and joins are edited, added, dropped, duplicated and moved",
        (
            "panels/test_surgery.py::test_a_message_is_dropped_and_stays_struck_through",
            "panels/test_surgery.py::test_a_message_is_duplicated",
            "panels/test_surgery.py::test_a_message_is_moved_with_the_keys",
            "panels/test_surgery.py::test_a_message_is_dragged_to_another_place",
            "panels/test_surgery.py::test_a_message_is_added_and_typed",
            "panels/test_surgery.py::test_a_held_message_is_known_by_its_place_in_the_join",
        ),
    ),
    58: Feature(
        "BEYOND",
        "who wrote a value, back to the input",
        (
            "tests/end_to_end/test_why.py::test_from_a_wrong_output_to_who_made_it_in_two_clicks",
            "panels/test_origins.py::test_a_click_on_a_step_leads_there",
            "panels/test_origins.py::test_the_value_of_a_step_is_edited_in_a_copy_of_its_checkpoint",
            "panels/test_origins.py::test_each_key_names_its_writer_who_is_one_click_away",
        ),
    ),
    59: Feature(
        "MUST",
        "large values are read as they are opened; viewers of one's own",
        (
            "panels/test_value_tree.py::test_children_are_asked_for_when_a_row_is_opened_and_the_rest_on_request",
            "panels/test_inspector.py::test_large_values_are_asked_of_the_session",
            "panels/test_breakpoints.py::test_a_large_value_of_the_state_is_loaded_for_a_watch",
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
            "tests/runtime/debug/verify/test_prover.py::test_children_and_their_supersteps_are_proved",
            "tests/runtime/debug/verify/test_prover.py::test_a_changed_child_is_found_with_its_path_and_writer",
        ),
    ),
    70: Feature(
        "BEYOND",
        "a fault as a bundle with a failing test",
        (
            "tests/runtime/debug/bundle/test_bundle.py::test_the_test_is_red_on_the_fault_and_green_after_the_mend",
            "tests/runtime/debug/bundle/test_bundle.py::test_a_bundle_opens_with_its_document_and_its_checkpoints",
            "shell/test_bug_bundle.py::test_the_test_is_run_only_in_a_trusted_folder_and_then_said_to_fail",
        ),
    ),
    83: Feature(
        "SHOULD",
        "attach to a run in another process, and to workflows made in code",
        (
            "tests/end_to_end/test_attach.py::test_a_program_is_stepped_travelled_forked_and_left",
            "tests/end_to_end/test_attach.py::test_a_breakpoint_on_the_canvas_stops_the_program_and_is_gone_with_the_window",
            "tests/end_to_end/test_debug_command.py::test_a_workflow_in_code_stands_at_its_input_and_is_stepped_and_run_again",
            "tests/end_to_end/test_debug_terminal.py::test_a_script_of_commands_leaves_a_transcript",
        ),
    ),
    84: Feature(
        "SHOULD",
        "share a recording with its tags and notes, in one file",
        (
            "tests/runtime/sharing/test_sharing.py::test_a_shared_run_is_the_same_in_every_store_and_goes_on_to_the_same_end",
            "tests/runtime/sharing/test_share_command.py::test_a_run_goes_through_a_file_into_another_store",
            "shell/test_sharing.py::test_share_writes_the_chosen_file_and_says_how_far_it_is",
        ),
    ),
    90: Feature(
        "BEYOND",
        "a checkpoint is proved: complete, restored as it was, and advanced as it did",
        (
            "tests/end_to_end/test_restore_proof.py::test_a_hidden_default_is_found_and_what_it_does_is_compared",
            "panels/test_proof.py::test_what_failed_is_listed_and_what_is_proved_can_be",
            "panels/test_proof.py::test_marks_are_shown_while_they_are_wanted_and_failures_always",
            "shell/test_proof_task.py::test_check_all_asks_the_host_for_the_run_and_the_menu_has_it",
        ),
    ),
    91: Feature(
        "BEYOND",
        "a superstep in other orders, with failures and cancellations put in",
        (
            "tests/end_to_end/test_delivery_orders.py::test_a_race_is_found_shown_and_compared_by_mouse",
            "panels/test_delivery_orders.py::test_outcomes_stand_with_their_tries_and_the_other_one_is_shown_first",
            "tests/runtime/debug/explore/test_explorer.py::test_two_executors_that_append_to_one_list_have_several_outcomes",
            "tests/runtime/debug/explore/test_explorer.py::test_what_a_failed_try_leaves_behind_is_found_by_the_second_try",
            "tests/runtime/test_cli_explore.py::test_a_race_in_a_module_is_shown_with_its_two_orders_and_the_code_1",
        ),
    ),
    92: Feature(
        "BEYOND",
        "recorded, live or pinned for each node, said before a run goes on from the past",
        (
            "tests/end_to_end/test_results.py::test_recorded_live_and_pinned_make_no_one_and_no_request",
            "tests/end_to_end/test_results.py::test_a_call_that_does_not_fit_is_made_only_on_request",
            "shell/test_outside.py::test_what_would_run_live_unasked_is_asked_about_and_cancel_moves_nothing",
            "shell/test_outside.py::test_a_pin_is_made_in_its_dialog_and_counts_at_once",
            "canvas/test_results.py::test_the_menu_of_a_node_chooses_and_shows_what_is_chosen",
            "panels/test_selected.py::test_a_node_that_reaches_outside_has_its_results_to_choose_and_to_pin",
            "panels/test_pin_form.py::test_an_object_has_a_typed_field_for_each_part",
        ),
    ),
}
