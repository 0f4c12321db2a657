"""The examples that we ship: each runs with real input, asks what it says it asks, and
survives going back.
"""

from __future__ import annotations

import csv
import platform
import sqlite3
import sys
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from resources import ROOT, Example, examples
from runtime.checks.check import check
from runtime.document.definition import WorkflowDefinition
from runtime.document.files import read_file, serialise
from runtime.errors import WorkflowConvergenceException
from runtime.events import WorkflowRunState
from runtime.loader.python_modules import load
from runtime.nodes import catalogue
from runtime.nodes.support.function_executor import CallingExecutor
from runtime.stores.memory import MemoryStore
from runtime.workflow.workflow import Workflow
from tests.documents import build

BY_NAME = {example.name: example for example in examples()}
AUDIT = ROOT / "examples" / "licence_audit"


def definition(name: str) -> WorkflowDefinition:
    return read_file(BY_NAME[name].path).workflow


def made(name: str, **options: Any) -> Workflow:
    return build(definition(name), folder=BY_NAME[name].path.parent, **options)


async def half_full(store: MemoryStore) -> str:
    return next(header.id for header in await store.headers() if header.buffered)


@pytest.mark.parametrize("example", examples(), ids=lambda example: example.name)
def test_an_example_is_presentable_and_without_problems(example: Example) -> None:
    file = read_file(example.path)
    assert example.path.read_bytes() == serialise(file)
    assert check(file.workflow, {info.type: info for info in catalogue().infos()}) == []
    assert file.workflow.description == example.description
    assert set(file.layout["positions"]) == {node.id for node in file.workflow.nodes}
    assert example.title[0].isupper()
    assert len(example.tags) >= 3
    assert all(
        (ROOT / "icons" / f"{node.icon}.svg").is_file()
        for node in file.workflow.nodes
        if node.icon
    )


def test_every_folder_of_examples_is_shown() -> None:
    assert {
        folder.name for folder in (ROOT / "examples").iterdir() if folder.is_dir()
    } == set(BY_NAME)


# --- licence audit ------------------------------------------------------------------------------------------------

REPLACE = {"verdict": "replace", "reason": "We ship closed source."}


async def answered(workflow: Workflow, result: Any, answer: dict[str, str]) -> str:
    (question,) = result.get_request_info_events()
    (report,) = (
        await workflow.run(responses={question.request_id: answer})
    ).get_outputs()
    return str(report)


async def test_the_audit_of_this_machine_asks_and_reports_and_a_restored_join_gives_the_same_report() -> (
    None
):
    store = MemoryStore()
    workflow = made("licence_audit")
    first = await workflow.run(
        definition("licence_audit").input, checkpoint_storage=store
    )
    assert first.get_final_state() is WorkflowRunState.IDLE_WITH_PENDING_REQUESTS
    (question,) = first.get_request_info_events()
    # PySide6 is LGPL and is always there with Stepwell.
    assert question.data.text.startswith("May these packages ship?")
    assert "pyside6-essentials (LGPL" in question.data.text
    report = await answered(workflow, first, REPLACE)
    assert "**replace**: We ship closed source." in report
    assert "- pyside6-essentials (LGPL" in report

    other = made("licence_audit")
    again = await other.run(
        checkpoint_id=await half_full(store), checkpoint_storage=store
    )
    assert await answered(other, again, REPLACE) == report


async def test_the_audit_keeps_its_checkpoints_small() -> None:
    store = MemoryStore()
    await made("licence_audit").run("this machine", checkpoint_storage=store)
    packages = len(load("packages:scan", AUDIT)(""))
    assert (
        max(header.size for header in await store.headers()) < 60_000 + 500 * packages
    )


def package(
    name: str, licence: str, requires: tuple[str, ...] = (), installed: str = ""
) -> Any:
    return load("packages:Package", AUDIT)(name, "1", licence, requires, installed)


@pytest.mark.parametrize("packages", [[], [("a", "MIT"), ("b", "Apache-2.0")]])
async def test_the_audit_only_targets_decide_when_everything_is_permissive(
    packages,
) -> None:
    workflow = made("licence_audit")
    workflow.executors["installed_packages"].function = lambda _: [
        package(*one) for one in packages
    ]  # type: ignore[attr-defined]
    (report,) = (await workflow.run("")).get_outputs()
    assert "None was needed." in report
    assert f"{len(packages)} packages." in report


@pytest.mark.parametrize(
    ("licence", "family"),
    [
        ("MIT", "permissive"),
        ("ISC License (ISCL)", "permissive"),
        ("LGPL-3.0-only OR GPL-2.0-only OR GPL-3.0-only", "weak copyleft"),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", "weak copyleft"),
        ("(MIT OR GPL-3.0-only) AND BSD-3-Clause", "permissive"),
        ("GNU Affero General Public License v3", "strong copyleft"),
        ("GPL-2.0-only WITH Classpath-exception-2.0", "strong copyleft"),
        ("MIT AND Proprietary", "unknown"),
        ("", "unknown"),
        (")((", "unknown"),
    ],
)
def test_licences_are_put_into_families(licence, family) -> None:
    assert load("licences:family_of", AUDIT)(licence) == family


def test_reach_counts_those_that_need_a_package_through_others_and_survives_circles() -> (
    None
):
    packages = [
        package("a", "", ("b",)),
        package("b", "", ("c", "b")),
        package("c", "", ("b",)),
        package("d", ""),
    ]
    ranking = load("dependencies:rank", AUDIT)(
        load("dependencies:build", AUDIT)(packages)
    )
    assert list(ranking.reach.items()) == [("b", 2), ("c", 2), ("a", 0), ("d", 0)]


def test_broken_metadata_is_passed_over(tmp_path, monkeypatch) -> None:
    """Folders of half-removed packages have no name, and must not stop an audit."""
    broken = tmp_path / "gone-1.0.dist-info"
    broken.mkdir()
    (broken / "METADATA").write_text("Version: 1\n")
    odd = tmp_path / "odd-1.0.dist-info"
    odd.mkdir()
    (odd / "METADATA").write_text(
        "Name: Odd_Name\nLicense: UNKNOWN\nRequires-Dist: pip; extra == 'x'\nRequires-Dist: nobody-has-it\n"
    )
    monkeypatch.setattr(sys, "path", [str(tmp_path)])
    (found,) = load("packages:scan", AUDIT)("")
    assert (found.name, found.version, found.licence, found.requires) == (
        "odd-name",
        "unknown",
        "",
        (),
    )
    assert found.installed


# --- lost join ----------------------------------------------------------------------------------------------------


async def test_case_1_the_lost_join_is_not_lost() -> None:
    store = MemoryStore()
    expected = [
        "the message by the short way\nthe message by the long way, in two parts"
    ]
    straight = await made("lost_join").run("the message", checkpoint_storage=store)
    assert straight.get_outputs() == expected
    headers = [header for header in await store.headers() if header.buffered]
    assert [header.superstep for header in headers] == [3]  # as the lesson says
    again = await made("lost_join").run(
        checkpoint_id=headers[0].id, checkpoint_storage=store
    )
    assert again.get_outputs() == expected


# --- review loop --------------------------------------------------------------------------------------------------


async def review(workflow: Workflow, result: Any, *answers: dict[str, str]) -> Any:
    for answer in answers:
        (question,) = result.get_request_info_events()
        result = await workflow.run(responses={question.request_id: answer})
    return result


def revise(reason: str) -> dict[str, str]:
    return {"verdict": "revise", "reason": reason}


async def test_a_draft_goes_round_until_it_is_accepted_and_the_past_stays_open() -> (
    None
):
    store = MemoryStore()
    workflow = made("review_loop")
    asked = await workflow.run("tea", checkpoint_storage=store)
    question = (await store.headers())[-1].id
    result = await review(
        workflow, asked, revise("Taste."), revise("price"), {"verdict": "accept"}
    )
    (text,) = result.get_outputs()
    assert [line for line in text.splitlines() if line.startswith("On ")] == [
        "On taste: a paragraph that was asked for.",
        "On price: a paragraph that was asked for.",
    ]
    assert "Accepted after 3 rounds" in text

    other = made("review_loop")
    again = await other.run(checkpoint_id=question, checkpoint_storage=store)
    (short,) = (await review(other, again, {"verdict": "accept"})).get_outputs()
    assert "Accepted after 1 round " in short


async def test_the_loop_has_the_limit_that_its_description_names() -> None:
    workflow = made("review_loop")
    sixth = await review(workflow, await workflow.run("tea"), *[revise("more")] * 5)
    assert (
        len((await review(workflow, sixth, {"verdict": "accept"})).get_outputs()) == 1
    )

    endless = made("review_loop")
    with pytest.raises(WorkflowConvergenceException):
        await review(endless, await endless.run("tea"), *[revise("more")] * 7)


# --- those that run through --------------------------------------------------------------------------------------


async def outputs_of(name: str, **changes: Any) -> list[Any]:
    message = definition(name).input
    return (
        await made(name).run(message | changes if changes else message)
    ).get_outputs()


async def test_orders_meet_their_prices_in_one_statement() -> None:
    """Worked out here once more, from the files alone."""
    folder = BY_NAME["orders_report"].path.parent
    with (folder / "orders.csv").open(encoding="utf-8", newline="") as stream:
        rows = list(csv.DictReader(stream))
    with closing(
        sqlite3.connect(f"{(folder / 'shop.db').as_uri()}?mode=ro", uri=True)
    ) as shop:
        products = {
            row[0]: row[1:]
            for row in shop.execute("SELECT id, name, price FROM products")
        }
    sold = Counter[int]()
    for row in rows:
        sold[int(row["product"])] += int(row["amount"])
    earned = {
        products[one][0]: (count, count * products[one][1])
        for one, count in sold.items()
    }
    lines = [
        f"- {name}: {count} sold, {sum_} EUR" for name, (count, sum_) in earned.items()
    ]

    (report,) = await outputs_of("orders_report")
    head, *shown, total = [line for line in report.splitlines() if line]
    assert (head, total) == (
        "# Orders",
        f"In all {sum(sum_ for _, sum_ in earned.values())} EUR.",
    )
    assert sorted(shown) == sorted(lines)
    assert [int(line.split()[-2]) for line in shown] == sorted(
        (sum_ for _, sum_ in earned.values()), reverse=True
    )


async def test_a_log_is_counted_in_three_ways() -> None:
    lines = (
        (BY_NAME["log_summary"].path.parent / "access.log")
        .read_text(encoding="utf-8")
        .splitlines()
    )
    ends = [line.split()[-2:] for line in lines if line.startswith("192.0.2.")]
    (report,) = await outputs_of("log_summary")
    first, *counts, last = [line for line in report.splitlines() if line]
    assert first == f"{len(lines)} lines, {len(lines) - len(ends)} of them no request."
    assert counts == [
        f"{status}: {count}"
        for status, count in sorted(Counter(one for one, _ in ends).items())
    ]
    slow = sum(int(ms) >= 1000 for _, ms in ends)
    assert slow > 0
    assert last == f"{slow} answers took a second or more."


def months_to_pay(left: int, percent: int, payment: int) -> tuple[int, int]:
    """How many months, and what is left then; cents are cut off as CEL does."""
    months = 0
    while left > 0:
        left += left * percent // 1200 - payment
        months += 1
    return months, left


async def test_a_loan_is_paid_back_or_the_guard_ends_the_loop() -> None:
    months, left = months_to_pay(100_000, 12, 9_000)
    assert await outputs_of("loan_plan") == [
        f"Paid back after {months} months; the last payment is {9_000 + left} cents."
    ]
    (given_up,) = await outputs_of("loan_plan", payment=1_000)  # only the interest
    assert given_up == "After 25 months 100000 cents are left. Pay more each month."


async def test_each_city_has_a_run_of_its_own() -> None:
    cities = definition("city_weather").input
    told = await outputs_of("city_weather")
    assert [text.partition(":")[0] for text in told] == [one["city"] for one in cities]
    assert [text.split(": ")[1].split(",")[0] for text in told] == [
        "cold",
        "mild",
        "hot",
        "cold",
        "mild",
        "hot",
    ]
    assert "Dubai: hot, 41 °C (105 °F). Drink water." in told


@pytest.mark.skipif(sys.platform == "win32", reason="uname and df are not there")
async def test_this_machine_is_described_by_its_own_programs() -> None:
    (told,) = await outputs_of("this_machine")
    assert told.startswith(f"{platform.system()} ")
    assert "GB" in told


@pytest.mark.parametrize(("used", "free", "full"), [(95, 5, True), (50, 50, False)])
async def test_a_disk_that_is_nearly_full_is_told_otherwise(
    used: int, free: int, full: bool
) -> None:
    workflow = made("this_machine")
    for name, wrote in (
        ("system", "Linux 6 x86\n"),
        ("disk", ["head", f"/dev/x 0 {used} {free} 0% /"]),
    ):
        workflow.executors[name] = CallingExecutor(
            name, lambda _, wrote=wrote: wrote, "shell_command"
        )
    (told,) = (await workflow.run("")).get_outputs()
    assert ("nearly full" in told or "% full" in told) is full


@pytest.mark.parametrize(
    "name", ["orders_report", "log_summary", "loan_plan", "city_weather"]
)
async def test_every_checkpoint_of_an_example_leads_to_the_same_result(
    name: str,
) -> None:
    store = MemoryStore()
    straight = (
        await made(name).run(definition(name).input, checkpoint_storage=store)
    ).get_outputs()
    headers = await store.headers()
    for header in headers[:: max(1, len(headers) // 8)]:
        again = (
            await made(name).run(checkpoint_id=header.id, checkpoint_storage=store)
        ).get_outputs()
        assert again == straight[len(straight) - len(again) :], header.superstep


def test_modules_of_examples_do_not_stay_in_the_way() -> None:
    made("licence_audit")
    folder = str(Path(AUDIT).resolve())
    assert folder not in sys.path[:1]
