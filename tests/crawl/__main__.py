"""`python -m tests.crawl [MODE …]`: press every control in every mode, or in these, and
tell what is wrong.
"""

from __future__ import annotations

import argparse
import os
import sys

os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")

from tests.crawl.crawler import crawl
from tests.crawl.modes import MODES


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "modes", nargs="*", metavar="MODE", help=f"one of: {', '.join(MODES)}"
    )
    parser.add_argument(
        "--only", default="", help="only controls with this in their name"
    )
    parser.add_argument(
        "--once",
        action="store_true",
        help="each control in the first mode only that has it",
    )
    given = parser.parse_args()
    modes = {mode: MODES[mode] for mode in given.modes or MODES}
    report = crawl(lambda key: given.only in key, modes, once=given.once, tell=_say)
    _say(str(report))
    return 1 if report.faults else 0


if __name__ == "__main__":
    sys.exit(main())
