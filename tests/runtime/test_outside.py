"""Files from outside are opened in one place, as regular files of bounded size; JSON
from outside has bounded depth.
"""

from __future__ import annotations

import ast
import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from runtime.errors import UnfitFileError
from runtime.system import bounded_files
from runtime.system.bounded_files import (
    DEEPEST,
    TooDeepError,
    check_depth,
    from_json,
    read_bytes,
    read_source,
    read_text,
)

ROOT = Path(__file__).parents[2]
# Who opens files in another way, and why that is right.
EXCEPTIONS = {
    "runtime/system/bounded_files.py": "the one place",
    "runtime/stores/directory/disk.py": "follows no link, and is bounded itself",
    "runtime/document/files.py": "writes, and syncs folders",
    "runtime/nodes/support/append_file.py": "appends",
    "runtime/debug/remote/transport.py": "/dev/null",
    "runtime/system/listeners.py": "writes, for the user alone",
    "runtime/cli/command_line.py": "/dev/null",
    "runtime/debug/bundle/opener.py": "a zip in a stream of the helper; writes",
    "runtime/debug/bundle/target.py": "writes",
    "designer/document/journal.py": "/proc of a process",
    "designer/document/journal_writer.py": "writes",
    "designer/look/fonts.py": "a resource of ours",
    "designer/look/icons.py": "a resource of ours",
    "designer/look/packaged_themes.py": "a resource of an installed package",
    "designer/look/theme.py": "a resource of ours",
}
OPENERS = {
    ("os", "open"),
    ("io", "open"),
    ("tokenize", "open"),
    ("gzip", "open"),
    ("zipfile", "ZipFile"),
}
MODES = {"r", "rb", "w", "wb", "a", "ab", "x", "xb", "r+", "r+b", "rt", "wt"}


def openings(tree: ast.AST) -> Iterator[ast.Call]:
    """Calls that open a file: what a name says, as nothing is run."""
    for call in ast.walk(tree):
        if not isinstance(call, ast.Call):
            continue
        match call.func:
            case ast.Name(id="open"):
                yield call
            case ast.Attribute(attr="read_text" | "read_bytes"):
                yield call
            case ast.Attribute(value=ast.Name(id=module), attr=name) if (
                module,
                name,
            ) in OPENERS:
                yield call
            case ast.Attribute(attr="open"):
                constants = [
                    part.value for part in call.args if isinstance(part, ast.Constant)
                ]
                names = {part.arg for part in call.keywords}
                if MODES.intersection(map(str, constants)) or names & {
                    "encoding",
                    "newline",
                    "mode",
                    "buffering",
                }:
                    yield call


def test_no_module_opens_a_file_from_outside_but_by_the_helper() -> None:
    found = {
        str(path.relative_to(ROOT)): [
            call.lineno for call in openings(ast.parse(path.read_bytes()))
        ]
        for package in ("runtime", "designer")
        for path in (ROOT / package).rglob("*.py")
        if "testing" not in path.parts
    }
    others = {
        path: lines for path, lines in found.items() if lines and path not in EXCEPTIONS
    }
    assert others == {}, (
        "open it by runtime.system.bounded_files, or say in EXCEPTIONS why that is not needed"
    )
    assert {path for path in EXCEPTIONS if not found.get(path)} <= {
        "designer/document/journal_writer.py"
    }


@pytest.mark.parametrize(
    "code",
    [
        "open(p)",
        "Path(p).read_text()",
        "p.open('rb')",
        "p.open(newline='')",
        "tokenize.open(p)",
        "os.open(p, 0)",
    ],
)
def test_the_scan_sees_every_way_to_open_a_file(code: str) -> None:
    assert len(list(openings(ast.parse(code)))) == 1


# --- what is no file --------------------------------------------------------------------------------------------------


def as_pipe(path: Path) -> None:
    os.mkfifo(path)


def as_socket(path: Path) -> None:
    with socket.socket(socket.AF_UNIX) as made:
        made.bind(str(path))


def as_sparse(path: Path) -> None:
    with path.open("wb") as stream:
        stream.truncate(40 * 2**30)


@pytest.mark.parametrize(
    ("make", "reason"),
    [
        (as_pipe, "a pipe"),
        (as_socket, "a socket"),
        (lambda path: path.symlink_to("/dev/zero"), "a device"),
        (lambda path: path.symlink_to("/dev/tty"), "a device"),
        (as_sparse, "40,960 MB, and at most 256 MB"),
    ],
)
def test_what_does_not_end_is_refused_with_its_name_and_not_waited_for(
    tmp_path: Path, make: Callable[[Path], None], reason: str
) -> None:
    path = tmp_path / "thing"
    make(path)
    for read in (read_bytes, read_text, read_source):
        with pytest.raises(UnfitFileError) as caught:
            read(path)
        assert str(caught.value).startswith(str(path))
        if read is not read_source or "MB" not in reason:
            assert reason in str(caught.value)


def test_a_link_to_a_pipe_is_a_pipe(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    with pytest.raises(UnfitFileError, match="a pipe"):
        read_bytes(tmp_path / "link")


def test_a_folder_and_nothing_are_said_as_the_system_does(tmp_path: Path) -> None:
    with pytest.raises(IsADirectoryError):
        read_bytes(tmp_path)
    with pytest.raises(FileNotFoundError):
        read_bytes(tmp_path / "nothing")


def test_a_file_may_have_as_many_bytes_as_are_read_and_no_more(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"12345")
    assert read_bytes(path, 5) == b"12345"
    with pytest.raises(
        UnfitFileError, match="it has 5 bytes, and at most 4 bytes are read"
    ):
        read_bytes(path, 4)


def test_a_file_that_says_it_is_empty_and_is_not_is_bounded_too() -> None:
    path = Path("/proc/self/status")
    if not path.exists():
        pytest.skip("no /proc here")
    assert path.stat().st_size == 0
    assert b"Name:" in read_bytes(path)
    with pytest.raises(UnfitFileError, match="more bytes"):
        read_bytes(path, 10)


def test_text_is_read_as_python_reads_it(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"a\r\nb\rc\n")
    assert read_text(path) == path.read_text() == "a\nb\nc\n"
    path.write_bytes("# coding: latin-1\nä = 1\r\n".encode("latin-1"))
    assert read_source(path) == "# coding: latin-1\nä = 1\n"
    with pytest.raises(UnicodeDecodeError):
        read_text(path)


# --- JSON -------------------------------------------------------------------------------------------------------------


def nested(depth: int) -> object:
    value: object = 1
    for level in range(depth):
        value = [value] if level % 2 else {"k": value}
    return value


def test_the_deepest_value_is_read_and_one_level_more_is_not() -> None:
    assert from_json("[" * DEEPEST + "]" * DEEPEST)
    check_depth(nested(DEEPEST))
    for depth in (DEEPEST + 1, 250, 900):
        with pytest.raises(TooDeepError, match=f"at most {DEEPEST}"):
            check_depth(nested(depth))
        with pytest.raises(TooDeepError):
            from_json("[" * depth + "]" * depth)
    for depth in (5_000, 1_000_000):
        with pytest.raises(TooDeepError):
            from_json("[" * depth + "]" * depth)


def test_the_place_of_what_is_too_deep_is_named() -> None:
    value = {"workflow": {"nodes": [1, {"params": {"input": nested(200)}}]}}
    with pytest.raises(TooDeepError, match=r"workflow\.nodes\[1\]\.params\.input"):
        check_depth(value)


def test_a_wide_value_costs_no_stack_and_is_no_deep_one() -> None:
    check_depth([[]] * 100_000)
    assert bounded_files.from_json("[" + ",".join(["[1]"] * 1000) + "]")[999] == [1]
