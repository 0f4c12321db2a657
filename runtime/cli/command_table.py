"""The commands that need no window, by their words."""

from __future__ import annotations

from collections.abc import Callable

from runtime.cli.bundle import bundle
from runtime.cli.commands import check, nodes, resume, run, show, timeline
from runtime.cli.differences import diff
from runtime.cli.explore import explore
from runtime.cli.find import find
from runtime.cli.guide import print_help
from runtime.cli.migrate import migrate
from runtime.cli.patch import patch
from runtime.cli.remove import delete, pin, prune
from runtime.cli.share import receive, share
from runtime.cli.verify import verify
from runtime.cli.why import why

COMMANDS: dict[str, Callable[..., int]] = {
    "run": run,
    "resume": resume,
    "timeline": timeline,
    "show": show,
    "diff": diff,
    "find": find,
    "why": why,
    "explore": explore,
    "migrate": migrate,
    "patch": patch,
    "share": share,
    "receive": receive,
    "bundle": bundle,
    "verify": verify,
    "check": check,
    "nodes": nodes,
    "help": print_help,
    "prune": prune,
    "pin": pin,
    "delete": delete,
}
