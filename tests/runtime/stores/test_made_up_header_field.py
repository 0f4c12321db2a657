"""A new field of a header is one line in its declaration: stores, the protocol and the
views have it by that.
"""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.changed_source import run_changed

PROGRAM = "tests.runtime.stores.made_up_header_field"
# The one change: a line behind the last field of the class.
CHANGES = {
    "runtime.checkpoint": [
        (
            '    changed: Annotated[str, Kept(added=True, caption="Graph changed")] = ""\n',
            '    cost: Annotated[float, Kept(added=True, caption="Cost")] = 0.0\n',
        )
    ]
}
GOLDEN = Path(__file__).parent / "golden" / "format3"


def test_a_new_field_is_saved_listed_and_loaded(tmp_path: Path) -> None:
    urls = ["memory:", f"sqlite:{tmp_path}/runs.db", f"dir:{tmp_path}/runs"]
    run_changed(CHANGES, PROGRAM, "keep", *urls)


def test_postgres_keeps_a_new_field(postgres_url: str) -> None:
    run_changed(CHANGES, PROGRAM, "keep", postgres_url)


def test_a_store_of_before_opens_and_takes_a_new_field(tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(GOLDEN, copy)
    run_changed(CHANGES, PROGRAM, "lift", f"sqlite:{copy}/runs.db", f"dir:{copy}/runs")


def test_a_new_field_travels_to_the_window_and_is_shown(tmp_path: Path) -> None:
    run_changed(CHANGES, PROGRAM, "show", f"sqlite:{tmp_path}/runs.db")
