"""A change of theme with five tabs open, of a thousand nodes each."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

from PySide6.QtWidgets import QApplication

from designer.screenshots import wait_until
from tests.benchmarks.window_documents import layered, saved
from tests.benchmarks.window_rows import Row, finished_window, milliseconds

TABS = 5
NODES = 1000
FRAME = 100.0  # ms


def measure(*, short: bool = False) -> Iterator[Row]:
    design = layered(NODES)
    with finished_window() as (window, folder):
        for k in range(TABS):
            named = design.workflow.model_copy(update={"name": f"theme{k}"})
            window.files.open(
                saved(dataclasses.replace(design, workflow=named), folder)
            )
        wait_until(
            lambda: all(not one.checks.is_busy for one in window.workspaces),
            "the checks",
        )
        spent: list[float] = []
        for theme in ("light", "dark") * (1 if short else 3):
            spent.append(milliseconds(lambda theme=theme: window._look.choose(theme)))  # type: ignore[misc]
            while window.restyling.busy:
                spent.append(milliseconds(QApplication.processEvents))
            spent += [milliseconds(QApplication.processEvents) for _ in range(3)]
    note = f"{TABS} tabs of {NODES} nodes; {sum(spent) / (2 if short else 6):.0f} ms in all"
    yield Row("theme", "longest frame of a change", max(spent), "ms", FRAME, note)
