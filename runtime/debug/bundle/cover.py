"""Secrets, and personal data on request, covered in checkpoints that leave the machine.

Names decide: what stands under a name of a secret is masked, and what stands under a
name of personal data is replaced, each text always by the same one. So what was equal
stays equal. Texts decide too: a secret that is set here, and an e-mail address, are
covered wherever they stand.

A checkpoint in which nothing is covered keeps its bytes. Else it keeps its id, and has
other parts.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from runtime.checkpoint import Part, Record, digest_of
from runtime.document.secret_names import is_secret
from runtime.document.secret_places import NO_SCHEMA
from runtime.document.secret_values import Hiding, Omitted
from runtime.expressions.environment import MASK

_PERSONAL = re.compile(
    r"(.*[_-])?e?-?mail([_-]?address)?|author|(first|last|full|family|given|user|nick)[_-]?name"
    r"|(.*[_-])?phone([_-]?number)?|(home|street|postal|billing|shipping)?[_-]?address|birth[_-]?(day|date)"
    r"|date[_-]?of[_-]?birth|iban|ssn",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_TAG = "$"


def is_personal(name: str) -> bool:
    """Return whether a field of this name says something about a person."""
    return _PERSONAL.fullmatch(name) is not None


class Cover:
    """Covers texts, and remembers where.

    secrets   values of secrets, longest first
    personal  whether personal data is covered too
    """

    def __init__(self, secrets: Iterable[str] = (), *, personal: bool = False) -> None:
        self._secrets = sorted(set(secrets), key=len, reverse=True)
        self._personal = personal
        self._replaced: dict[str, str] = {}
        self._changed = False
        self.places: dict[str, None] = {}
        self.omitted: dict[str, Omitted] = {}

    @property
    def persons(self) -> int:
        """How many different personal texts were covered."""
        return len(self._replaced)

    def value(self, value: Any, name: str = "") -> Any:
        """Return a JSON value with everything covered; `name` is what it stands under."""
        return self._tree(value, name, is_secret(name), self._is_person(name))

    def document(self, document: Mapping[str, Any]) -> dict[str, Any]:
        """Return the definition part of a checkpoint: with references to the
        environment in the place of secrets that are written in it.
        """
        hiding = Hiding(lambda _type: NO_SCHEMA)
        covered = dict(document)
        if isinstance(document.get("workflow"), dict):
            covered["workflow"] = hiding.workflow(dict(document["workflow"]), ())
        for omitted in hiding.omitted:
            self._note(omitted.place)
            self.omitted.setdefault(omitted.variable, omitted)
        if self._personal and "folder" in covered:
            covered["folder"] = "."
        return {key: self._texts(value) for key, value in covered.items()}

    def record(
        self, record: Record, parts: Mapping[str, bytes]
    ) -> tuple[Record, dict[str, bytes]]:
        """Return a checkpoint with everything covered, and the bytes of its parts."""
        joined: dict[tuple[str, str], list[Part]] = {}
        for part in record.manifest:
            joined.setdefault((part.kind, part.name), []).append(part)
        manifest: list[Part] = []
        out: dict[str, bytes] = {}
        for (kind, name), pieces in joined.items():
            data = b"".join([parts[piece.digest] for piece in pieces])
            covered = self._part(kind, name, data)
            if covered is data:
                manifest += pieces
                out |= {piece.digest: parts[piece.digest] for piece in pieces}
            else:
                digest = digest_of(covered)
                manifest.append(Part(kind, name, digest))
                out[digest] = covered
        header = record.header
        note = str(self._texts(header.note))
        return Record(replace(header, note=note), tuple(manifest)), out

    def _part(self, kind: str, name: str, data: bytes) -> bytes:
        tree = orjson.loads(data)
        self._changed = False
        if kind == "definition" and isinstance(tree, dict):
            covered: Any = self.document(tree)
            self._changed = covered != tree
        else:
            if kind == "child":
                *_, kind, name = orjson.loads(name)
            covered = self.value(tree, name if kind == "shared" else "")
        return orjson.dumps(covered) if self._changed else data

    def _is_person(self, name: str) -> bool:
        return self._personal and is_personal(name)

    def _tree(self, value: Any, name: str, secret: bool, person: bool) -> Any:
        if isinstance(value, dict):
            if isinstance(value.get(_TAG), str):
                # The payload of a value of a class; the fields of one have names.
                payload = value.get("v")
                if not isinstance(payload, dict | list):
                    return value
                return {**value, "v": self._tree(payload, name, secret, person)}
            return {
                self._key(key): self._tree(
                    item,
                    key,
                    secret or is_secret(key),
                    person or self._is_person(key),
                )
                for key, item in value.items()
            }
        if isinstance(value, list):
            return [self._tree(item, name, secret, person) for item in value]
        if not isinstance(value, str) or not value:
            return value
        if secret and value != MASK:
            self._note(name)
            return MASK
        if person:
            return self._person(value, name)
        return self._text(value, name)

    def _texts(self, value: Any) -> Any:
        """Return a value with secrets and addresses covered that are known by their
        text.
        """
        if isinstance(value, dict):
            return {key: self._texts(item) for key, item in value.items()}
        if isinstance(value, list):
            return [self._texts(item) for item in value]
        return self._text(value, "") if isinstance(value, str) else value

    def _key(self, key: str) -> str:
        return self._text(key, "a key")

    def _text(self, text: str, name: str) -> str:
        covered = text
        for secret in self._secrets:
            covered = covered.replace(secret, MASK)
        if self._personal:
            covered = _EMAIL.sub(lambda match: self._email(match[0]), covered)
        if covered != text:
            self._note(name or "a text")
        return covered

    def _email(self, text: str) -> str:
        if text.endswith("@example.org"):
            return text
        number = len(self._replaced) + 1
        return self._replaced.setdefault(text, f"person-{number}@example.org")

    def _person(self, text: str, name: str) -> str:
        self._note(name)
        if _EMAIL.fullmatch(text):
            return self._email(text)
        number = len(self._replaced) + 1
        return self._replaced.setdefault(text, f"person {number}")

    def _note(self, place: str) -> None:
        self._changed = True
        self.places.setdefault(place)


def held(data: bytes, forbidden: Sequence[bytes]) -> bool:
    """Return whether bytes hold one of the texts that must not leave the machine."""
    return any(text in data for text in forbidden)
