"""A fork that a patch has made opens and reads equal, in this version and in all that
follow; a program that knows only the format before refuses it by its number.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from runtime.checkpoints.archive import Archive
from runtime.checkpoints.migrations import MIGRATIONS, lift
from runtime.errors import DecodeError
from runtime.patches import Patch
from runtime.stores import open_store
from runtime.testing.conformance import opened
from tests.runtime.stores.golden.make import told
from tests.runtime.stores.golden.make_patched import AFTER, BEFORE, PATCH

GOLDEN = Path(__file__).parent / "golden" / "patched"
URLS = {"sqlite": "sqlite:{}/runs.db", "dir": "dir:{}/runs"}


@pytest.mark.parametrize("kind", URLS)
async def test_a_patched_checkpoint_of_before_is_read_equal(kind: str) -> None:
    expected = json.loads((GOLDEN / "expected.json").read_text())
    async with opened(
        lambda: open_store(URLS[kind].format(GOLDEN), read_only=True)
    ) as store:
        content = json.loads(json.dumps(await told(store)))
        # Fields that headers got later are not in what was expected then.
        content["headers"] = [
            {name: header[name] for name in then}
            for header, then in zip(
                content["headers"], expected["headers"], strict=True
            )
        ]
        assert content == expected
        before, after = [
            await Archive(store).load(header.id) for header in await store.headers()
        ]
    assert (before.state, before.patch) == (BEFORE, None)
    assert (after.state, after.patch) == (AFTER, PATCH)
    assert (before.header.format, after.header.format) == (2, 3)
    assert after.header.edited == "3 changes"
    assert Patch.model_validate(after.patch).as_json() == PATCH


def test_a_program_of_the_format_before_refuses_it_by_number() -> None:
    with pytest.raises(DecodeError, match=r"format 3.*formats up to 2.*newer version"):
        lift((), 3, steps=MIGRATIONS, newest=2)
