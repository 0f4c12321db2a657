"""A private PostgreSQL server for tests, fault scripts and benchmarks: started when
asked for, gone with its process.

    def test_something(postgres_url): ...        an empty database for each test
    with server() as url: ...                    outside of pytest

STEPWELL_TEST_POSTGRES=URL takes a server that is there instead; its user must be
allowed to create databases.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit, urlunsplit

import pytest

_USER = "stepwell"
_GIVEN = "STEPWELL_TEST_POSTGRES"
_TRIES = 5
_NUMBERS = count(1)

# A shell stands between: it ends the server when its standard input does, so also when
# the tests are killed. The server is its child and not a daemon, so that nothing is
# left to be reaped where no init process does it.
_KEEPER = """
"$1/postgres" -D "$2/data" -h 127.0.0.1 -k '' -p "$3" >>"$2/log" 2>&1 &
until grep -qs '^ready' "$2/data/postmaster.pid"; do
  kill -0 $! 2>/dev/null || { echo failed; exit 1; }
  sleep 0.02
done
echo ready
read -r order
[ "$order" = crash ] && kill -QUIT $! || kill -INT $!
wait $!
[ "$order" = crash ] || rm -rf "$2"
"""


_END_OTHERS = """
SELECT pg_terminate_backend(pid, 10000) FROM pg_stat_activity
WHERE datname = current_database() AND pid <> pg_backend_pid()
"""
# A quarter of the time of a new database.
_EMPTY = """
DO $$ DECLARE name text; BEGIN
    FOR name IN SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' LOOP
        EXECUTE format('DROP SCHEMA %I CASCADE', name);
    END LOOP;
    CREATE SCHEMA public;
    EXECUTE format('ALTER DATABASE %I RESET ALL', current_database());
END $$
"""


def binaries() -> Path | None:
    """The folder of the server's programs, or None where there is none."""
    found = shutil.which("postgres")
    places = [Path(found).resolve().parent] if found else []
    places += sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
    return next(
        (
            place
            for place in places
            if (place / "postgres").exists() and (place / "initdb").exists()
        ),
        None,
    )


class Server:
    """One server in a temporary folder, on loopback only, with everybody trusted. Ends
    with `stop`.
    """

    def __init__(self, programs: Path) -> None:
        # As root the programs refuse to run.
        self._as: dict[str, Any] = (
            {"user": "postgres", "group": "postgres", "extra_groups": []}
            if _is_root()
            else {}
        )
        self._programs = programs
        self._folder = tempfile.mkdtemp(prefix="stepwell-postgres-")
        if _is_root():
            shutil.chown(self._folder, "postgres", "postgres")
        self._keeper: subprocess.Popen[str] | None = None
        self._port = 0
        try:
            self._initialise()
            self._start_on_a_free_port()
        except BaseException:
            self.stop()
            shutil.rmtree(self._folder, ignore_errors=True)
            raise

    @property
    def url(self) -> str:
        return f"postgresql://{_USER}@127.0.0.1:{self._port}/postgres"

    def start(self) -> bool:
        """Start it on its port, after a crash too. False if it does not start: the port
        may be taken.
        """
        arguments = [str(self._programs), self._folder, str(self._port)]
        self._keeper = subprocess.Popen(
            ["/bin/sh", "-c", _KEEPER, "sh", *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=self._folder,
            env={"PATH": os.environ.get("PATH", os.defpath), "LC_ALL": "C"},
            start_new_session=True,  # an interrupt from the terminal is not for it
            **self._as,
        )
        assert self._keeper.stdout is not None
        if self._keeper.stdout.readline() == "ready\n":
            return True
        self._end("")
        return False

    def crash(self) -> None:
        """End it as if the machine had failed; `start` starts it again."""
        self._end("crash\n")

    def stop(self) -> None:
        """End it, and remove its folder."""
        self._end("")

    def _end(self, order: str) -> None:
        if self._keeper is not None:
            self._keeper.communicate(order)
            self._keeper = None

    def _initialise(self) -> None:
        options = [
            "-D",
            f"{self._folder}/data",
            "-U",
            _USER,
            "-A",
            "trust",
            "-E",
            "UTF8",
            "--locale=C",
            "--no-sync",
        ]
        made = subprocess.run(
            [str(self._programs / "initdb"), *options],
            capture_output=True, text=True, check=False, cwd=self._folder, **self._as,
        )  # fmt: skip
        if made.returncode:
            raise RuntimeError(f"initdb failed: {made.stderr or made.stdout}")

    def _start_on_a_free_port(self) -> None:
        for _ in range(_TRIES):
            self._port = _free_port()
            if self.start():
                return
        log = Path(self._folder, "log")
        raise RuntimeError(
            f"PostgreSQL does not start: {log.read_text() if log.exists() else 'it wrote no log'}"
        )


@contextmanager
def server() -> Iterator[str]:
    """The URL of an empty database on a private server, or on the one that the
    environment names.
    """
    given = os.environ.get(_GIVEN)
    if given:
        with database(given) as url:
            yield url
        return
    programs = binaries()
    if programs is None:
        raise RuntimeError(_reason())
    private = Server(programs)
    try:
        with database(private.url) as url:
            yield url
    finally:
        private.stop()


@contextmanager
def database(server_url: str, options: str = "") -> Iterator[str]:
    """The URL of an empty database on a server, which goes with the block. `options`
    are those of CREATE DATABASE.
    """
    import psycopg  # tests that need no server do not pay for it

    name = f"stepwell_{os.getpid()}_{next(_NUMBERS)}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(
            f"CREATE DATABASE {name} TEMPLATE template0 {options}".encode()
        )
    try:
        yield urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
    finally:
        with psycopg.connect(server_url, autocommit=True) as connection:
            connection.execute(f"DROP DATABASE {name} WITH (FORCE)".encode())


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """The URL of a server that lives as long as the test process."""
    given = os.environ.get(_GIVEN)
    if given:
        yield given
        return
    private = own_server()
    yield private.url
    private.stop()


@pytest.fixture(scope="session")
def postgres_database(postgres_server: str) -> Iterator[str]:
    with database(postgres_server) as url:
        yield url


@pytest.fixture
def postgres_url(postgres_database: str) -> Iterator[str]:
    """The URL of a database that is empty for each test."""
    yield postgres_database
    _empty(postgres_database)


def own_server() -> Server:
    """A server for one test that ends or crashes it; skips the test where there are no
    programs for it.
    """
    programs = binaries()
    if programs is None:
        pytest.skip(_reason())
    return Server(programs)


def _empty(url: str) -> None:
    import psycopg

    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute(_END_OTHERS)
        connection.execute(_EMPTY)


def _reason() -> str:
    return f"no PostgreSQL server is installed (apt-get install postgresql), and {_GIVEN} names none"


def _is_root() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
