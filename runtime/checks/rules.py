"""Every rule that `check` holds a document against, with the sentences that report a
breach.

A check asks `problem` for a `Problem`: it names the rule and one of its texts, and
gives the values that the text has room for. What a kind of edge finds wrong with its
own form comes with its own words, because they belong to the kind; such a rule has no
texts here.

A new rule is an entry in `RULES` and a check that reports it. Its quick fixes are those
that `designer.model.fixes` lists under the id of the rule.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, NamedTuple

from runtime.document.problem import Problem
from runtime.edges.definition import Finding

Severity = Literal["error", "warning", "info"]


class Text(NamedTuple):
    """The severity of a breach, its message and the remedy. `{names}` are filled in."""

    severity: Severity
    message: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Rule:
    """`asks` says what the rule asks of a document; `texts` are its breaches by name."""

    asks: str
    texts: Mapping[str, Text] = field(default_factory=dict)


_BY_THE_EDGE = "Each kind of edge has its own texts."
_JOINS_BY_HAND = "Look at the joins behind switches yourself, or split the workflow."
_NO_JOIN = "Use plain edges instead of the join, or the policy 'any'."
_ENABLE = (
    "Enable it again (D), or bypass it (B): then it sends every message on as it came."
)

RULES: dict[str, Rule] = {
    # --- ids, the start, and the fields of the document -------------------------------
    "ids-unique": Rule(
        "Ids are unique, and none is kept for messages from outside.",
        {
            "double": Text(
                "error", "{count} {what} have the id '{id}'", "Rename all but one."
            ),
            "kept": Text(
                "error",
                "The id '{id}' begins with 'internal:', a prefix of messages from outside",
                "Choose another id.",
            ),
        },
    ),
    "ids-visible": Rule(
        "An id can be seen.",
        {
            "blank": Text(
                "warning",
                "The id {id!r} is of blanks alone, and cannot be seen",
                "Give the node another id.",
            )
        },
    ),
    "start-exists": Rule(
        "A workflow starts at one of its nodes.",
        {
            "empty": Text(
                "error", "The workflow is empty", "Add a node and make it the start."
            ),
            "none": Text(
                "error",
                "The workflow has no start",
                "Choose the node that gets the input of the run.",
            ),
            "unknown": Text(
                "error",
                "The start '{start}' is not among the nodes",
                "Choose another start.",
            ),
        },
    ),
    "reducer-named": Rule(
        "A reducer is a function of a module.",
        {
            "form": Text(
                "error",
                "The reducer of '{key}' is '{text}', not module:function",
                "Name the function that combines two values, or remove the reducer.",
            )
        },
    ),
    "field-known": Rule(
        "Every field of a document has an effect.",
        {
            "unknown": Text(
                "warning",
                "The field '{name}' of {what} is unknown and has no effect",
                "{guess}It stays in the file until you remove it there.",
            )
        },
    ),
    "policy-has-effect": Rule(
        "Retries and time limits are given to nodes that obey them.",
        {
            "sub_workflow": Text(
                "warning",
                "{node} is a sub-workflow, so it takes several supersteps. Retries and time limits "
                "do not apply to it",
                "Give retry and time limit to the nodes inside it, or lead an error edge out of it.",
            )
        },
    ),
    # --- edges ------------------------------------------------------------------------
    "edge-ends-exist": Rule(f"Both ends of an edge are nodes. {_BY_THE_EDGE}"),
    "enough-ends": Rule(f"An edge group has enough ends. {_BY_THE_EDGE}"),
    "join-count": Rule(f"A join has a count if its policy needs one. {_BY_THE_EDGE}"),
    "pairs-unique": Rule(
        "Two nodes are joined once.",
        {
            "double": Text(
                "error",
                "'{source}' is joined to '{target}' twice, also by edge '{other}'",
                "Delete one of the two: each message would arrive twice.",
            )
        },
    ),
    "condition-compiles": Rule(
        "A condition is a CEL expression over `message`, or names a Python function.",
        {
            "broken": Text(
                "error",
                "{label} does not compile: {reason}{place}",
                "Write CEL over the variable message, such as message.size() > 3.",
            )
        },
    ),
    # --- nodes ------------------------------------------------------------------------
    "node-type-known": Rule(
        "The type of a node is installed.",
        {
            "unknown": Text(
                "error",
                "{node} has the unknown type '{type}'",
                "Install the package that brings this type, replace the node, or bypass it (B) meanwhile.",
            )
        },
    ),
    "params-valid": Rule(
        "The parameters of a node fit the schema of its type.",
        {
            "deep": Text(
                "error",
                "{node}: the parameters, or the schema of the type, are nested too deeply",
                "Take levels out of the parameters in Properties.",
            ),
            "wrong": Text("error", "{node}: {reason}", "Correct it in Properties."),
        },
    ),
    "secret-written-out": Rule(
        "A document names the variable that holds a secret, and not the secret.",
        {
            "literal": Text(
                "warning",
                "{node}: {field} holds a secret in plain text",
                "Write {{env.{variable}}} and set that variable of the environment; no export has the secret.",
            )
        },
    ),
    "types-fit": Rule(
        "A node takes what the nodes before it send.",
        {
            "silent": Text(
                "warning",
                "{source} sends nothing on: this edge never carries a message",
                "Delete the edge.",
            ),
            "input": Text(
                "warning",
                "{target} is where the run's input enters",
                "Lead the edge to another node.",
            ),
            "other": Text(
                "error",
                "{source} sends {sent}, but {target} takes {taken}",
                "Put a node between them that converts, or lead the edge elsewhere.",
            ),
            "list": Text(
                "error",
                "{source} sends {sent}, but {target} takes {taken}",
                "Draw a join into it: that delivers a list.",
            ),
        },
    ),
    "file-there": Rule(
        "A file that a node reads is there.",
        {
            "missing": Text(
                "warning",
                "{node} reads '{file}', but there is no such file",
                "Choose another file, or put it into {folder}.",
            )
        },
    ),
    "python-there": Rule(
        "Python that a document names is there.",
        {
            "module": Text(
                "warning",
                "{what} names the module '{module}', but it is not found",
                "Put {file} into {folder}, or install its package.",
            ),
            "similar": Text(
                "warning",
                "{what} names '{name}', but the module '{module}' does not define it",
                "Did you mean '{similar}'?",
            ),
            "name": Text(
                "warning",
                "{what} names '{name}', but the module '{module}' does not define it",
                "Write it into {file}, or name another.",
            ),
        },
    ),
    # --- sub-workflows ----------------------------------------------------------------
    "sub-workflow": Rule(
        "A sub-workflow can be read, is sound inside, and its ways in and out lead somewhere.",
        {
            "unreadable": Text("error", "{node}: {reason}"),
            "entry_gone": Text(
                "error",
                "{node}: messages of {source} should enter at '{entry}', but that node is no longer inside",
                "Draw it again inside, or remove the way in.",
            ),
            "entry_without_edge": Text(
                "warning",
                "{node}: there is a way in for {source}, and no edge from it",
                "Connect them, or remove the way in.",
            ),
            "exit_gone": Text(
                "error",
                "{node}: '{output}' has a way out, and is not inside any more",
                "Draw it again inside, or remove the way out.",
            ),
            "exit_without_edge": Text(
                "error",
                "{node}: the outputs of '{output}' inside should go to {target}, and no edge leads there",
                "Connect them, or remove the way out.",
            ),
        },
    ),
    # --- disabled nodes ---------------------------------------------------------------
    "start-on": Rule(
        "The start is not disabled.",
        {
            "off": Text(
                "error",
                "{node} is disabled, and the run starts there: nothing else would run",
                _ENABLE,
            )
        },
    ),
    "behind-disabled": Rule(
        "Nodes behind a disabled one still get messages.",
        {
            "cut_off": Text(
                "warning",
                "While {node} is disabled, no message reaches {names}",
                _ENABLE,
            )
        },
    ),
    # --- the graph as a whole ---------------------------------------------------------
    "reachable": Rule(
        "Every node can be reached from the start.",
        {
            "never": Text(
                "error",
                "{node} cannot be reached from the start",
                "Lead an edge to it, or delete it.",
            )
        },
    ),
    "reaches-output": Rule(
        "Messages end in an output, or in a node that acts on the outside.",
        {
            "one": Text(
                "info",
                "{names} is not connected to an output; messages end there",
                "Lead an edge to an output, or to a node that acts.",
            ),
            "several": Text(
                "info",
                "{names} are not connected to an output; messages end there",
                "Lead an edge to an output, or to a node that acts.",
            ),
        },
    ),
    "meeting-without-join": Rule(
        "Messages that belong together meet in a join.",
        {
            "meeting": Text(
                "warning",
                "{node} runs once for each message of {names}: they meet without a join",
                "Make the edges one join if the messages belong together.",
            )
        },
    ),
    "join-can-fill": Rule(
        "A join can get a message of each source that it waits for.",
        {
            "behind_itself": Text(
                "warning",
                "The join into {target} can never fill: {names} only runs after it has fired",
                "Lead this way past the join, by a plain edge.",
            ),
            "behind_another": Text(
                "warning",
                "The join into {target} can never fill: {names} only runs after another join that can never fill",
                "Correct the other join first.",
            ),
            "exclusive_ways": Text(
                "warning",
                "The join into {target} can never fill: {switch} leads to {one} only by {ways}, and to "
                "{other} only by {other_ways}; a message takes one of them",
                _NO_JOIN,
            ),
            "exclusive_nodes": Text(
                "warning",
                "The join into {target} can never fill: {names} never both run for one message, "
                "because of {choices} before them",
                _NO_JOIN,
            ),
            "one_way_each": Text(
                "warning",
                "The join into {target} can never fill: {switch} takes one way for each message, "
                "and none leads to all of {names}",
                _NO_JOIN,
            ),
            "disabled": Text(
                "warning",
                "The join into {target} can never fill: no message reaches {names} while {cause} is disabled",
                "Disable {names} too: the join waits for no node that is disabled.",
            ),
        },
    ),
    "loop-has-exit": Rule(
        "Messages can leave a loop.",
        {
            "one": Text(
                "warning",
                "{names} goes round until the limit of supersteps",
                "Give one edge of the loop a condition, or lead out of it by a switch.",
            ),
            "several": Text(
                "warning",
                "{names} go round until the limit of supersteps",
                "Give one edge of the loop a condition, or lead out of it by a switch.",
            ),
        },
    ),
    "self-loop": Rule(
        "A node leads to itself only on purpose.",
        {
            "loop": Text(
                "info",
                "{node} leads to itself, {how}: for at most {limit} supersteps",
                "Delete this way if no loop is meant.",
            )
        },
    ),
    "limit-suffices": Rule(
        "The limit of supersteps lets every node run.",
        {
            "low": Text(
                "warning",
                "{node} runs in superstep {superstep} at the earliest, and the limit is {limit}",
                "Set the limit of supersteps to {superstep} or more.",
            )
        },
    ),
    "too-large": Rule(
        "A workflow is small enough to be checked as a whole.",
        {
            "switches": Text(
                "info",
                "With {count} switches, ways that exclude each other are not checked",
                _JOINS_BY_HAND,
            ),
            "joins": Text(
                "info",
                "The workflow is too large to be checked for joins that can never fill",
                _JOINS_BY_HAND,
            ),
        },
    ),
}


def problem(
    rule: str,
    breach: str,
    location: str = "",
    part: str = "",
    *,
    severity: Severity | None = None,
    line: int = 0,
    column: int = 0,
    **words: Any,
) -> Problem:
    """Return the problem that a text of a rule, named by the breach, describes.

    `location` is a node or edge id, `part` the place in it. `severity` replaces that of
    the text. `words` fill its gaps. Raise `KeyError` for an unknown rule or text, and
    for a gap that is left open.
    """
    text = RULES[rule].texts[breach]
    return Problem(
        severity=severity or text.severity,
        rule=rule,
        message=text.message.format(**words),
        location=location,
        part=part,
        remedy=text.remedy.format(**words),
        line=line,
        column=column,
    )


def problem_of(finding: Finding, edge_id: str) -> Problem:
    """Return what a kind of edge found wrong with its own form as a problem."""
    return Problem(
        severity="error",
        rule=finding.rule,
        message=finding.message,
        location=edge_id,
        part=finding.place,
        remedy=finding.remedy,
    )
