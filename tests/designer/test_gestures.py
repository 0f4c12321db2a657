"""Random gestures in a real window leave document, scene and file equal at every step;
a fault is found and shrunk.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.gestures.player import GESTURES, Step
from tests.gestures.playing import FaultError, shrink, steps

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.timeout(300)
@pytest.mark.slow
def test_random_gestures_leave_document_scene_and_file_equal() -> None:
    command = [
        sys.executable,
        "-m",
        "tests.gestures",
        "--edits",
        "100",
        "--seed",
        "1",
        "--no-shrink",
        "--unstyled",
    ]
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert done.stdout.endswith("100 steps\n")


def test_the_steps_of_a_seed_are_always_the_same_and_a_longer_run_begins_with_them() -> (
    None
):
    assert steps(3, 50) == steps(3, 80)[:50]
    assert steps(3, 50) != steps(4, 50)


def test_every_gesture_is_drawn() -> None:
    assert {step.name for step in steps(1, 2_000)} == GESTURES.keys()


def test_a_failing_run_is_cut_down_to_the_steps_that_fail() -> None:
    program = [Step("move", number) for number in range(100)]
    guilty = {Step("move", 13), Step("move", 57)}

    def replay(some: list[Step]) -> FaultError | None:
        if guilty <= set(some):
            return FaultError("both")
        if len(some) % 2:
            return FaultError("other")
        return None

    assert shrink(program, FaultError("both"), replay=replay) == sorted(
        guilty, key=lambda step: step.seed
    )
