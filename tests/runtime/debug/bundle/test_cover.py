"""What must not leave the machine is covered in whatever value it stands."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path
from typing import Any
from uuid import UUID

import orjson
import pytest
from pydantic import BaseModel, ConfigDict, SecretStr

from runtime.codec import TypeRegistry, decode, encode
from runtime.debug.bundle.cover import Cover
from runtime.values.secret_forms import written_forms


class Login(BaseModel):
    model_config = ConfigDict(extra="allow")
    user: str
    pin: SecretStr


COVERED: dict[str, tuple[Any, str]] = {
    "bytes under the name of a secret": ({"password": b"hidden-1"}, "hidden-1"),
    "a path under the name of a secret": ({"token": Path("hidden-1")}, "hidden-1"),
    "an id under the name of a secret": ({"token": UUID(int=16**31)}, "10000000"),
    "a number under the name of a secret": ({"password": 7654321}, "7654321"),
    "a key beside one that is no text": ({1: 2, "password": "hidden-1"}, "hidden-1"),
    "a value that says it is secret": (
        Login(user="a", pin=SecretStr("hidden-1")),
        "hidden-1",
    ),
    "an undeclared field": (
        Login.model_validate({"user": "a", "pin": "1", "password": "hidden-1"}),
        "hidden-1",
    ),
    "a secret of the environment in bytes": ({"data": b"a known-22 b"}, "known-22"),
    "a secret of the environment in a path": ({"at": Path("a/known-22")}, "known-22"),
    "a secret of the environment in base64": (
        {"text": b64encode(b"user:known-22").decode()},
        "known-22",
    ),
}


@pytest.mark.parametrize("name", COVERED)
def test_what_is_secret_is_covered_in_a_value_of_any_class(name: str) -> None:
    value, secret = COVERED[name]
    types = TypeRegistry()
    types.register(Login)
    cover = Cover(["known-22"])
    data = orjson.dumps(cover.value(orjson.loads(encode(value, types))))
    assert not any(form in data for form in written_forms(secret))
    assert b64encode(secret.encode()).rstrip(b"=") not in data
    # It is still a value that can be restored.
    assert type(decode(data, types)) is type(value)
    assert cover.places


def test_what_a_patch_sets_stands_under_the_name_of_its_key() -> None:
    change = {"id": "c1", "do": "set", "section": "state", "key": "api_key"}
    plain = {**change, "key": "n", "value": {"password": "hidden-1", "note": "open"}}
    changes = [{**change, "value": "hidden-1", "was": "hidden-0"}, plain]
    covered = Cover().patch({"format": 1, "changes": changes})
    assert covered == {
        "format": 1,
        "changes": [
            {**change, "value": "***", "was": "***"},
            {**plain, "value": {"password": "***", "note": "open"}},
        ],
    }
