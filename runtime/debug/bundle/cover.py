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
from base64 import b64decode, b64encode
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import orjson

from runtime.checkpoint import Part, Record, digest_of
from runtime.codec import DEFAULT_TYPES, rebuild
from runtime.codec.encoder import TAG
from runtime.codec.sections import HIDDEN
from runtime.document.secret_names import is_secret
from runtime.document.secret_places import NO_SCHEMA
from runtime.document.secret_values import Hiding, Omitted
from runtime.errors import DecodeError
from runtime.expressions.environment import MASK
from runtime.values.secret_forms import written_forms

_PERSONAL = re.compile(
    r"(.*[_-])?e?-?mail([_-]?address)?|author|(first|last|full|family|given|user|nick)[_-]?name"
    r"|(.*[_-])?phone([_-]?number)?|(home|street|postal|billing|shipping)?[_-]?address|birth[_-]?(day|date)"
    r"|date[_-]?of[_-]?birth|iban|ssn",
    re.IGNORECASE,
)
_EMAIL = re.compile(r"[\w.+-]+@[\w-]+(\.[\w-]+)+")
_VALUES_OF_CHANGES = ("value", "was")
_BYTES = ("bytes", "bytearray")
# Classes of the codec that take any text.
_ANY_TEXT = ("Path", "PosixPath", "PurePath", "PurePosixPath", "PureWindowsPath")
_LETTERS = re.compile(r"[^\W_]")
# A smaller number under the name of a secret is a count or a flag.
_SHORTEST_NUMBER = 1000


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
        forms = {
            form.decode() for secret in self._secrets for form in written_forms(secret)
        }
        self._forms = sorted(forms, key=len, reverse=True)
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

    def patch(self, patch: Mapping[str, Any]) -> dict[str, Any]:
        """Return a patch: what a change sets stands under the key that it names."""
        changes = [self._change(change) for change in patch.get("changes", ())]
        rest = {key: item for key, item in patch.items() if key != "changes"}
        return {**self.value(rest), "changes": changes}

    def _change(self, change: Mapping[str, Any]) -> dict[str, Any]:
        steps = (change.get("key", ""), *change.get("path", ()))
        names = [step for step in steps if isinstance(step, str)]
        secret = any(map(is_secret, names))
        person = any(map(self._is_person, names))
        return {
            key: self._tree(item, names[-1], secret, person)
            if key in _VALUES_OF_CHANGES
            else self._tree(item, key, False, False)
            for key, item in change.items()
        }

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
        elif kind == "patch" and isinstance(tree, dict):
            covered = self.patch(tree)
        else:
            if kind == "child":
                *_, kind, name = orjson.loads(name)
            covered = self.value(tree, name if kind == "shared" else "")
        return orjson.dumps(covered) if self._changed else data

    def _is_person(self, name: str) -> bool:
        return self._personal and is_personal(name)

    def _tree(self, value: Any, name: str, secret: bool, person: bool) -> Any:
        if isinstance(value, dict):
            if isinstance(value.get(TAG), str):
                return self._instance(value, name, secret, person)
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
        if secret and type(value) is int and abs(value) >= _SHORTEST_NUMBER:
            self._note(name)
            return 0
        if not isinstance(value, str) or not value:
            return value
        if secret and value != MASK:
            self._note(name)
            return MASK
        if person:
            return self._person(value, name)
        return self._text(value, name)

    def _instance(
        self, value: dict[str, Any], name: str, secret: bool, person: bool
    ) -> dict[str, Any]:
        """Return a value of a class, as the codec writes it, with its fields covered."""
        covered = {}
        for section, payload in value.items():
            if section == HIDDEN and isinstance(payload, str):
                # What the codec hides from a glance is a secret whatever its name.
                inner = self._tree(orjson.loads(b64decode(payload)), name, True, False)
                covered[section] = b64encode(orjson.dumps(inner)).decode()
            elif isinstance(payload, dict | list):
                fields: Any = payload
                if value[TAG] == "dict" and isinstance(payload, list):
                    fields = self._pairs(payload, secret, person)
                covered[section] = self._tree(fields, name, secret, person)
            elif section != TAG and isinstance(payload, str):
                covered[section] = self._payload(value[TAG], payload, name, secret)
            else:
                covered[section] = payload
        return covered

    def _pairs(self, pairs: list[Any], secret: bool, person: bool) -> list[Any]:
        """Return the keys and values of a mapping that also has other keys than texts."""
        return [
            [pair[0], self._tree({pair[0]: pair[1]}, "", secret, person)[pair[0]]]
            if isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str)
            else pair
            for pair in pairs
        ]

    def _payload(self, tag: str, text: str, name: str, secret: bool) -> str:
        """Return the text of a value that is one text for the codec, such as bytes."""
        if tag in _BYTES:
            return self._bytes(text, name, secret)
        if not secret:
            # A part of it may be no value of its class any more. The whole file is
            # refused if a secret is in it.
            return self._text(text, name) if tag in _ANY_TEXT else text
        zeros = _LETTERS.sub("0", text)
        for covered in (MASK, zeros):
            if text != covered and _is_value(tag, covered):
                self._note(name)
                return covered
        return text

    def _bytes(self, text: str, name: str, secret: bool) -> str:
        data = b64decode(text)
        covered = MASK.encode() if secret and data else data
        for value in self._secrets:
            covered = covered.replace(
                value.encode(errors="surrogateescape"), MASK.encode()
            )
        if covered == data:
            return text
        self._note(name or "bytes")
        return b64encode(covered).decode()

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
        for form in self._forms:
            covered = covered.replace(form, MASK)
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


def _is_value(tag: str, text: str) -> bool:
    try:
        rebuild({TAG: tag, "v": text}, DEFAULT_TYPES)
    except DecodeError:
        return False
    return True


def held(data: bytes, forbidden: Sequence[bytes]) -> bool:
    """Return whether bytes hold one of the texts that must not leave the machine."""
    return any(text in data for text in forbidden)
