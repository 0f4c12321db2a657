"""The programs on this machine that can be attached to: their addresses, and a folder
of the user in which each running one is listed.

A listed program is a file of JSON in the run folder. The folder and its files are for
their user alone, because a token may be in them, and because whoever reaches the socket
can run the program's code.
"""

from __future__ import annotations

import ipaddress
import os
import stat
import sys
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import platformdirs
from pydantic import BaseModel, ConfigDict, ValidationError

from runtime.errors import AddressError
from runtime.system.bounded_files import from_json, read_bytes
from runtime.system.user_folders import APP_NAME

RUN_FOLDER = "STEPWELL_RUN_DIR"  # replaces the run folder (tests, several sessions)
SUFFIX = ".json"
SOCKET_SUFFIX = ".sock"
PRIVATE_FOLDER = 0o700
PRIVATE_FILE = 0o600
LARGEST_LISTING = 16_384
LOCALHOST = "localhost"
HOW = (
    "Give a port of this machine such as 127.0.0.1:5678, or the path of a Unix socket."
)


class Address(BaseModel):
    """Where a program listens: the `path` of a Unix socket, or a `host` that is this
    machine, with a `port`.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    path: str = ""
    host: str = ""
    port: int = 0

    def __str__(self) -> str:
        if self.path:
            return self.path
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{host}:{self.port}"


class Listing(BaseModel):
    """A program that listens. `token` is empty where none is needed; `file` is where it
    is listed.
    """

    model_config = ConfigDict(frozen=True, extra="ignore")

    address: Address
    token: str = ""
    pid: int = 0
    program: str = ""
    workflow: str = ""
    since: float = 0.0


def address_of(text: str) -> Address:
    """Return the address in a text: `HOST:PORT`, a port alone, or the path of a Unix
    socket. Raise `AddressError` for anything else, and for a host that is not this
    machine.
    """
    text = text.strip()
    if not text:
        raise AddressError(f"There is no address. {HOW}")
    host, colon, port = text.rpartition(":")
    is_path = "/" in text or "\\" in text or text.endswith(SOCKET_SUFFIX)
    if is_path:
        return Address(path=text)
    if not (port.isascii() and port.isdigit()):
        raise AddressError(f"'{text}' is no address. {HOW}")
    if int(port) > 65_535:
        raise AddressError(f"There is no port {port}: the highest is 65535.")
    return Address(host=_loopback(host if colon else LOCALHOST), port=int(port))


def _loopback(host: str) -> str:
    """Return the loopback interface that a host names. No name is looked up, because a
    name may lead anywhere.
    """
    host = host.removeprefix("[").removesuffix("]")
    if host == LOCALHOST:
        return "127.0.0.1"
    try:
        if ipaddress.ip_address(host).is_loopback:
            return host
    except ValueError:
        pass
    raise AddressError(
        f"'{host}' is not this machine. A program can be attached to on the loopback interface only, "
        "because whoever reaches it can run its code. For another machine, forward a port by ssh -L."
    )


# --- the folder -----------------------------------------------------------------------


def run_folder() -> Path:
    """Return the folder in which programs are listed. Nothing is made."""
    chosen = os.environ.get(RUN_FOLDER)
    if chosen:
        return Path(chosen)
    if sys.platform == "linux" and not os.environ.get("XDG_RUNTIME_DIR"):
        # As in a container or over `su`. It is no fault, so nothing must warn of it.
        return Path(tempfile.gettempdir()) / f"{APP_NAME}-{os.getuid()}"
    return Path(platformdirs.user_runtime_dir(APP_NAME, appauthor=False))


def make_run_folder() -> Path:
    """Return the run folder, which is the user's alone. Raise `AddressError` if it is
    somebody else's.
    """
    folder = run_folder()
    try:
        folder.mkdir(mode=PRIVATE_FOLDER, parents=True, exist_ok=True)
        if hasattr(os, "getuid"):
            _make_private(folder)
    except OSError as error:
        raise AddressError(
            f"The folder {folder}, in which programs are listed, cannot be made: {error.strerror}. "
            f"Name another one by {RUN_FOLDER}."
        ) from error
    return folder


def _make_private(folder: Path) -> None:
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid():
        raise AddressError(
            f"The folder {folder}, in which programs are listed, belongs to another user. Name another one by "
            f"{RUN_FOLDER}."
        )
    if stat.S_IMODE(status.st_mode) & ~PRIVATE_FOLDER:
        folder.chmod(PRIVATE_FOLDER)


def free_name(folder: Path) -> str:
    """Return a name for this process that is not listed yet."""
    number = 1
    while True:
        name = f"{os.getpid()}-{number}"
        if not (folder / f"{name}{SUFFIX}").exists():
            return name
        number += 1


def write_listing(file: Path, listing: Listing) -> None:
    """List a program, for its user alone."""
    content = listing.model_dump_json().encode()
    # Written under another name first, so that a reader never sees half of it.
    unfinished = file.with_suffix(".new")
    with suppress(FileNotFoundError):
        unfinished.unlink()
    handle = os.open(unfinished, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE_FILE)
    with os.fdopen(handle, "wb") as stream:
        stream.write(content)
    unfinished.replace(file)


def listings() -> list[Listing]:
    """Return the programs that listen now, the newest first. What a killed program left
    is skipped.
    """
    present = [listing for listing in _read_all() if is_alive(listing.pid)]
    return sorted(present, key=lambda listing: -listing.since)


def remove_stale() -> None:
    """Remove what killed programs have left in the run folder."""
    folder = run_folder()
    for file in _files(folder):
        pid = file.stem.partition("-")[0]
        if pid.isdigit() and not is_alive(int(pid)):
            for suffix in (SUFFIX, SOCKET_SUFFIX):
                with suppress(OSError):
                    file.with_suffix(suffix).unlink()


def _read_all() -> Iterator[Listing]:
    for file in _files(run_folder()):
        with suppress(OSError, ValueError, ValidationError):
            yield Listing.model_validate(from_json(read_bytes(file, LARGEST_LISTING)))


def _files(folder: Path) -> list[Path]:
    try:
        return sorted(folder.glob(f"*{SUFFIX}"))
    except OSError:
        return []


def is_alive(pid: int) -> bool:
    """Return whether a process is there."""
    if pid <= 0:
        return False
    if os.name == "nt":
        return True  # because a signal would end it there
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True
