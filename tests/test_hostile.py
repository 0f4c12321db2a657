"""Files that are made to harm whoever looks at them: one of each kind. By the
hundred: `python -m tests.hostile`.
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CASES = 15  # one of each family


@pytest.mark.skipif(
    sys.platform != "linux", reason="it makes devices, pipes and bounds of Linux"
)
@pytest.mark.timeout(300)
def test_hostile_files_end_run_no_code_and_are_refused_by_name() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.hostile", "--cases", str(CASES), "--seed", "3"],
        cwd=Path(__file__).parents[1],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert f"{CASES} tried, 0 faults" in done.stdout
