"""Conditions and log texts of breakpoints and watches, tried on what the window knows of
the moment that it shows.

They are compiled and evaluated as the host does it. The window has no values, only
their descriptions, so an answer may be open.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from designer.model.breakpoints import Way, place_of
from designer.model.completion.message_examples import UNKNOWN
from designer.model.plain_values import NotSentError, known_of, plain_of
from runtime.debug.facts.fact import NOT_RECORDED, Fact
from runtime.debug.facts.probe import FactExpression, LogText
from runtime.debug.protocol import (
    Breakpoint,
    DeliveryMoment,
    InsideSuperstep,
    Moment,
    Value,
)
from runtime.document.problem import Problem
from runtime.errors import ConditionError
from runtime.expressions.template import show

StateName = Literal["state", "own"]
STATES: tuple[StateName, ...] = ("state", "own")
MOST_TEXT = 60  # characters of a value in a line
# What a condition can name that is known before anything happens.
_KNOWN = frozenset(
    [
        "kind",
        "superstep",
        "path",
        "executor",
        "target",
        "source",
        "edge",
        "message",
        "value",
        "state",
        "own",
    ]
)
_COMPARISON = re.compile(r"([^&|?:!<>=]+?)\s*(?:==|!=|<=|>=|<|>)\s*[^&|?:<>=]+")


class AtHand(NamedTuple):
    """What is known of the moment: a fact, the keys of the shared and of the own state
    whose values are not in the window, the message in words, and as an example for
    completion.
    """

    fact: Fact
    missing: Mapping[str, frozenset[str]]
    words: str = ""
    example: object = UNKNOWN


class Trial(NamedTuple):
    """The answer of a condition, or of a watch, and what is said about it."""

    answer: Literal["true", "false", "value", "error", "unknown"]
    words: str = ""


# --- mistakes ---------------------------------------------------------------------------------------------------------


def mistake_in(condition: str) -> Problem | None:
    """Return why a condition or a watch does not compile."""
    return _mistake(FactExpression, condition)


def mistake_in_log(text: str) -> Problem | None:
    """Return why an expression of a log text does not compile."""
    return _mistake(LogText, text)


def _mistake(compile_text: Callable[[str], object], text: str) -> Problem | None:
    if not text.strip():
        return None
    try:
        compile_text(text)
    except ConditionError as error:
        return Problem(
            severity="error",
            rule="breakpoint-condition",
            message=str(error),
            line=error.line,
            column=error.column,
        )
    return None


# --- what is at hand --------------------------------------------------------------------------------------------------


def at_hand(
    point: Breakpoint, moment: Moment | None, standing: InsideSuperstep | None
) -> AtHand:
    """Return what is known where a breakpoint looks: of the message that waits there,
    and of the state. `moment` is that of the level of the breakpoint.
    """
    moment = moment or Moment()
    delivery = _delivery_for(point, standing)
    executor = "" if point.kind == "message" else place_of(point)
    # The queued message is here with more of its parts than that of the delivery.
    message, source = _queued_for(point, moment)
    words = "message queued now"
    if delivery is not None:
        words = "message held now"
        source = delivery.sources[0] if delivery.sources else source
        if len(delivery.messages) > 1 or not message:
            message = delivery.messages
    state, missing_state = _known_keys(moment.state)
    own, missing_own = _known_keys(_own_state(moment, executor))
    fact = Fact(
        kind=point.kind,
        superstep=moment.superstep + 1,
        executor=executor,
        source=source,
        edge=point.where if point.kind == "message" else "",
        value=_plain_message(message),
        state=state,
        own=own,
    )
    missing = {"state": missing_state, "own": missing_own}
    example = known_of(message[0], UNKNOWN) if len(message) == 1 else UNKNOWN
    return AtHand(fact, missing, words if message else "", example)


def at_moment(
    moment: Moment | None,
    standing: InsideSuperstep | None,
    node: str,
    inside: Way = (),
) -> AtHand:
    """Return what a watch can name: the state, and the message that is delivered next on
    the level that is shown, or waits for a node.
    """
    delivery = _next_delivery(standing, inside)
    executor = delivery.executor if delivery is not None and not node else node
    point = Breakpoint(id="", where=executor, inside=inside)
    hand = at_hand(point, moment, standing)
    superstep = moment.superstep if moment is not None else 0
    if standing is not None:
        superstep = standing.superstep
    return hand._replace(
        fact=replace(hand.fact, kind="checkpoint", superstep=superstep)
    )


def _delivery_for(
    point: Breakpoint, standing: InsideSuperstep | None
) -> DeliveryMoment | None:
    if standing is None or point.kind not in ("before", "after", "failure"):
        return None
    waiting = [
        delivery
        for delivery in standing.deliveries
        if delivery.executor == point.where
        and delivery.state in ("next", "waiting")
        and _way_of(delivery) == point.inside
    ]
    return waiting[0] if waiting else None


def _next_delivery(
    standing: InsideSuperstep | None, inside: Way
) -> DeliveryMoment | None:
    deliveries = standing.deliveries if standing is not None else ()
    for delivery in deliveries:
        if delivery.state == "next" and _way_of(delivery) == inside:
            return delivery
    return None


def _way_of(delivery: DeliveryMoment) -> Way:
    """Return the ids of the sub-workflow nodes that lead to a delivery."""
    return tuple(key.rpartition("#")[0] for key in delivery.path)


def _queued_for(point: Breakpoint, moment: Moment) -> tuple[tuple[Value, ...], str]:
    """Return the message that waits where a breakpoint looks, and who sent it; nothing
    where several wait.
    """
    queued = []
    for message in moment.messages:
        is_here = message.target == point.where and message.where == "queued"
        if point.kind == "message":
            is_here = point.where in (message.edge, message.target)
        if point.where and is_here:
            queued.append(message)
    if len(queued) != 1:
        return (), ""
    return (queued[0].data,), queued[0].source


def _plain_message(messages: tuple[Value, ...]) -> Any:
    try:
        plain = [plain_of(message) for message in messages]
    except NotSentError:
        return NOT_RECORDED
    if not plain:
        return NOT_RECORDED
    return plain[0] if len(plain) == 1 else plain


def _own_state(moment: Moment, executor: str) -> Value:
    own = next(
        (value for name, value in moment.executors.children or () if name == executor),
        None,
    )
    return own or Value(type="dict", text="empty")


def _known_keys(value: Value) -> tuple[dict[str, Any], frozenset[str]]:
    """Return the values of a state that are in the window, and the other keys."""
    known = {}
    missing = set()
    for key, child in value.children or ():
        try:
            known[key] = plain_of(child)
        except NotSentError:
            missing.add(key)
    if len(value.children or ()) < value.count:
        missing.add("")  # keys whose names are not in the window either
    return known, frozenset(missing)


# --- answers ----------------------------------------------------------------------------------------------------------


def missing_of(text: str, hand: AtHand, name: StateName = "state") -> frozenset[str]:
    """Return the keys of a state that an expression names and the window lacks."""
    try:
        expression = FactExpression(text)
    except ConditionError:
        return frozenset()
    return _missing(expression, hand, name)


def _missing(
    expression: FactExpression, hand: AtHand, name: StateName
) -> frozenset[str]:
    if name not in expression.names:
        return frozenset()
    missing = hand.missing[name]
    keys = expression.keys_of(name)
    if keys is None:
        return missing
    unnamed = "" in missing and any(
        key not in getattr(hand.fact, name) and key not in missing for key in keys
    )
    return (missing & keys) | (frozenset({""}) if unnamed else frozenset())


def tried(condition: str, hand: AtHand) -> Trial:
    """Return what a condition says of what is at hand."""
    answer = evaluated(condition, hand)
    if answer.answer != "value":
        return answer
    value = answer.words
    if value not in ("true", "false"):
        return Trial("error", f"It gives {value}, not true or false.")
    words = f"{value} for the {hand.words}" if hand.words else f"{value} now"
    compared = _compared(condition, hand)
    words = f"{words}, {compared}" if compared else words
    return Trial("true" if value == "true" else "false", words)


def evaluated(text: str, hand: AtHand) -> Trial:
    """Return the value of an expression as text."""
    try:
        expression = FactExpression(text)
    except ConditionError as error:
        return Trial("error", str(error))
    unknown = _unknown(expression, hand)
    if unknown:
        return Trial("unknown", unknown)
    try:
        value = expression(hand.fact)
    except ConditionError as error:
        return Trial("error", _reason(text, str(error)))
    return Trial("value", _cut(_shown(value)))


def _unknown(expression: FactExpression, hand: AtHand) -> str:
    """Return why the value is not known here; "" if it is."""
    names = expression.names
    if names & {"message", "value"} and hand.fact.value is NOT_RECORDED:
        if hand.words:
            return f"The {hand.words} is not loaded as a whole."
        return "No message waits there now."
    if not names <= _KNOWN:
        listed = ", ".join(sorted(names - _KNOWN))
        return f"Known only when it happens: {listed}."
    for name in STATES:
        keys = _missing(expression, hand, name)
        if keys:
            listed = ", ".join(sorted(filter(None, keys))) or "some keys"
            return f"Not loaded: {listed} of {name}."
    return ""


def _compared(condition: str, hand: AtHand) -> str:
    """Return the value of the left side of a plain comparison."""
    comparison = _COMPARISON.fullmatch(condition.strip())
    if comparison is None:
        return ""
    left = evaluated(comparison[1], hand)
    return left.words if left.answer == "value" else ""


def _reason(text: str, message: str) -> str:
    return message.removeprefix(f"Expression '{text}' failed: ")


def _shown(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return show(value)


def _cut(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= MOST_TEXT else f"{line[: MOST_TEXT - 1]}…"
