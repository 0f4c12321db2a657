"""What a reader may be given to make it hang, crash or run code: it answers soon, and
there is no way to code.
"""

from __future__ import annotations

import ast
import dataclasses
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from runtime.codec import Record, TypeRegistry, decode, encode, view
from runtime.errors import DecodeError

ROOT = Path(__file__).parents[2]
DEEP = 100_000


def doubling(levels: int) -> bytes:
    """Malformed at each level, with the next one inside."""
    data = b"1"
    for _ in range(levels):
        data = b'{"$":"dict","v":[[1,' + data + b"],[1,2]]}"
    return data


BOMBS = {
    "lists": b"[" * DEEP + b"]" * DEEP,
    "objects": b'{"a":' * DEEP + b"1" + b"}" * DEEP,
    "tuples": b'{"$":"tuple","v":[' * DEEP + b"]}" * DEEP,
    "tuples that JSON lets through": b'{"$":"tuple","v":[' * 500 + b"]}" * 500,
    "types": b'{"$":"type","v":' + b'["list",' * 900 + b'"int"' + b"]" * 900 + b"}",
    "an open list": b"[" * DEEP,
    "malformed at every level": doubling(80),
    "number": b"9" * 1_000_000,
    "exponent": b"1e999999999",
    "digits": b'{"$":"int","v":"' + b"9" * 1_000_000 + b'"}',
    "fraction": b'{"$":"Fraction","v":["1e999999999"]}',
    "fraction with a text": b'{"$":"Fraction","v":["1e999999999",1]}',
    "decimal": b'{"$":"set","v":[{"$":"Decimal","v":"1e999999999"}]}',
    "float": b'{"$":"float","v":"' + b"9" * 1_000_000 + b'"}',
    "range": b'{"$":"range","v":[0,1e999,1]}',
    "long range": b'{"$":"set","v":[{"$":"range","v":[0,9223372036854775807,1]}]}',
    "array": b'{"$":"ndarray","v":["<f8",[9223372036854775807],"C",""]}',
    "array of nothing": b'{"$":"ndarray","v":["|V0",[1000000000000],"C",""]}',
    "array of two sizes": b'{"$":"ndarray","v":["<f8",[-1,-1],"C",""]}',
    "deque": b'{"$":"deque","v":[99999999999999999999,[]]}',
    "years": b'{"$":"timedelta","v":[999999999999,0,0]}',
    "zone": b'{"$":"ZoneInfo","v":"Europe"}',
    "a million names": b'{"$":"dict","v":['
    + b",".join(b'["%d",1]' % n for n in range(100_000))
    + b"]}",
}


@pytest.mark.timeout(10)
@pytest.mark.parametrize("data", BOMBS.values(), ids=BOMBS.keys())
def test_no_bytes_make_the_reader_hang_or_crash(data: bytes) -> None:
    for reader in (decode, view):
        try:
            reader(data, path="part")
        except DecodeError as error:
            assert str(error).startswith("part")  # noqa: PT017 - it may also be read


@dataclasses.dataclass(frozen=True)
class Item:
    number: int


@pytest.mark.timeout(10)
def test_a_viewer_takes_a_set_of_many_values_of_a_users_class() -> None:
    registry = TypeRegistry()
    registry.register(Item)
    seen = view(encode({Item(number) for number in range(20_000)}, registry), registry)
    assert len(seen) == 20_000
    one = Record("x", {"a": 1, "b": [2]})
    other = Record("x", {"b": [2], "a": 1.0})
    assert (one, hash(one)) == (other, hash(other))


@dataclasses.dataclass(frozen=True)
class Awkward:
    """Its instances are asked for everything that Python has a protocol for."""

    n: int

    def _refuse(self, *_: Any) -> Any:
        raise SystemError("code of a user's class ran")

    __index__ = __int__ = __float__ = __complex__ = __fspath__ = __iter__ = __len__ = (
        __getitem__
    ) = __str__ = _refuse
    numerator = denominator = property(_refuse)


@pytest.mark.parametrize(
    ("tag", "payload"),
    [
        ("Path", "%s"),
        ("PurePosixPath", "%s"),
        ("complex", "[%s,1.0]"),
        ("range", "[0,%s,1]"),
        ("Fraction", "[%s,1]"),
        ("Fraction", "[1,%s]"),
        ("mappingproxy", "%s"),
        ("timezone", "[%s]"),
        ("datetime", '["2024-01-01T00:00:00",0,%s]'),
        ("defaultdict", "[%s,[]]"),
        ("tuple", "%s"),
        ("int", "%s"),
        ("Decimal", "%s"),
    ],
)
def test_no_builder_asks_a_value_of_a_users_class_to_be_something_else(
    tag: str, payload: str
) -> None:
    registry = TypeRegistry()
    registry.register(Awkward)
    own = f'{{"$":"{__name__}:Awkward","v":{{"n":1}}}}'
    with pytest.raises(DecodeError, match="not a proper value") as caught:
        decode(f'{{"$":"{tag}","v":{payload.replace("%s", own)}}}'.encode(), registry)
    assert "code of a user's class ran" not in str(caught.value)


@dataclasses.dataclass(frozen=True)
class Unhashable:
    n: int

    def __hash__(self) -> int:
        raise RuntimeError("no hash today")


def test_a_key_whose_own_code_raises_gives_a_typed_error() -> None:
    registry = TypeRegistry()
    registry.register(Unhashable)
    data = (
        f'[{{"$":"set","v":[{{"$":"{__name__}:Unhashable","v":{{"n":1}}}}]}}]'.encode()
    )
    with pytest.raises(DecodeError, match=r"x\[0\].*no hash today"):
        decode(data, registry, "x")


def test_looking_imports_no_module_that_was_allowed_and_loading_does(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "allowed_here.py").write_text(
        "import enum\nclass Thing(enum.Enum):\n    A = 1\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    base = TypeRegistry()
    base.allow(["allowed_here:Thing"])
    data = b'[{"$":"allowed_here:Thing","v":{"name":"A"}},{"$":"type","v":"allowed_here:Thing"}]'
    for registry in (base, TypeRegistry(base)):
        assert view(data, registry)[0] == Record("allowed_here:Thing", {"name": "A"})
        assert "allowed_here" not in sys.modules
    member, cls = decode(data, base)
    assert (member, cls.__module__) == (cls.A, "allowed_here")
    del sys.modules["allowed_here"]


def test_an_array_of_items_without_a_size_is_refused() -> None:
    """Of which a record of a few bytes may have as many as it says."""
    for kind in ("|V0", "<U0", "|S0"):
        with pytest.raises(DecodeError):
            decode(f'{{"$":"ndarray","v":["{kind}",[1000000000000],"C",""]}}'.encode())


# --- no way to code -----------------------------------------------------------------------------------------------

READERS = [
    "runtime/codec",
    "runtime/checkpoints/archive.py",
    "runtime/checkpoints/parts.py",
    "runtime/checkpoints/chunks.py",
    "runtime/checkpoints/migrations.py",
]
READERS += ["runtime/checkpoint.py", "runtime/stores"]
FORBIDDEN = {
    "pickle",
    "cPickle",
    "_pickle",
    "marshal",
    "shelve",
    "dill",
    "cloudpickle",
    "joblib",
    "code",
    "runpy",
}
FORBIDDEN |= {"ctypes", "eval", "exec", "compile", "__import__", "globals"}


def sources() -> list[Path]:
    found = [ROOT / name for name in READERS]
    return [
        file
        for one in found
        for file in ([one] if one.is_file() else sorted(one.rglob("*.py")))
    ]


def used(tree: ast.AST) -> set[str]:
    """The modules that a source imports, and the functions that it calls by name."""
    names: set[str] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name.partition(".")[0] for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            names.add((node.module or "").partition(".")[0])
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            names.add(node.func.id)
    return names


def test_case_127_what_reads_records_names_nothing_that_runs_code() -> None:
    assert used(ast.parse("import pickle\neval('1')")) == {"pickle", "eval"}
    assert len(sources()) > 20
    for file in sources():
        assert not used(ast.parse(file.read_text(encoding="utf-8"))) & FORBIDDEN, file


def test_case_127_reading_and_writing_loads_no_module_that_could_run_code(
    tmp_path: Path,
) -> None:
    script = """
import asyncio, sys
from runtime.checkpoints.archive import Archive
from runtime.state import RunState, Trace
from runtime.checkpoint import Cause
from runtime.stores import open_store

async def main():
    for url in ("memory:", "dir:runs", "sqlite:runs.db"):
        archive = Archive(open_store(url))
        header = await archive.save(RunState(shared={"k": {1: (2,)}}), Trace(), run_id="r", workflow="w",
                                    cause=Cause.INPUT, parent=None, branch="main")
        await archive.load(header.id)
        await archive.view(header.id)
        await archive.store.close()

asyncio.run(main())
print(*sorted({"pickle", "_pickle", "shelve", "dill", "runpy", "code"} & set(sys.modules)))
"""
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", script],
        capture_output=True,
        check=True,
        cwd=tmp_path,
        env=environment,
    )
    assert run.stdout.split() == []
