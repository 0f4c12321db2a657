"""Case 61: what a run saves does not depend on the process that it runs in.

`STEPWELL_SEEDS` says how many hash seeds are tried.
"""

from __future__ import annotations

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

pytestmark = pytest.mark.slow

PROCESSES = int(os.environ.get("STEPWELL_SEEDS", "6"))


def _saved(seed: int) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed)}
    command = [sys.executable, "-m", "tests.runtime.hash_seeds"]
    return subprocess.run(
        command, capture_output=True, text=True, check=True, env=environment
    ).stdout


def test_case_61_processes_of_any_hash_seed_save_the_same_messages_ids_and_bytes() -> (
    None
):
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(_saved, range(1, PROCESSES + 1)))
    assert len(found) == PROCESSES
    assert len(set(found)) == 1
    assert "['w0', 'w1', 'w2', 'w3', 'w4', 'w5', 'w6', 'w7', 'w8', 'w9']" in found[0]
    assert "request w9:2:0" in found[0]
