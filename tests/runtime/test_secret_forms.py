"""In which forms the value of a secret is found in what is written."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from urllib.parse import quote

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime.values.secret_forms import written_forms

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=6, max_size=20)
WRITERS: dict[str, Callable[[str], bytes]] = {
    "as it is": str.encode,
    "JSON": lambda text: json.dumps(text, ensure_ascii=False).encode(),
    "JSON in ASCII": lambda text: json.dumps(text).encode(),
    "JSON in JSON": lambda text: json.dumps(json.dumps(text)).encode(),
    "URL": lambda text: quote(text, safe="").encode(),
    "hexadecimal": lambda text: text.encode().hex().encode(),
    "base64": lambda text: base64.b64encode(text.encode()),
    "password of HTTP": lambda text: base64.b64encode(b"user:" + text.encode()),
    "token": lambda text: base64.urlsafe_b64encode(b"id." + text.encode() + b".x"),
}


@pytest.mark.parametrize("name", WRITERS)
@given(text=TEXTS)
def test_a_secret_is_found_however_it_is_coded(name: str, text: str) -> None:
    written = b"before " + WRITERS[name](text) + b" after"
    assert any(form in written for form in written_forms(text))


@given(st.text(max_size=8))
def test_any_value_of_the_environment_has_forms(text: str) -> None:
    assert b"" not in list(written_forms(text))


def test_bytes_that_are_no_text_are_looked_for_by_the_text_between_them() -> None:
    secret = b"\xff\xfesecret-1".decode(errors="surrogateescape")
    assert b"secret-1" in list(written_forms(secret))
