"""The values that the secrets of a document have on this machine, so that nothing that
is written for others holds one of them.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from typing import Any

from runtime.document.secret_names import is_secret
from runtime.document.secret_places import (
    NO_SCHEMA,
    REFERENCE,
    Path,
    ResolvedSchema,
    Schema,
    is_address,
    texts,
    walk,
)

# Characters. A shorter value would be found everywhere by chance.
SHORTEST = 6
_CREDENTIALS = re.compile(r"://[^/?#]*@")


def secret_variables(document: Mapping[str, Any]) -> frozenset[str]:
    """Return the variables of the environment that a document uses as secrets: those
    whose name says so, those in fields whose name says so, and those in the
    credentials of an address.
    """
    names: set[str] = set()

    def collect(
        value: Any, _place: Path, _names: tuple[str, ...], schema: Schema
    ) -> Any:
        text = str(value)
        if is_address(text, schema):
            text = " ".join(_CREDENTIALS.findall(text))
        names.update(REFERENCE.findall(text))
        return value

    walk(dict(document), (), (), ResolvedSchema(NO_SCHEMA), collect)
    for text in texts(dict(document)):
        names.update(filter(is_secret, REFERENCE.findall(text)))
    return frozenset(names)


def secret_texts(
    documents: Iterable[Mapping[str, Any]],
    environment: Mapping[str, str] | None = None,
) -> dict[str, str]:
    """Return the secrets of documents that are set here, and those that code may have
    read by itself: variable to value.
    """
    known = os.environ if environment is None else environment
    names = {name for document in documents for name in secret_variables(document)}
    # The name of a folder, as in PASSWORD_STORE_DIR, is no secret.
    names |= {
        name
        for name, value in known.items()
        if is_secret(name) and not value.startswith(("/", "~"))
    }
    return {
        name: known[name]
        for name in sorted(names)
        if len(known.get(name, "")) >= SHORTEST
    }
