"""The rows on drawing, and on the window around it."""

from __future__ import annotations

from tests.features.feature import Feature

DRAWING: dict[int, Feature] = {
    1: Feature(
        "MUST",
        "nodes out of a palette, by dragging or Enter",
        (
            "panels/test_palette.py::test_a_drag_carries_the_type",
            "canvas/test_gestures.py::test_a_node_dropped_from_the_palette_stands_under_the_pointer",
            "panels/test_palette.py::test_typing_narrows_and_enter_adds_the_best",
            "tests/end_to_end/test_newcomer.py::test_the_licence_audit_is_drawn_from_an_empty_canvas_and_runs",
        ),
    ),
    2: Feature(
        "MUST",
        "a search that adds at the pointer, by keys alone",
        (
            "canvas/test_keyboard.py::test_tab_adds_at_the_pointer_and_enter_takes_the_first",
            "canvas/test_keyboard.py::test_space_tapped_adds_as_tab_does",
            "canvas/test_keyboard.py::test_nodes_added_by_keys_stand_side_by_side",
        ),
    ),
    3: Feature(
        "MUST",
        "a wire let go over nothing asks for a node that fits",
        (
            "canvas/test_gestures.py::test_a_wire_dropped_on_nothing_asks_what_to_add_and_connects_it",
            "canvas/test_gestures.py::test_what_a_dropped_wire_adds_covers_no_node_beside_it",
            "canvas/test_gestures.py::test_escape_in_the_quick_add_drops_the_wire",
        ),
    ),
    4: Feature(
        "MUST",
        "a node let go on a wire goes into it",
        (
            "canvas/test_splice_and_cut.py::test_a_loose_node_dropped_on_a_wire_goes_into_it_as_one_step",
            "canvas/test_splice_and_cut.py::test_a_node_from_the_palette_goes_into_the_wire_under_it",
            "canvas/test_splice_and_cut.py::test_s_puts_the_selected_node_into_the_selected_edge",
        ),
    ),
    5: Feature(
        "MUST",
        "types are judged while a wire is drawn",
        (
            "canvas/test_gestures.py::test_a_refused_type_changes_nothing_and_says_why",
            "canvas/test_gestures.py::test_only_ports_that_fit_get_a_ring",
        ),
    ),
    6: Feature(
        "BEYOND",
        "joins, fan-outs and switches are things of their own",
        (
            "canvas/test_gestures.py::test_an_edge_group_is_one_thing_to_click",
            "canvas/test_gestures.py::test_several_selected_nodes_wired_from_one_become_a_join",
            "canvas/test_splice_and_cut.py::test_kinds_are_turned_into_one_another_from_the_menu",
            "shell/test_edge_groups.py::test_groups_are_made_and_unmade_on_the_canvas_by_keys_alone",
        ),
    ),
    7: Feature(
        "MUST",
        "cases in order, conditions edited in place and tried on a value",
        (
            "panels/test_conditions.py::test_a_case_is_dragged_to_another_place_as_one_step",
            "panels/test_conditions.py::test_alt_and_arrows_move_a_case_and_the_focus_goes_along",
            "panels/test_conditions.py::test_every_case_says_what_it_makes_of_the_value_and_which_way_it_goes",
            "canvas/test_condition_editor.py::test_a_double_click_on_a_case_edits_its_condition_there_as_one_step",
            "canvas/test_condition_editor.py::test_w_opens_the_condition_of_what_is_selected_and_tab_goes_on",
        ),
    ),
    8: Feature(
        "MUST",
        "frames and notes",
        (
            "canvas/test_frames.py::test_ctrl_g_puts_a_frame_around_the_selection_and_asks_for_its_title",
            "canvas/test_frames.py::test_a_frame_is_dragged_by_its_title_with_what_stands_on_it_in_one_step",
            "canvas/test_frames.py::test_a_side_or_corner_makes_a_frame_larger_and_what_is_on_it_stays",
            "canvas/test_frames.py::test_a_note_is_made_by_a_key_written_in_at_once_and_grows_with_its_text",
            "canvas/test_frames.py::test_double_click_and_enter_edit_the_words_and_escape_takes_them_back",
            "canvas/test_frames.py::test_keys_select_move_resize_and_delete_a_frame",
            "canvas/test_frames.py::test_frames_survive_saving_and_are_in_pictures",
            "shell/test_landmarks.py::test_f2_leads_to_the_words_of_a_frame_in_the_properties",
        ),
        "colours of one's own: on this canvas a colour means a state or what is selected",
    ),
    9: Feature(
        "MUST",
        "a selection becomes a sub-workflow and comes back",
        (
            "shell/test_sub_workflows.py::test_the_keys_collapse_and_expand_and_each_is_one_step",
            "shell/test_sub_workflows.py::test_the_menu_collapses_and_expands",
            "model/test_collapse.py::test_expand_gives_back_what_collapse_took",
            "model/test_collapse.py::test_what_is_collapsed_puts_out_the_same",
            "shell/test_sub_workflows.py::test_several_ways_in_and_out_become_one_sub_workflow_and_come_back",
            "shell/test_sub_workflows.py::test_a_file_is_expanded_as_a_copy_and_that_is_said",
        ),
    ),
    10: Feature(
        "MUST",
        "every edit can be undone, a gesture is one step",
        (
            "canvas/test_gestures.py::test_case_141_dragging_three_nodes_is_one_step_that_undo_takes_back_exactly",
            "panels/test_properties.py::test_typing_a_parameter_is_one_step_that_undo_takes_back",
            "canvas/test_keyboard.py::test_nudges_in_a_row_are_one_step",
            "test_gestures.py::test_random_gestures_leave_document_scene_and_file_equal",
        ),
    ),
    11: Feature(
        "SHOULD",
        "the undo history as a list, also after saving",
        (
            "shell/test_undo_list.py::test_each_step_is_listed_by_name_and_the_present_one_is_current",
            "shell/test_undo_list.py::test_a_click_goes_there_and_another_back",
            "shell/test_undo_list.py::test_enter_goes_there_too",
            "shell/test_undo_list.py::test_saving_marks_the_step_and_all_of_them_stay",
        ),
        "steps do not outlive the window; earlier versions do, as backups",
    ),
    12: Feature(
        "MUST",
        "copies as text, between windows, with outer links on demand",
        (
            "canvas/test_keyboard.py::test_case_142_copy_and_paste_twice_makes_three_separate_pairs",
            "canvas/test_splice_and_cut.py::test_control_shift_v_pastes_with_the_links_to_what_was_not_copied",
            "canvas/test_frames.py::test_frames_are_copied_with_what_is_selected_with_them",
            "shell/test_copies.py::test_nodes_and_frames_travel_to_another_window_as_text",
        ),
    ),
    13: Feature(
        "SHOULD",
        "a node disabled or bypassed and not deleted",
        (
            "canvas/test_disabled.py::test_d_disables_the_selected_nodes_in_one_step_and_enables_them_again",
            "canvas/test_disabled.py::test_b_bypasses_and_takes_the_place_of_disabled",
            "canvas/test_disabled.py::test_the_menu_of_a_node_says_what_it_would_do_and_does_it",
            "canvas/test_disabled.py::test_what_is_off_stays_so_in_copies_and_in_the_file",
            "tests/end_to_end/test_switched_off.py::test_a_missing_type_is_bypassed_and_a_slow_node_disabled_and_the_rest_runs",
        ),
    ),
    14: Feature(
        "SHOULD",
        "in line, at equal distances, on the grid; others make room",
        (
            "canvas/test_splice_and_cut.py::test_selected_nodes_are_put_in_line_from_the_menu_as_one_step",
            "canvas/test_gestures.py::test_a_moved_node_snaps_to_eight_unless_the_grid_is_off",
            "canvas/test_gestures.py::test_a_moved_node_comes_to_stand_level_with_what_it_is_wired_to",
            "canvas/test_splice_and_cut.py::test_tab_adds_a_node_into_the_edge_that_is_selected",
            "shell/test_copies.py::test_the_properties_of_several_nodes_put_them_in_line",
            "shell/test_copies.py::test_nodes_are_put_in_line_by_the_command_palette",
        ),
    ),
    15: Feature(
        "SHOULD",
        "code is edited in the form, and its place in files is shown",
        (
            "panels/test_code_field.py::test_undo_is_the_texts_own_while_typing_and_one_step_afterwards",
            "panels/test_code_field.py::test_ctrl_enter_ends_the_step_and_goes_on",
            "panels/test_code_text.py::test_enter_indents_as_python_is_written",
            "panels/test_special_fields.py::test_a_source_is_shown_with_its_line_and_not_run",
            "panels/test_special_fields.py::test_a_source_is_opened_in_an_editor_at_the_line_of_the_cursor",
            "shell/test_editor_dialog.py::test_an_editor_is_chosen_by_keys_kept_and_used",
        ),
        "files of Python are edited in one's own editor, which is opened at the line: this one shows them",
    ),
    16: Feature(
        "MUST",
        "zoom at the pointer, pan, fit all and the selection",
        (
            "canvas/test_overview.py::test_what_is_under_the_pointer_stays_there_when_the_wheel_turns",
            "canvas/test_gestures.py::test_panning_moves_the_view_and_nothing_else",
            "canvas/test_keyboard.py::test_home_and_f_fit",
        ),
    ),
    17: Feature(
        "SHOULD",
        "an overview that costs nothing while it is hidden",
        (
            "canvas/test_keyboard.py::test_the_overview_opens_with_m_and_leads_the_view",
            "canvas/test_overview.py::test_a_hidden_overview_draws_nothing_whatever_is_done",
        ),
    ),
    18: Feature(
        "MUST",
        "automatic layouts, one step, of all or of the selection",
        (
            "canvas/test_layouts.py::test_keys_lay_out_the_whole_the_selection_and_what_is_new",
            "canvas/test_layouts.py::test_each_layout_is_one_step_that_undo_takes_back_exactly",
            "canvas/test_layouts.py::test_a_layout_glides_unless_motion_is_reduced",
            "shell/test_fixes_and_layouts.py::test_layouts_by_keys_are_one_step",
            "canvas/test_layouts.py::test_case_172_each_edge_of_a_loop_runs_between_its_own_nodes",
        ),
    ),
    19: Feature(
        "BEYOND",
        "only what is new is laid out, the rest stays",
        (
            "canvas/test_layouts.py::test_tidying_finds_a_place_for_new_nodes_and_leaves_what_was_put_somewhere",
            "model/test_organic_and_tidy.py::test_tidying_moves_only_what_is_loose_or_lies_on_another",
        ),
    ),
    20: Feature(
        "SHOULD",
        "wires round nodes and through dots; parallel, back and self edges apart",
        (
            "canvas/test_scene.py::test_a_wire_runs_round_a_node_that_was_dragged_into_its_way",
            "canvas/test_splice_and_cut.py::test_parallel_edges_self_loops_and_back_edges_are_each_picked_by_a_click",
            "canvas/test_figures.py::test_self_loops_run_above_and_parallels_apart",
            "canvas/test_dots.py::test_a_dot_is_added_as_one_step_by_mouse_and_by_key",
            "canvas/test_dots.py::test_a_dot_is_moved_in_eights_and_comes_to_lie_level_with_its_ends",
            "canvas/test_dots.py::test_delete_removes_the_chosen_dot_then_the_next_and_only_then_the_edge",
        ),
    ),
    21: Feature(
        "MUST",
        "find by name, id, type, state key and text; bookmarks",
        (
            "shell/test_find.py::test_a_node_by_the_text_in_its_parameters",
            "shell/test_find.py::test_a_node_by_id_and_by_type",
            "shell/test_find.py::test_an_edge_by_its_id",
            "shell/test_landmarks.py::test_a_bookmark_is_set_gone_to_and_taken_away_by_keys_each_one_step",
            "shell/test_landmarks.py::test_find_lists_bookmarks_first_and_goes_there",
            "shell/test_landmarks.py::test_find_goes_to_a_note_by_a_word_in_it",
        ),
    ),
    22: Feature(
        "MUST",
        "less detail from afar",
        (
            "canvas/test_overview.py::test_zooming_out_by_the_wheel_leaves_out_detail_and_keeps_what_counts",
            "canvas/test_scene.py::test_every_figure_paints_in_both_themes_at_every_detail",
        ),
    ),
    23: Feature(
        "SHOULD",
        "select what comes before, after, or is connected",
        (
            "canvas/test_splice_and_cut.py::test_control_shift_and_an_arrow_select_what_comes_before_or_after",
        ),
    ),
    24: Feature(
        "MUST",
        "problems as one draws, each located and fixed from the list",
        (
            "shell/test_fixes_and_layouts.py::test_a_click_on_a_problem_selects_what_it_is_about_and_brings_it_into_view",
            "shell/test_fixes_and_layouts.py::test_the_button_beside_a_problem_opens_its_fixes",
            "panels/test_lists.py::test_the_button_of_a_row_does_its_fix_as_one_step",
            "panels/test_lists.py::test_several_fixes_are_chosen_in_a_menu_by_keys",
            "shell/test_fixes_and_layouts.py::test_a_problem_inside_of_a_sub_workflow_is_fixed_from_outside_in_one_step",
            "shell/test_fixes_and_layouts.py::test_another_file_is_offered_for_one_that_is_not_there",
            "model/test_file_fixes.py::test_a_function_by_a_name_like_it_is_offered",
            "model/test_fixes.py::test_every_fix_that_is_offered_ends_its_problem",
        ),
        "a fix writes no missing file or function, as undo could not take that back: it offers one that is there",
    ),
    25: Feature(
        "MUST",
        "types, unreachable nodes, dead ends, doubles and self-loops",
        (
            "shell/test_problems_by_hand.py::test_what_is_drawn_wrong_is_listed_located_and_fixed",
            "model/test_fixes.py::test_what_is_offered_first",
        ),
    ),
    26: Feature(
        "BEYOND",
        "a join that can never fill",
        (
            "shell/test_fixes_and_layouts.py::test_a_join_that_can_never_fill_is_led_to_and_fixed_by_keys",
        ),
    ),
    27: Feature(
        "SHOULD",
        "a loop without an exit",
        (
            "shell/test_problems_by_hand.py::test_a_loop_without_an_exit_is_told_as_it_is_drawn",
        ),
    ),
    64: Feature(
        "MUST",
        "into sub-workflows and out, in tabs and by breadcrumbs",
        (
            "shell/test_sub_workflows.py::test_one_goes_in_by_mouse_and_by_keys",
            "shell/test_sub_workflows.py::test_one_comes_out_by_mouse_and_by_keys",
            "shell/test_sub_workflows.py::test_a_file_is_opened_in_a_tab_of_its_own",
            "shell/test_sub_workflows.py::test_ports_follow_what_is_inside",
            "shell/test_sub_workflows.py::test_ports_follow_a_file_that_is_saved_in_its_tab",
            "shell/test_sub_workflows.py::test_a_sub_workflow_in_a_tab_is_a_level_of_the_same_drawing",
            "shell/test_sub_workflows.py::test_from_the_file_of_a_sub_workflow_the_way_out_leads_back",
            "shell/test_sub_workflows.py::test_of_several_runs_inside_one_is_chosen_in_the_strip",
            "shell/test_sub_workflows.py::test_find_finds_nodes_on_other_levels_and_goes_there",
            "tests/end_to_end/test_sub_workflows.py::test_a_run_is_seen_inside_answered_seen_in_the_past_and_restored_there",
        ),
    ),
    67: Feature(
        "MUST",
        "a file for people and for diff, layout apart from logic",
        (
            "shell/test_files.py::test_open_and_save_with_keys",
            "model/test_files.py::test_layout_is_apart_from_the_logic",
        ),
    ),
    68: Feature(
        "MUST",
        "out as Python that runs, in from Python",
        (
            "shell/test_exchange.py::test_every_format_is_written_by_the_keyboard_alone",
            "shell/test_exchange.py::test_a_workflow_in_python_becomes_a_file_that_is_opened",
            "shell/test_exchange.py::test_an_imported_workflow_runs_in_the_window",
            "shell/test_exchange.py::test_code_that_changed_is_shown_and_taken_over_as_one_step",
        ),
    ),
    69: Feature(
        "SHOULD",
        "SVG, PNG, PDF, Mermaid and DOT; pictures open again",
        (
            "shell/test_exchange.py::test_every_format_is_written_by_the_keyboard_alone",
            "shell/test_exchange.py::test_a_dropped_picture_opens_the_workflow_inside",
            "canvas/test_picture.py::test_an_svg_has_the_size_of_the_drawing_its_texts_and_no_pixels",
            "canvas/test_frames.py::test_frames_survive_saving_and_are_in_pictures",
        ),
    ),
    72: Feature(
        "MUST",
        "unsaved edits come back after a crash",
        (
            "shell/test_endings.py::test_a_window_that_is_told_to_end_keeps_the_last_edit_and_what_is_being_typed",
            "test_app.py::test_the_changes_of_a_killed_window_are_offered_and_recovered",
            "shell/test_dialogs.py::test_one_that_is_not_checked_is_not_recovered",
            "test_kills.py::test_case_147_a_window_killed_while_editing_and_saving_loses_nothing",
        ),
    ),
    73: Feature(
        "MUST",
        "whole saves, backups, nothing unknown lost, newer files refused",
        (
            "shell/test_versions.py::test_an_earlier_version_comes_back_by_the_command_and_goes_by_undo",
            "shell/test_versions.py::test_case_147_a_full_disk_leaves_the_old_file_whole",
            "shell/test_versions.py::test_case_144_unknown_fields_and_types_outlive_edits_in_the_window",
            "shell/test_files.py::test_a_broken_file_is_told_and_the_window_lives",
            "tests/runtime/test_files.py::test_a_newer_format_is_refused_by_its_number",
        ),
    ),
    76: Feature(
        "BEYOND",
        "everything by keys, wires too",
        (
            "tests/end_to_end/test_newcomer.py::test_five_nodes_with_a_fan_out_and_a_join_are_drawn_and_run_without_a_mouse",
            "canvas/test_keyboard.py::test_a_wire_is_drawn_with_keys_alone",
            "shell/test_edge_groups.py::test_groups_are_made_and_unmade_on_the_canvas_by_keys_alone",
            "shell/test_actions.py::test_the_keyboard_reaches_every_part_of_the_window",
            "shell/test_audit.py::test_the_keys_for_areas_lead_round_the_window_and_back",
        ),
    ),
    77: Feature(
        "MUST",
        "command palette, keys of one's own, a list of them",
        (
            "shell/test_actions.py::test_a_menu_entry_a_key_and_the_palette_do_the_same",
            "shell/test_key_dialog.py::test_free_keys_are_used_at_once_and_after_a_restart",
            "shell/test_key_presets.py::test_a_set_is_chosen_shown_in_tips_and_the_sheet_and_kept",
            "shell/test_actions.py::test_a_question_mark_on_the_canvas_lists_the_shortcuts",
        ),
    ),
    78: Feature(
        "SHOULD",
        "names and roles for screen readers, states by shape, still motion",
        (
            "canvas/test_accessible.py::test_walking_by_keys_tells_the_focus_and_the_selection",
            "canvas/test_accessible.py::test_every_node_and_edge_group_is_a_child_with_a_name_in_words",
            "canvas/test_overlay.py::test_every_state_of_the_protocol_has_its_own_words_and_a_glyph",
            "shell/test_workspace.py::test_reduced_motion_reaches_every_canvas",
        ),
    ),
    79: Feature(
        "MUST",
        "light, dark, as the system, high contrast, larger",
        (
            "shell/test_looks_by_hand.py::test_each_theme_is_chosen_in_the_menu_seen_and_kept",
            "shell/test_looks_by_hand.py::test_the_size_is_chosen_in_one_step_in_the_menu",
            "shell/test_scale.py::test_the_next_start_has_the_size_of_the_settings",
            "look/test_look.py::test_a_system_of_high_contrast_is_followed",
            "look/test_look.py::test_text_is_readable_on_every_surface",
        ),
    ),
    80: Feature(
        "MUST",
        "crisp at every scale of the screen",
        (
            "shell/test_looks_by_hand.py::test_a_screen_of_twice_the_pixels_gets_twice_the_detail",
        ),
        "two screens of different scales at once: the platform for tests has one",
    ),
    81: Feature(
        "MUST",
        "a thousand nodes, ten thousand checkpoints",
        (
            "canvas/test_many.py::test_a_group_is_seen_on_its_way_and_at_home_again_after_escape",
            "canvas/test_many.py::test_one_node_dragged_from_afar_is_seen_on_its_way",
            "canvas/test_pasting.py::test_case_160_dragging_one_of_500_nodes_repaints_round_it_only",
            "model/test_lanes.py::test_a_hundred_thousand_checkpoints_do_not_cost_their_square",
        ),
        "what it costs is measured by `python -m tests.benchmarks.window`, not judged by a test",
    ),
    82: Feature(
        "MUST",
        "a long run never holds the window up",
        (
            "tests/end_to_end/test_window_trouble.py::test_case_190_an_endless_loop_leaves_the_window_alive_and_stop_twice_ends_it",
            "panels/test_lists.py::test_a_flood_is_bounded_and_taken_in_parts",
            "session/test_link.py::test_reading_a_flood_gives_way_to_the_window_after_every_slice",
        ),
    ),
    85: Feature(
        "MUST",
        "packages bring node types, layouts, themes and viewers, and nodes without a window too",
        (
            "tests/plugins/test_packages.py::test_a_run_uses_the_node_type_and_imports_no_qt_and_nothing_of_the_window",
            "tests/plugins/test_packages.py::test_a_layout_is_chosen_in_the_menu_and_undone_as_one_step",
            "tests/plugins/test_packages.py::test_a_theme_is_chosen_in_the_menu_seen_in_a_pixel_and_there_at_the_next_start",
            "tests/plugins/test_packages.py::test_a_viewer_is_chosen_for_a_value_follows_it_and_is_left_by_escape",
            "tests/plugins/test_packages.py::test_a_broken_layout_is_told_on_the_canvas_and_moves_nothing",
            "tests/end_to_end/test_own_nodes.py::test_a_file_beside_the_document_is_in_the_palette_and_runs_after_trust",
            "tests/runtime/test_nodes.py::test_a_broken_package_is_left_out_with_one_line_and_everything_else_stays",
            "tests/runtime/test_nodes.py::test_of_two_packages_with_one_name_the_first_is_kept",
        ),
    ),
    86: Feature(
        "MUST",
        "a type that is missing leaves a placeholder, nothing is lost",
        (
            "canvas/test_pasting.py::test_case_145_unknown_types_are_pasted_in_sight_and_can_be_dragged",
            "panels/test_missing_type.py::test_its_parameters_can_be_seen_changed_and_saved",
            "shell/test_versions.py::test_case_144_unknown_fields_and_types_outlive_edits_in_the_window",
        ),
    ),
    87: Feature(
        "SHOULD",
        "a function or class of one's own is a node type",
        (
            "tests/end_to_end/test_own_nodes.py::test_a_file_beside_the_document_is_in_the_palette_and_runs_after_trust",
            "test_user_nodes.py::test_a_module_of_the_folder_is_a_palette_entry_and_so_is_one_that_comes_later",
        ),
    ),
    88: Feature(
        "MUST",
        "examples, a tour, help on what is selected",
        (
            "shell/test_workspace.py::test_an_example_runs_from_its_card",
            "shell/test_tour.py::test_enter_goes_through_all_of_it",
            "shell/test_tour.py::test_escape_leaves_it_at_each_stop_and_changes_nothing",
            "shell/test_help.py::test_on_a_node_an_edge_and_nothing",
        ),
    ),
    89: Feature(
        "BEYOND",
        "lessons that break something and let one find it",
        lacks="the example of a lost join is there to be run and looked at; nobody leads through it step by step yet",
    ),
}
