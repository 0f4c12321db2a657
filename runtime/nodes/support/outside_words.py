"""What the calls of built-in node types do beyond the run, in a few words. Nothing of it
comes from a message or from the environment.
"""

from __future__ import annotations

from pathlib import PurePath
from urllib.parse import urlsplit

from runtime.executors.outside import Outside


def to_host(what: str, address: str) -> str:
    """Return "HTTP request to example.org"; without the host where a placeholder gives
    it.
    """
    try:
        host = urlsplit(address).hostname or ""
    except ValueError:
        host = ""
    return f"{what} to {host}" if host and "{" not in host else what


def on_file(what: str, path: str, *, reads: bool) -> Outside:
    """Return "read file orders.csv". Reading changes nothing."""
    return Outside(f"{what} {path}", is_harmless=reads)


def program_name(text: str) -> str:
    """Return the name of the program that a command begins with."""
    words = text.split()
    return PurePath(words[0]).name if words else text
