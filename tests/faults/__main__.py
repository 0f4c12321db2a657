"""The big campaign: `python -m tests.faults [--cases N] [--seed S] [--store all|…]
[--only FAULT] [--jobs J] [--json]`.

Tries every kind of fault on every store, prints one table, and for each failure how to
see it again. Exits with 1 if there is one. `--cases` is the number of random workflows;
of the other kinds there are some for each thousand.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from typing import TextIO

from tests.faults.campaigns import FAULTS, Batch, Tally, work
from tests.faults.places import STORES, server

# Cases that share a store: a folder with thousands of records is slow, and a new
# database takes a while.
_TOGETHER = {"memory": 50, "dir": 5, "sqlite": 25, "postgresql": 25}


def batches(
    faults: Iterable[str], stores: Sequence[str], cases: int, seed: int, url: str
) -> Iterator[Batch]:
    """All cases. Each random workflow is on one store; with one store it gets all of
    them.
    """
    for name in faults:
        fault = FAULTS[name]
        begin = seed
        there = [store for store in stores if store in fault.stores]
        weights = [
            fault.in_memory if store == "memory" else fault.elsewhere for store in there
        ]
        total = sum(weights) if name == "workflows" else 1000
        for store, weight in zip(there, weights, strict=True):
            number = max(1, round(cases * weight / total))
            seeds = range(begin, begin + number)
            begin += number
            for start in range(
                0, number, _TOGETHER[store] if name == "workflows" else 1
            ):
                part = seeds[
                    start : start + (_TOGETHER[store] if name == "workflows" else 1)
                ]
                yield Batch(name, store, tuple(part), url)


def campaign(all_batches: Sequence[Batch], jobs: int) -> Iterator[Tally]:
    if jobs == 1:
        yield from map(work, all_batches)
    else:
        with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
            yield from pool.map(work, all_batches)


def followed(tallies: Iterable[Tally], number: int) -> Iterator[Tally]:
    """The same, told on standard error every twentieth of the way: it takes a quarter
    of an hour.
    """
    failures = 0
    for done, one in enumerate(tallies, start=1):
        failures += len(one.failures)
        if done * 20 // number > (done - 1) * 20 // number:
            where = f"{FAULTS[one.fault].title}, {one.store}"
            say(
                f"{done * 100 // number} %, {where}: {failures} failures so far",
                sys.stderr,
            )
        yield one


def summed(tallies: Iterable[Tally]) -> list[Tally]:
    """One for each fault and store."""
    found: dict[tuple[str, str], Tally] = {}
    for one in tallies:
        known = found.get(
            (one.fault, one.store), Tally(one.fault, one.store, 0, {}, ())
        )
        found[one.fault, one.store] = Tally(
            one.fault,
            one.store,
            known.cases + one.cases,
            dict(Counter(known.runs) + Counter(one.runs)),
            known.failures + one.failures,
            known.seconds + one.seconds,
        )
    return list(found.values())


def show(tallies: Sequence[Tally]) -> None:
    rows = [("fault", "store", "cases", "runs compared", "failures", "seconds")]
    rows += [
        (FAULTS[one.fault].title, one.store, f"{one.cases:,}", f"{sum(one.runs.values()):,}", str(len(one.failures)),
         f"{one.seconds:.0f}")
        for one in tallies
    ]  # fmt: skip
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        left = [
            text.ljust(width) for text, width in zip(row[:2], widths[:2], strict=True)
        ]
        right = [
            text.rjust(width) for text, width in zip(row[2:], widths[2:], strict=True)
        ]
        say("  ".join([*left, *right]))
    for name, fault in FAULTS.items():
        runs: Counter[str] = sum(
            (Counter(one.runs) for one in tallies if one.fault == name), Counter()
        )
        if runs:
            say(
                f"\n{fault.title}: "
                + ", ".join(f"{number:,} {what}" for what, number in runs.most_common())
            )
    for failure in [failure for one in tallies for failure in one.failures]:
        say(f"\n{failure.error}\nSeen again by: {failure.command}")


def say(text: str, file: TextIO | None = None) -> None:
    print(text, flush=True, file=file)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tests.faults", description=(__doc__ or "").partition("\n\n")[2]
    )
    parser.add_argument(
        "--cases", type=int, default=10_000, help="random workflows (10,000)"
    )
    parser.add_argument("--seed", type=int, default=1, help="of the first case (1)")
    parser.add_argument(
        "--store",
        default="all",
        help=f"all, or some of {', '.join(STORES)} with commas between",
    )
    parser.add_argument("--only", choices=tuple(FAULTS), help="one kind of fault")
    parser.add_argument("--jobs", type=int, default=2, help="processes (2)")
    parser.add_argument("--json", action="store_true", help="the table as JSON")
    wanted = parser.parse_args(arguments)
    stores = STORES if wanted.store == "all" else tuple(wanted.store.split(","))
    if unknown := set(stores) - set(STORES):
        parser.error(
            f"no such store: {', '.join(sorted(unknown))}. There are: {', '.join(STORES)}"
        )
    begun = time.perf_counter()
    with server(stores) as url:
        all_batches = list(
            batches(
                [wanted.only] if wanted.only else FAULTS,
                stores,
                wanted.cases,
                wanted.seed,
                url,
            )
        )
        tallies = summed(followed(campaign(all_batches, wanted.jobs), len(all_batches)))
    failures = sum(len(one.failures) for one in tallies)
    if wanted.json:
        rows = [
            one._asdict() | {"failures": [f._asdict() for f in one.failures]}
            for one in tallies
        ]
        say(json.dumps(rows, indent=1))
    else:
        show(tallies)
        say(
            f"\n{failures} failures, {time.perf_counter() - begun:.0f} seconds with {wanted.jobs} processes"
        )
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
