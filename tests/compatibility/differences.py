"""Where a program's facts differ on purpose: program -> fact -> the reason, with its
rule of semantics.md.
"""

from __future__ import annotations

from typing import NamedTuple


class Reason(NamedTuple):
    """`rule` is a number in semantics.md, or "design" and a section of design.md;
    `text` says what is different.
    """

    rule: str
    text: str

    def __str__(self) -> str:
        return f"{self.text} [rule {self.rule}]"


_SENDS = Reason(
    "design 4",
    "a plain function can send: the call acts at once, and need not be awaited",
)
_TREE = Reason(
    "25", "a sub-workflow's supersteps are the parent's: one barrier for the whole tree"
)
_UNASKED = Reason(
    "22",
    "a question that no response handler could take, or under an id in use, is refused when asked",
)
_TAKERS = Reason("12", "a message that nobody takes is told as a warning")
_UNNAMED = Reason(
    "design 4",
    "a workflow without a name keeps one name over restarts, so its checkpoints are found",
)
_BARRIER = Reason(
    "16",
    "a join delivers everything that the superstep brought, whatever the interleaving",
)
_NAMED_ERROR = Reason(
    "6", "an error names executor, handler and superstep, and has its text"
)
_HOOKS = Reason(
    "21",
    "hooks are called for an executor that ran, and before its next invocation after a restore",
)
_EXTRA = Reason(
    "design 5",
    "metadata says what made the checkpoint, its branch, and what is needed to put it back",
)

DIFFERENCES: dict[str, dict[str, Reason]] = {
    "102_spam_routes": {
        "after a failure": Reason(
            "7",
            "after a failure the run stands at its last barrier, until resume() or reset()",
        ),
    },
    "132_hooks_of_many": {"states": _HOOKS, "given back to": _HOOKS},
    "141_state_of_a_sub_workflow": {
        "outputs": Reason(
            "26",
            "each input of a sub-workflow is a run of its own: no two share their state",
        ),
    },
    "142_broken_hooks": {
        "saved": Reason("10", "a checkpoint that cannot be saved fails the step")
    },
    "16_most_specific_handler": {
        "a derived": Reason(
            "11", "the most specific handler takes a message, not the first by name"
        ),
    },
    "22_sync_function_sends": {"outputs": _SENDS},
    "34_storage_queries": {"metadata is empty": _EXTRA},
    "37_cancel_requests": {
        "unknown": Reason(
            "23",
            "an id that is not open is a typed error, when answered and when cancelled",
        ),
    },
    "39_sub_workflow": {"supersteps": _TREE, "events": _TREE},
    "40_sub_workflow_direct": {
        "told": Reason(
            "25",
            "progress of a sub-workflow is told in the superstep in which it happened",
        ),
        "types": Reason(
            "26",
            "direct outputs are the parent's outputs, with their types, and no messages",
        ),
    },
    "48_to_dict": {
        "keys of a join": Reason("16", "a join has a policy"),
        "selection": Reason(
            "design 3", "a multi-selection is a kind of edge group of its own"
        ),
        "internal": Reason(
            "4", "a message from outside is queued like any other and needs no edge"
        ),
    },
    "50_handler_fails": {"details": _NAMED_ERROR, "text of the error": _NAMED_ERROR},
    "51_sibling_cancelled": {
        "of the one that waits": Reason(
            "6", "a cancelled sibling gets a closing event"
        ),
    },
    "52_run_twice": {
        "without parent": Reason(
            "28", "a fresh message is a new run: its first checkpoint has no parent"
        ),
    },
    "55_viz": {
        "switched": Reason(
            "design 4",
            "a switch is drawn as one, with its cases in order and its default",
        ),
        "nested": Reason(
            "design 4", "a line joins the executor to the workflow that it wraps"
        ),
    },
    "57_target_id_unknown": {
        "outcome": Reason("12", "a target that no edge leads to is an error"),
        "outputs": Reason("12", "a target that no edge leads to is an error"),
    },
    "58_nobody_takes_it": {
        "type mismatch": _TAKERS,
        "no edge": _TAKERS,
        "warnings": _TAKERS,
    },
    "59_stalled_join": {
        "state": Reason(
            "17", "a run at rest whose join holds messages is not complete"
        ),
    },
    "60_join_leftover": {
        "second": Reason("18", "a fresh message starts with empty joins")
    },
    "61_join_several": {"two and two": _BARRIER},
    "62_shared_payload": {
        "lengths": Reason("13", "each branch has its own copy of the payload")
    },
    "63_state_in_one_superstep": {
        "read": Reason(
            "19", "reads see the last barrier and the executor's own writes"
        ),
        "both write": Reason(
            "19", "two different values for one key in one superstep are an error"
        ),
    },
    "64_restore_finished": {
        "events": Reason("3", "restoring a finished run invokes nobody"),
        "counts": Reason("3", "restoring a finished run saves nothing"),
    },
    "65_cancelled": {"status": Reason("9", "a cancelled run is CANCELLED")},
    "66_response_handler_fails": {
        "second": Reason("7", "a response handler that raises leaves its request open")
    },
    "68_custom_events": {
        "warnings": Reason(
            "33",
            "no executor can forge an event of the engine: it arrives as a warning",
        ),
        "forged": Reason(
            "33",
            "no executor can forge an event of the engine: it arrives as a warning",
        ),
    },
    "70_input_refused": {
        "status": Reason(
            "7", "what is refused before anything began leaves the run where it stood"
        ),
    },
    "71_introspection": {"unnamed": _UNNAMED},
    "77_context": {"first": _BARRIER},
    "78_unhandled_request": {"asked": _UNASKED, "answered": _UNASKED},
    "79_default_not_last": {
        "50": Reason(
            "14", "the default is taken only where no case is true, wherever it stands"
        )
    },
    "80_request_id_reused": {"asked": _UNASKED, "answered": _UNASKED},
    "84_tools": {
        "given": Reason(
            "design 4",
            "tools are handed on as given: the class that wraps them there is a part of agents",
        ),
    },
    "85_save_fails": {
        "outcome": Reason("10", "a checkpoint that cannot be saved fails the step"),
        "counts": Reason(
            "10",
            "a checkpoint that cannot be saved fails the step, and no later one hides the gap",
        ),
    },
    "86_sender_mutates": {
        "outputs": Reason(
            "13", "what is sent is the receiver's own: no two executors hold one object"
        )
    },
    "87_reserved_key": {
        "outputs": Reason("20", "keys that begin with an underscore are refused")
    },
    "88_slow_target": {
        "log": Reason(
            "2", "a slow target does not hold back another target of its group"
        )
    },
    "95_runner_context": {
        "cancelled": Reason(
            "23",
            "an answer is checked before anything changes: one that does not fit leaves its request",
        ),
    },
    "89_payload_not_copied": {
        "outputs": Reason(
            "32",
            "without a store nothing needs to be copyable; what cannot be copied is shared",
        ),
    },
    "122_live_outputs": {
        "failed": Reason(
            "6", "a superstep that fails takes back by name what it has told of already"
        ),
    },
}
