"""Ctrl+C, and the end of a session: the first ends the superstep, the second ends the
process, and a handler that blocks has its grace.
"""

from __future__ import annotations

import asyncio
import signal

import pytest

from runtime.cli.interrupts import Interrupts


class _Ended(BaseException):
    """Stands for the end of the process."""


def interrupts(said: list[str]) -> Interrupts:
    def end(code: int) -> None:
        raise _Ended(code)

    return Interrupts(lambda: said.append("words"), end=end)


async def cancelled_by_ctrl_c(keys: Interrupts) -> str:
    with keys.cancelling():
        signal.raise_signal(signal.SIGINT)
        await asyncio.Event().wait()
    task = asyncio.current_task()
    if task is not None and not task.cancelling():
        return "went on"
    return "still cancelled"


def test_ctrl_c_cancels_what_runs_and_the_program_goes_on_to_tell_of_it() -> None:
    keys = interrupts(said := [])
    with keys.listening():
        assert asyncio.run(cancelled_by_ctrl_c(keys)) == "went on"
    assert (keys.is_interrupted, said) == (True, [])


def test_a_second_ctrl_c_ends_the_process_with_last_words() -> None:
    keys = interrupts(said := [])

    async def blocked() -> None:
        with keys.cancelling():
            signal.raise_signal(signal.SIGINT)
            signal.raise_signal(signal.SIGINT)

    with keys.listening(), pytest.raises(_Ended, match="130"):
        asyncio.run(blocked())
    assert said == ["words"]


def test_when_all_is_said_ctrl_c_ends_the_process_without_another_word() -> None:
    keys = interrupts(said := [])
    keys.end_with(1)
    with keys.listening(), pytest.raises(_Ended, match="1"):
        signal.raise_signal(signal.SIGINT)
    assert said == []


def test_before_a_run_ctrl_c_is_what_it_always_is_and_afterwards_the_old_handler_is_back() -> (
    None
):
    before = signal.getsignal(signal.SIGINT)
    keys = interrupts([])
    with keys.listening(), pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGINT) is before


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
def test_the_end_of_a_session_ends_the_superstep_as_ctrl_c_does(
    number: signal.Signals, code: int
) -> None:
    keys = interrupts(said := [])

    async def cancelled() -> None:
        with keys.cancelling():
            signal.raise_signal(number)
            await asyncio.Event().wait()

    # under `nohup` it is ignored, and stays so
    inherited = signal.signal(number, signal.SIG_DFL)
    try:
        with keys.listening():
            asyncio.run(cancelled())
        assert signal.getsignal(number) is signal.SIG_DFL
    finally:
        signal.signal(number, inherited)
    assert (keys.is_interrupted, keys.code, keys.text, said) == (
        True,
        code,
        f"Stopped by {number.name}.",
        [],
    )


def test_before_a_run_it_ends_the_process_without_a_word() -> None:
    keys = interrupts(said := [])
    with keys.listening(), pytest.raises(_Ended, match="143"):
        signal.raise_signal(signal.SIGTERM)
    assert said == []


def test_what_was_started_to_outlive_its_terminal_does() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        with interrupts([]).listening():
            signal.raise_signal(signal.SIGHUP)
    finally:
        signal.signal(signal.SIGHUP, before)
