"""The directory store keeps the contract across threads, processes and crashes, and
touches no file of others.
"""

from __future__ import annotations

import errno
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from runtime.checkpoint import Part, Record, digest_of
from runtime.errors import (
    BranchMovedError,
    CheckpointConflictError,
    CheckpointDamagedError,
    CheckpointStoreError,
    PartsMissingError,
)
from runtime.stores import open_store
from runtime.stores.directory import DirectoryStore
from runtime.stores.directory.disk import Disk, locked
from runtime.testing.conformance import (
    HOSTILE,
    DamageConformance,
    ProcessConformance,
    StoreConformance,
    StoreFactory,
    check_whole,
    ids,
    opened,
    record_of,
    save,
)
from tests.runtime.command_line import Stepwell, asking


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "runs"


@pytest.fixture
def open_(folder: Path) -> StoreFactory:
    return lambda: open_store(f"dir:{folder}")


class TestDirectory(StoreConformance):
    @pytest.fixture
    def open_(self, folder: Path) -> StoreFactory:
        return lambda: open_store(f"dir:{folder}")


@pytest.mark.slow
class TestDirectoryProcesses(ProcessConformance):
    @pytest.fixture
    def url(self, folder: Path) -> Iterator[str]:
        yield f"dir:{folder}"
        if folder.is_dir():  # some tests are of folders that are not there
            assert not list(folder.glob(".*"))


def record_file(folder: Path, checkpoint_id: str) -> Path:
    (found,) = (folder / "records").glob(f"*.{checkpoint_id}.record")
    return found


def cut(path: Path) -> None:
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])


def turn_into_link(path: Path) -> None:
    outside = path.parent.parent.parent / "outside"
    outside.write_bytes(path.read_bytes())
    path.unlink()
    path.symlink_to(outside)


def turn_into_folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


SPOILINGS: dict[str, Callable[[Path], object]] = {
    "cut": cut,
    "empty": lambda path: path.write_bytes(b""),
    "wrong type": lambda path: path.write_bytes(b'{"id": "c"}\n[]\n\n'),
    "not text": lambda path: path.write_bytes(b"\xff\0" * 100),
    "another header": lambda path: path.write_bytes(
        path.read_bytes().replace(b'"flow"', b'"floh"')
    ),
    "too long": lambda path: path.write_bytes(path.read_bytes() + b" "),
    "newer": lambda path: path.write_bytes(
        path.read_bytes().replace(b"checkpoint 1 ", b"checkpoint 7 ")
    ),
    "another's bytes": lambda path: path.write_bytes(
        record_file(path.parent.parent, "a").read_bytes()
    ),
    "a link": turn_into_link,
    "a folder": turn_into_folder,
}


@pytest.mark.parametrize("spoiling", SPOILINGS.values(), ids=SPOILINGS.keys())
class TestDamage(DamageConformance):
    @pytest.fixture
    def open_(self, folder: Path) -> StoreFactory:
        return lambda: open_store(f"dir:{folder}")

    @pytest.fixture
    def damage(
        self, folder: Path, spoiling: Callable[[Path], object]
    ) -> Callable[[str], None]:
        return lambda checkpoint_id: (
            spoiling(record_file(folder, checkpoint_id)) and None
        )


# --- several at once ----------------------------------------------------------------------------------------------


async def test_case_85_a_lock_that_is_held_too_long_says_busy(folder: Path) -> None:
    store = DirectoryStore(folder, patience=0.05)
    with locked(folder / "lock", 1.0):
        with pytest.raises(CheckpointStoreError, match="busy"):
            await save(store, "a")
        assert await ids(store) == []
    await save(store, "a")
    assert await ids(store) == ["a"]
    await store.close()


# --- the end at any moment ----------------------------------------------------------------------------------------


class Mortal(Disk):
    """A disk that fails at its n-th change; with `dead`, at all later ones too, as for
    a process that was killed.
    """

    def __init__(self, fails_at: int, *, dead: bool, half: bool = False) -> None:
        self.left = fails_at
        self.dead = dead
        self.half = half

    def step(self) -> None:
        self.left -= 1
        if self.left == 0 or (self.left < 0 and self.dead):
            raise OSError(errno.ENOSPC, "No space left on device")

    def write(self, path: Path, data: bytes) -> None:
        try:
            self.step()
        except OSError:
            if self.half:
                path.write_bytes(data[: len(data) // 2])
            raise
        super().write(path, data)

    def move(self, source: Path, target: Path) -> None:
        self.step()
        super().move(source, target)

    def remove(self, path: Path) -> None:
        self.step()
        super().remove(path)

    def sync(self, folder: Path) -> None:
        self.step()
        super().sync(folder)


def everything(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


SECOND = {"same": b"kept", "x": b"1", "y": b"2"}


async def two_runs(folder: Path) -> None:
    async with opened(lambda: DirectoryStore(folder)) as store:
        await store.save(
            *record_of("first", {"same": b"kept", "own": b"first", "more": b"of it"})
        )
        await store.save(
            *record_of("a", {"same": b"kept", "own": b"a"}, parent="first")
        )
        await save(store, "other", run_id="other")


@pytest.mark.parametrize("half", [False, True])
@pytest.mark.parametrize("step", range(1, 30))
async def test_a_save_that_fails_at_any_change_leaves_the_folder_as_it_was(
    folder: Path, step: int, half: bool
) -> None:
    await two_runs(folder)
    before = everything(folder)
    disk = Mortal(10**9, dead=False, half=half)
    async with opened(lambda: DirectoryStore(folder, disk=disk)) as store:
        disk.left = step
        record, parts = record_of("b", SECOND, parent="a")
        failure = None
        try:
            await store.save(record, parts)
        except CheckpointStoreError as error:
            failure = error
        if disk.left > 0:
            assert failure is None
        else:
            assert "has room" in str(failure)
            assert everything(folder) == before
            await store.save(record, parts)
        assert await ids(store) == ["first", "a", "other", "b"]
        assert await store.parts(list(parts)) == parts


@pytest.mark.parametrize("step", range(1, 30))
@pytest.mark.parametrize("action", ["save", "delete", "delete run", "annotate"])
async def test_a_process_that_ends_at_any_change_has_done_it_or_not(
    folder: Path, step: int, action: str
) -> None:
    """And the next who writes leaves no trace of what was begun."""
    await two_runs(folder)
    store = DirectoryStore(folder, disk=(disk := Mortal(10**9, dead=True, half=True)))
    disk.left = step
    record, parts = record_of("b", SECOND, parent="a")
    with suppress(CheckpointStoreError):
        if action == "save":
            await store.save(record, parts)
        elif action == "delete":
            await store.delete(["first"])
        elif action == "delete run":
            await store.delete_run("run")
        else:
            await store.annotate("a", note="new")
    await store.close()
    async with opened(lambda: DirectoryStore(folder)) as store:
        found = [header.id for header in await check_whole(store)]
        assert (
            found
            in {
                "save": [["first", "a", "other"], ["first", "a", "other", "b"]],
                "delete": [["first", "a", "other"], ["a", "other"]],
                "delete run": [["first", "a", "other"], ["other"]],
                "annotate": [["first", "a", "other"]],
            }[action]
        )
        assert (await store.load("other")).header.note == ""
        last = max(header.sequence for header in await store.headers())
        await save(store, "later", run_id="later")
        used = {
            part.digest
            for key in await ids(store)
            for part in (await store.load(key)).manifest
        }
        # what a save has left goes with the next deletion
        if action.startswith("delete"):
            assert {path.name for path in (folder / "parts").iterdir()} == used
            assert not list((folder / "records").glob("*.removed"))
        await store.delete_run("later")
        await store.delete_run("other")
        await store.delete_run("run")
        again = await save(store, "again")
        assert again.sequence > last
        await check_whole(store)
        kept = sorted(
            name.partition("/")[2] for name in everything(folder) if "/" in name
        )
        # a part, its record, and the number that is not given again
        assert len(kept) == 3
        assert not list(folder.glob(".*"))


# --- what is not ours ---------------------------------------------------------------------------------------------


async def test_case_124_nothing_outside_is_read_written_or_deleted(
    folder: Path, open_: StoreFactory, tmp_path: Path
) -> None:
    async with opened(open_) as store:
        for name in (*HOSTILE, "con", "nul", "COM1", "a.json", "A", "Ä", "x" * 5000):
            await save(store, name, run_id=name)
            await store.load(name)
            await store.annotate(name, note="n")
        names = [path.name for path in folder.rglob("*")]
        # also where case means nothing
        assert len({name.lower() for name in names}) == len(names)
        assert all(
            len(name) < 255 and re.fullmatch(r"[a-z0-9._-]+", name) for name in names
        )
        for name in ("../../outside", "/etc/passwd", "..", "records", "a" * 31):
            with pytest.raises(CheckpointStoreError, match="no digest"):
                await store.parts([name])
            with pytest.raises(CheckpointStoreError, match="no digest"):
                await store.save(
                    Record(record_of("z")[0].header, (Part("shared", "k", name),)),
                    {name: b"x"},
                )
        for name in HOSTILE:
            await store.delete_run(name)
    assert [path.name for path in tmp_path.iterdir()] == ["runs"]


@pytest.mark.parametrize("name", ["records", "parts"])
async def test_case_124_a_folder_that_is_a_link_is_refused(
    folder: Path, open_: StoreFactory, tmp_path: Path, name: str
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    (folder / name).rename(tmp_path / "outside")
    (folder / name).symlink_to(tmp_path / "outside")
    before = everything(tmp_path / "outside")
    async with opened(open_) as store:
        for action in (
            store.headers(),
            store.load("a"),
            save(store, "b", parent="a"),
            store.delete_run("run"),
            store.parts([digest_of(b"a")]),
        ):
            with pytest.raises(CheckpointStoreError, match="links are not followed"):
                await action
    assert everything(tmp_path / "outside") == before


async def test_case_124_links_in_the_place_of_files_are_not_followed(
    folder: Path, open_: StoreFactory, tmp_path: Path
) -> None:
    outside = tmp_path / "outside"
    outside.write_bytes(b"new")
    async with opened(open_) as store:
        await save(store, "a")
        part = folder / "parts" / digest_of(b"new")
        part.symlink_to(outside)
        with pytest.raises(CheckpointDamagedError, match="cannot be read"):
            await store.parts([part.name])
        with pytest.raises(CheckpointStoreError, match="no plain file"):
            await store.save(*record_of("b", {"k": b"new"}, parent="a"))
        (folder / "lock").unlink()
        (folder / "lock").symlink_to(tmp_path / "new lock")
        with pytest.raises(CheckpointStoreError):
            await save(store, "b", parent="a")
    assert outside.read_bytes() == b"new"
    assert not (tmp_path / "new lock").exists()


async def test_files_of_others_are_left_alone(
    folder: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
        for name in (
            "notes.txt", ".hidden", "records/README", "records/1.run.b.record", "records/x.tmp",
            "parts/README", "parts/" + "g" * 32, "parts/" + "A" * 32,
        ):  # fmt: skip
            (folder / name).write_text("theirs")
        (folder / "records" / "sub").mkdir()
        before = {
            name for name, data in everything(folder).items() if data == b"theirs"
        }
        assert await ids(store) == ["a"]
        await save(store, "b")
        await store.delete_run("run")
        assert {
            name for name, data in everything(folder).items() if data == b"theirs"
        } == before


async def test_case_73_a_damaged_record_keeps_its_place_and_its_parts(
    folder: Path, open_: StoreFactory
) -> None:
    """It tells no id of its own: the name does, and the record before it tells the
    rest. Nothing writes over it.
    """
    async with opened(open_) as store:
        await save(store, "a", run_id="x" * 500, workflow="w", branch="b", parent=None)
        await store.save(
            *record_of(
                "b c",
                {"k": b"its own"},
                run_id="x" * 500,
                workflow="w",
                branch="b",
                parent="a",
            )
        )
        await save(store, "other", run_id="other")
        path = record_file(folder, "b_20c")
        whole = path.read_bytes()
        path.write_bytes(b"")
        listed = (await store.headers())[1]
        assert (listed.id, listed.run_id, listed.workflow, listed.branch) == (
            "b c",
            "x" * 500,
            "w",
            "b",
        )
        assert await store.latest(workflow="w", branch="b") == listed
        with pytest.raises(CheckpointDamagedError):
            await store.annotate("b c", note="n")
        with pytest.raises(CheckpointConflictError):
            await save(store, "b c", parent="a", branch="fork")
        with pytest.raises(BranchMovedError):
            await save(store, "d", run_id="x" * 500, branch="b", parent="a")
        await store.delete_run("other")
        assert path.read_bytes() == b""
        path.write_bytes(whole)
        record = await store.load("b c")
        assert await store.parts([record.manifest[0].digest]) == {
            record.manifest[0].digest: b"its own"
        }


async def test_case_73_a_damaged_record_with_a_long_id_can_be_asked_for_as_listed(
    folder: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "x" * 300)
        (path,) = (folder / "records").iterdir()
        path.write_bytes(b"")
        (header,) = await store.headers()
        with pytest.raises(CheckpointDamagedError, match="empty"):
            await store.load(header.id)


@pytest.mark.parametrize(
    "spoiling",
    [cut, lambda path: path.write_bytes(b"ABC"), Path.unlink, turn_into_folder],
)
async def test_case_127_a_part_that_does_not_match_its_digest_is_refused(
    folder: Path, open_: StoreFactory, spoiling: Callable[[Path], object]
) -> None:
    async with opened(open_) as store:
        record, parts = record_of("a", {"k": b"abc"})
        await store.save(record, parts)
        spoiling(folder / "parts" / record.manifest[0].digest)
        with pytest.raises(CheckpointDamagedError, match=record.manifest[0].digest):
            await store.parts(list(parts))


async def test_case_122_a_newer_format_is_refused_by_number_and_untouched(
    folder: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
        mark = folder / "stepwell-store.json"
        mark.write_bytes(mark.read_bytes().replace(b"1", b"7"))
        before = everything(folder)
        for read_only in (False, True):
            with pytest.raises(
                CheckpointStoreError, match=r"has format 7.*up to 1.*untouched"
            ):
                open_store(f"dir:{folder}", read_only)
        with pytest.raises(CheckpointStoreError, match="has format 7"):
            await save(store, "b", parent="a")
    assert everything(folder) == before


@pytest.mark.parametrize(
    ("name", "reason"),
    [("theirs.txt", "other files"), ("stepwell-store.json", "another program")],
)
def test_a_folder_of_another_program_is_refused_and_untouched(
    folder: Path, name: str, reason: str
) -> None:
    folder.mkdir()
    (folder / name).write_text("{}")
    with pytest.raises(CheckpointStoreError, match=reason):
        open_store(f"dir:{folder}")
    with pytest.raises(CheckpointStoreError):
        open_store(f"dir:{folder}", read_only=True)
    assert everything(folder) == {name: b"{}"}


def test_what_cannot_be_opened_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(CheckpointStoreError, match="check the path"):
        open_store(f"dir:{tmp_path}/file")
    with pytest.raises(CheckpointStoreError, match="There is no folder"):
        open_store(f"dir:{tmp_path}/file", read_only=True)


# --- reading only -------------------------------------------------------------------------------------------------


def test_reading_what_is_not_there_creates_nothing(tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    for name, reason in (
        ("none", "There is no folder"),
        ("a/b", "There is no folder"),
        ("empty", "holds no"),
    ):
        with pytest.raises(CheckpointStoreError, match=reason):
            open_store(f"dir:{tmp_path}/{name}", read_only=True)
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


async def test_case_198_a_folder_that_cannot_be_written_is_read_and_not_changed(
    folder: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        await save(store, "a")
    (folder / "lock").unlink()
    (folder / ("." + "0" * 24 + ".tmp")).touch()
    before = everything(folder)
    for path in (folder, folder / "records", folder / "parts"):
        path.chmod(0o555)
    async with opened(lambda: open_store(f"dir:{folder}", read_only=True)) as reader:
        assert await ids(reader) == ["a"]
        assert (await reader.load("a")).header.id == "a"
        for change in (
            save(reader, "b"),
            reader.annotate("a", note="n"),
            reader.delete_run("run"),
        ):
            with pytest.raises(CheckpointStoreError, match="reading only"):
                await change
    assert everything(folder) == before
    for path in (folder, folder / "records", folder / "parts"):
        path.chmod(0o755)


# --- cost, and sameness -------------------------------------------------------------------------------------------


async def test_listing_opens_no_part_and_every_part_is_there_once(
    folder: Path, open_: StoreFactory
) -> None:
    async with opened(open_) as store:
        parent = None
        for number in range(20):
            record, parts = record_of(
                str(number), {"big": b"x" * 100_000, "n": b"%d" % number}, parent=parent
            )
            parent = (await store.save(record, parts)).id
        assert len(list((folder / "parts").iterdir())) == 21
        shutil.rmtree(folder / "parts")
        assert len(await ids(store)) == 20
        latest = await store.latest()
        assert latest is not None
        assert latest.id == "19"


async def test_a_header_longer_than_what_is_read_at_first_is_read_whole(
    open_: StoreFactory,
) -> None:
    async with opened(open_) as store:
        header = await save(store, "a", note="ä" * 10_000, tags=("x" * 5000,))
    async with opened(open_) as store:
        assert await store.headers() == [header]


VIETNAMESE = r"""
import asyncio, locale, sys
from runtime.checkpoints.archive import Archive
from runtime.checkpoint import Cause
from runtime.state import RunState, Trace
from runtime.stores import open_store
from runtime.testing.conformance import record_of

async def main():
    store = open_store("dir:" + sys.argv[1])
    name = "\u0110\u1ed9i \U0001f600"
    await store.save(*record_of(name, {name: name.encode()}, run_id=name, note=name))
    assert (await store.load(name)).header.note == name
    archive = Archive(store, clock=lambda: 1.0, new_id=lambda: "state")
    place = dict(run_id="r", workflow=name, cause=Cause.INPUT, parent=None, branch="main")
    await archive.save(RunState(shared={name: [name]}), Trace(), **place)
    assert (await archive.load("state")).state.shared == {name: [name]}
    await store.close()
    print(locale.getpreferredencoding(False))

asyncio.run(main())
"""


def cp1252(folder: Path) -> dict[str, str]:
    """The settings of a Western European Windows: a locale whose encoding knows neither
    emoji nor Vietnamese.
    """
    tool = shutil.which("localedef")
    if tool is None or not Path("/usr/share/i18n/charmaps/CP1252.gz").exists():
        pytest.skip("no localedef to make a cp1252 locale with")
    folder.mkdir()
    subprocess.run(
        [tool, "-c", "-f", "CP1252", "-i", "en_US", folder / "en_US.CP1252"],
        check=False,
        capture_output=True,
    )
    return {
        "LOCPATH": str(folder),
        "LC_ALL": "en_US.CP1252",
        "PYTHONUTF8": "0",
        "PYTHONCOERCECLOCALE": "0",
    }


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_case_100_the_bytes_do_not_depend_on_the_machines_encoding(
    tmp_path: Path, encoding: str
) -> None:
    plain = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    settings = plain if encoding == "ascii" else cp1252(tmp_path / "locale")
    made = []
    for number, one in enumerate((settings, {"PYTHONUTF8": "1"})):
        folder = tmp_path / str(number)
        environment = {
            **os.environ,
            **one,
            "PYTHONPATH": str(Path(__file__).parents[3]),
        }
        run = subprocess.run(
            [sys.executable, "-c", VIETNAMESE, folder],
            check=True,
            env=environment,
            capture_output=True,
            text=True,
        )
        made.append((everything(folder), run.stdout.strip().lower()))
    assert made[0][0] == made[1][0]
    assert any("Đội 😀".encode() in data for data in made[0][0].values())
    assert made[0][1].replace("ansi_x3.4-1968", "ascii") == encoding
    assert made[1][1] == "utf-8"


def test_a_run_that_was_kept_in_a_folder_is_looked_at_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    stepwell = Stepwell(capsys)
    assert stepwell("run", asking(tmp_path), "--store", "dir:runs").code == 3
    before = everything(tmp_path)
    shown = stepwell("show", "dir:runs", "latest", "--section", "requests")
    assert (shown.code, "stepwell resume dir:runs" in shown.out) == (0, True)
    saved = len(stepwell("timeline", "dir:runs", "--json").json)
    assert everything(tmp_path) == before
    said = stepwell(
        "resume", "dir:runs", "--answer", 'first:2:0={"verdict":"yes"}', "--json"
    )
    assert said.code == 3
    assert [request["id"] for request in said.json["requests"]] == ["second:4:0"]
    assert len(stepwell("timeline", "dir:runs", "--json").json) > saved


async def test_a_part_that_was_taken_away_under_way_is_missed_by_the_next_save(
    tmp_path: Path,
) -> None:
    common = b"in each of them"
    async with opened(lambda: open_store(f"dir:{tmp_path / 'runs'}")) as store:
        await save(store, "a", {"k": common})
        parts = tmp_path / "runs" / "parts"
        (parts / digest_of(common)).unlink()
        # another time than that of the save: clocks of file systems are coarse
        os.utime(parts, ns=(1, 1))
        record, given = record_of("b", {"k": common}, parent="a")
        with pytest.raises(PartsMissingError):
            await store.save(record, {})
        await store.save(record, given)
        assert await store.parts([digest_of(common)]) == given
