"""The failure policy of a node, or the defaults of the workflow: attempts, waits, and a
time limit.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.fields.plain import MISSING, NumberField
from designer.panels.forms.special_fields import UnitField
from designer.panels.properties.editor import FieldGrid, value_or_before
from designer.panels.widgets.basic import label
from designer.qt.layouts import column
from runtime.document.definition import RetryDefinition
from runtime.policy import MOST_ATTEMPTS, MOST_FACTOR, MOST_SECONDS, FailurePolicy

_DEFAULT = RetryDefinition()
MOST_WAITS = 3


class FailureFields(QWidget):
    """`changed` carries the new retry and time limit (None when the document has none),
    and the name of the field.
    """

    changed = Signal(object, object, str)
    committed = Signal()

    def __init__(self, look: Look) -> None:
        super().__init__()
        self._retry: RetryDefinition | None = None
        self.attempts = NumberField(whole=True)
        self.timeout = UnitField(False, "s")
        self.backoff = UnitField(False, "s")
        self.longest = UnitField(False, "s")
        self.factor = NumberField(whole=False)
        self.jitter = NumberField(whole=False)
        self._errors: dict[NumberField, ErrorLine] = {}
        body = column(self, gap=8)
        first = FieldGrid(look)
        self._waits = FieldGrid(look)
        last = FieldGrid(look)
        self._add(
            first,
            "Attempts",
            self.attempts,
            "How often the handler is called for one message, at most.",
        )
        self._add(
            self._waits,
            "Wait",
            self.backoff,
            "How long to wait before the second attempt.",
        )
        self._add(
            self._waits,
            "Times",
            self.factor,
            "Each wait is longer than the one before by this factor.",
        )
        self._add(self._waits, "At most", self.longest, "The longest wait.")
        tip = (
            "How much of a wait may be left out at random, from 0 to 1, so that "
            "not all attempts come at once."
        )
        self._add(self._waits, "Jitter", self.jitter, tip)
        self._add(
            last,
            "Time limit",
            self.timeout,
            "An attempt that takes longer fails. 0 is no limit.",
        )
        self.words = label("", "secondary", wrap=True)
        for widget in (first, self._waits, last, self.words):
            body.addWidget(widget)
        for name, field in self.fields().items():
            field.edited.connect(lambda name=name: self._on_edited(name))
            field.committed.connect(self.committed)

    def fields(self) -> dict[str, NumberField]:
        return {
            "attempts": self.attempts,
            "backoff": self.backoff,
            "factor": self.factor,
            "max_backoff": self.longest,
            "jitter": self.jitter,
            "timeout": self.timeout,
        }

    def show_policy(
        self,
        retry: RetryDefinition | None,
        timeout: float | None,
        default: FailurePolicy,
        takers: Sequence[str] = (),
    ) -> None:
        """Show the policy of the document, with the defaults as hints, and the nodes
        that handle failures.
        """
        self._retry = retry
        self.attempts.show_value(MISSING if retry is None else retry.attempts)
        self.attempts.set_hint(str(default.attempts))
        self.timeout.show_value(MISSING if timeout is None else _plain(timeout))
        self.timeout.set_hint(
            "no limit" if default.timeout is None else f"{default.timeout:g}"
        )
        for name, field in self.fields().items():
            if name in ("attempts", "timeout"):
                continue
            if retry is None:
                field.show_value(MISSING)
            else:
                field.show_value(_plain(getattr(retry, name)))
            field.set_hint(f"{getattr(_DEFAULT, name):g}")
        self._waits.setVisible(retry is not None and retry.attempts > 1)
        policy = default
        if retry is not None:
            policy = FailurePolicy(retry.policy(), policy.timeout)
        if timeout is not None:
            # A limit of 0 in the document means no limit.
            policy = FailurePolicy(policy.retry, timeout or None)
        self.words.setText(in_words(policy, takers))

    def set_read_only(self, on: bool) -> None:
        for field in self.fields().values():
            field.set_read_only(on)

    def _add(self, grid: FieldGrid, title: str, field: NumberField, tip: str) -> None:
        self._errors[field] = grid.add(title, field, tip)

    def _read(self, field: NumberField, least: float, most: float) -> Any:
        """Return the value of a field, None when it is empty, or the previous value
        when it has a fault.
        """
        value = value_or_before(field, self._errors[field], _within(least, most))
        return None if value is MISSING else value

    def _on_edited(self, name: str) -> None:
        timeout = self._read(self.timeout, 0, MOST_SECONDS)
        attempts = self._read(self.attempts, 1, MOST_ATTEMPTS)
        values = {
            "attempts": attempts,
            "backoff": self._read(self.backoff, 0, MOST_SECONDS),
            "factor": self._read(self.factor, 1, MOST_FACTOR),
            "max_backoff": self._read(self.longest, 0, MOST_SECONDS),
            "jitter": self._read(self.jitter, 0, 1),
        }
        retry = None
        if attempts is not None:
            extra = (self._retry or _DEFAULT).model_extra or {}
            retry = RetryDefinition(
                **{key: value for key, value in values.items() if value is not None},
                **extra,
            )
        self.changed.emit(retry, timeout, name)


def _within(least: float, most: float) -> Callable[[Any], str]:
    def fault(value: Any) -> str:
        if value is MISSING or least <= value <= most:
            return ""
        return f"It must be from {least:g} to {most:g}."

    return fault


def _plain(number: float) -> float:
    """Return a number as people type it: without ".0"."""
    return int(number) if float(number).is_integer() else number


def in_words(policy: FailurePolicy, takers: Sequence[str] = ()) -> str:
    """Return the consequences of a failure of the node in sentences."""
    sentences = []
    retry = policy.retry
    if retry is not None and retry.attempts > 1:
        count = min(retry.attempts - 1, MOST_WAITS)
        waits = [retry.wait_after(number + 1) for number in range(count)]
        sentence = f"It is tried {retry.attempts} times"
        if any(waits):
            listed = ", ".join(f"{wait:g} s" for wait in waits)
            more = ", …" if retry.attempts - 1 > count else ""
            sentence += f", {listed}{more} apart"
        sentences.append(f"{sentence}.")
    if policy.timeout is not None:
        subject = "Each attempt" if policy.attempts > 1 else "It"
        sentences.append(f"{subject} fails after {policy.timeout:g} s.")
    if takers:
        sentences.append(f"Its failure then goes to {', '.join(takers)}.")
    else:
        sentences.append("Its failure then stops the run at the last barrier.")
    return " ".join(sentences)
