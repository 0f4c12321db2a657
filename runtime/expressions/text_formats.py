"""The formats of texts in the JSON Schema of a node's parameters, which `check` tests
without making the node.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime, time
from typing import Any, TypeVar

from runtime.errors import ConditionError
from runtime.expressions.cel import Condition, Expression
from runtime.expressions.environment import (
    ENVIRONMENT_FORMAT,
    ENVIRONMENT_LINE_FORMAT,
    EnvTemplate,
)
from runtime.expressions.python_source import PYTHON_FORMAT, check_source
from runtime.expressions.sql_parameters import parse_statement
from runtime.expressions.template import (
    TEMPLATE_FORMAT,
    TEMPLATE_LINE_FORMAT,
    Template,
    parse_path,
)

CEL_FORMAT = "cel"
URL_FORMAT = "http-url"
NAMED_VALUES_FORMAT = "named-values"
ENCODING_FORMAT = "encoding"
SQL_FORMAT = "sql"
DATABASE_FORMAT = "database"
PATHS_FORMAT = "message-paths"
BASE_URL_FORMAT = "base-url"
JSON_SCHEMA_FORMAT = "json-schema"
CEL_OR_EMPTY_FORMAT = "cel-or-empty"
CEL_FOLD_FORMAT = "cel-fold"
# any text; a form shows a line break in it as it is typed in JSON
SEPARATOR_FORMAT = "separator"
CEL_ROW_FORMAT = "cel-row"
MESSAGE_PATH_FORMAT = "message-path"
AGGREGATES_FORMAT = "aggregates"
FOLD_VARIABLES = ("acc", "item")
ROW_VARIABLES = ("row",)
# What is computed of the values of a column in a group of rows.
AGGREGATES = (
    "sum",
    "mean",
    "median",
    "min",
    "max",
    "first",
    "last",
    "count",
    "distinct",
    "list",
)
_AGGREGATE = re.compile(r"\s*(\w+)\s*\(\s*(.*?)\s*\)\s*", re.DOTALL)
TIME_OF_DAY_FORMAT = "time-of-day"
DATE_TIME_FORMAT = "date-time-or-empty"
ZONE_FORMAT = "time-zone"
_CREDENTIALS = re.compile(r"://(?P<user>[^/?#:@]*)(:(?P<secret>[^/?#]*))?@")
# Names of headers and query parameters that carry a secret.
_SECRET = re.compile(
    r"(.*[_-])?(key|apikey|token|sig|signature)|.*secret.*|.*passw(or)?d.*|(.*-)?authorization|cookie",
    re.IGNORECASE,
)

# Where this matches the text before a placeholder, the host has ended.
_HOST_IS_OVER = re.compile(r"(?:[^/?#]*://)?+[^/?#]+[/?#]")
# Of the parameters of a node as a whole: rules that two of them have together.
HTTP_REQUEST_FORMAT = "http-request-params"
CHAT_MODEL_FORMAT = "chat-model-params"
ASK_FORMAT = "ask-params"
CSV_WRITE_FORMAT = "csv-write-params"

T = TypeVar("T")


class FieldError(ValueError):
    """A parameter that does not fit another one. `field` is the one to correct."""

    def __init__(self, field: str, text: str) -> None:
        super().__init__(text)
        self.field = field


def names_secret(name: str) -> bool:
    """Whether a header or query parameter of this name carries a secret."""
    return _SECRET.fullmatch(name) is not None


def check_url(text: str) -> None:
    """Raise `ValueError` if the address is malformed, is not HTTP, or holds
    credentials.
    """
    EnvTemplate(text)
    if not text.strip():
        raise ValueError(
            "it is empty; write an address such as https://example.org/items/{message.id}"
        )
    _refuse_credentials(text, "user")  # many servers take a key as the user
    if not text.startswith(("http://", "https://", "{")):
        raise ValueError(
            "it must begin with https:// or http://, or with a placeholder"
        )


def check_base_url(text: str) -> None:
    """Raise `ValueError` as `check_url` does, and if a message could lead the key to
    another address.
    """
    check_url(text)
    if "{message" in text:
        raise ValueError(
            "a message must not say where the key is sent; write {env.NAME} for what differs"
        )


def check_json_schema(schema: Mapping[str, Any]) -> None:
    """Raise `ValueError` if the value is not a JSON Schema."""
    from jsonschema import Draft202012Validator, SchemaError

    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError as error:
        raise ValueError(
            f"it is no JSON Schema, at {error.json_path}: {error.message}"
        ) from error
    except RecursionError as error:  # of a pattern too, which is compiled
        raise ValueError(
            "it is no JSON Schema: a part of it is nested too deeply"
        ) from error
    _check_references(schema)


def _check_references(schema: Mapping[str, Any]) -> None:
    """Nothing is fetched, so a schema may only refer to parts of itself."""
    from referencing import Registry
    from referencing.exceptions import Unresolvable
    from referencing.jsonschema import DRAFT202012

    resource = DRAFT202012.create_resource(schema)
    resolver = (
        Registry()
        .with_resource(resource.id() or "", resource)
        .resolver(resource.id() or "")
    )
    for reference in _references(schema):
        try:
            resolver.lookup(reference)
        except Unresolvable:
            raise ValueError(
                f"it refers to '{reference}', which is not in it; put that under $defs"
            ) from None


def _references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"]
        for item in value.values():
            yield from _references(item)
    elif isinstance(value, list):
        for item in value:
            yield from _references(item)


def check_database(text: str) -> None:
    """Raise `ValueError` if the text cannot be a path or an address, or holds a
    passphrase.
    """
    EnvTemplate(text)
    if not text.strip():
        raise ValueError(
            "it is empty; write the path of a SQLite file, or {env.DATABASE_URL}"
        )
    _refuse_credentials(text)
    if re.search(r"[?&]\w*password=(?!\{env\.)", text):
        raise ValueError(
            "it holds a password, which a document must not; write {env.NAME} in its place"
        )


def _refuse_credentials(text: str, *parts: str) -> None:
    """Raise `ValueError` for credentials in an address, unless they come from the
    environment. `parts` are secret beside the passphrase.
    """
    match = _CREDENTIALS.search(text)
    if match and any(
        match[part] and EnvTemplate(match[part]).is_fixed for part in ("secret", *parts)
    ):
        raise ValueError(
            "it holds credentials, which a document must not; write {env.NAME} in their place"
        )


def check_paths(paths: Mapping[str, Any]) -> None:
    """Raise `ValueError` for a name whose path in the message is malformed."""
    for name, path in paths.items():
        if not isinstance(path, str):
            raise ValueError(f"'{name}' must be a text such as message.{name}")
        try:
            parse_path(path)
        except ValueError:
            raise ValueError(
                f"'{name}': write a place such as message.{name}, not '{path}'"
            ) from None


def check_named_values(values: Mapping[str, Any]) -> None:
    """Check headers, or the parameters of a query. Raise `ValueError` if one is
    malformed, or has the name of a secret and its value is in the document.
    """
    for name, text in values.items():
        if not isinstance(text, str):
            raise ValueError(f"'{name}' must be a text")
        try:
            template = EnvTemplate(text)
        except ValueError as error:
            raise ValueError(f"'{name}': {error}") from error
        if text and template.is_fixed and names_secret(name):
            raise ValueError(
                f"'{name}' is a secret, which a document must not hold; write {{env.NAME}} in its place"
            )


def check_encoding(name: str) -> None:
    """Raise `ValueError` if Python knows no text encoding of this name."""
    try:
        "".encode(name)
    except (LookupError, ValueError) as error:
        raise ValueError(
            f"'{name}' is an unknown encoding; write one such as utf-8 or cp1252"
        ) from error


def check_optional_condition(text: str) -> None:
    """Raise `ConditionError` if the condition does not compile. It may be empty."""
    if text.strip():
        Condition(text)


def check_fold(text: str) -> None:
    """Raise `ConditionError` unless this is an expression over the result so far and
    the next value.
    """
    Expression(text, FOLD_VARIABLES)


def check_row_condition(text: str) -> None:
    """Raise `ConditionError` unless this is an expression over a row of a table."""
    Expression(text, ROW_VARIABLES)


def parse_aggregate(text: str) -> tuple[str, str]:
    """`sum(price)` as the function and the column, which is "" for `count()`. Raise
    `ValueError`.
    """
    written = _AGGREGATE.fullmatch(text)
    if written is None or written[1] not in AGGREGATES:
        raise ValueError(
            f"'{text}': write one of {', '.join(AGGREGATES)} with a column, such as sum(price)"
        )
    if not written[2] and written[1] != "count":
        raise ValueError(
            f"'{text}': name the column in the brackets, such as {written[1]}(price)"
        )
    return written[1], written[2]


def check_aggregates(values: Mapping[str, Any]) -> None:
    """Raise `ValueError` for an aggregate that cannot compute a column."""
    for name, text in values.items():
        if not isinstance(text, str):
            raise ValueError(f"'{name}' must be a text such as sum(price)")
        parse_aggregate(text)


def check_time_of_day(text: str) -> None:
    """Raise `ValueError` unless this is the time of a clock."""
    try:
        is_plain = time.fromisoformat(text).tzinfo is None
    except ValueError:
        is_plain = False
    if not is_plain or ":" not in text:
        raise ValueError("write a time such as 09:00 or 17:30:15")


def check_date_time(text: str) -> None:
    """Raise `ValueError` unless this is a date with a time. It may be empty."""
    try:
        is_whole = not text or (bool(datetime.fromisoformat(text)) and ":" in text)
    except ValueError:
        is_whole = False
    if not is_whole:
        raise ValueError("write a date and a time such as 2027-01-31T09:00")


def check_zone(name: str) -> None:
    """Raise `ValueError` if this computer does not know the time zone."""
    from zoneinfo import ZoneInfo

    try:
        ZoneInfo(name)
    except (
        ValueError,
        OSError,
        LookupError,
    ) as error:  # a path, a folder, no such zone
        raise ValueError(
            f"'{name}' is an unknown time zone; write one such as Europe/Berlin"
        ) from error


# --- parameters together ------------------------------------------------------------------------------------------


def check_http_request(params: Mapping[str, Any]) -> None:
    """Raise `FieldError` if a message decides which server gets a value of the
    environment.
    """
    url = params.get("url")
    if not isinstance(url, str) or not _message_names_host(url):
        return
    sent = (
        "headers",
        "query",
        *(("text",) if params.get("send") == "text" else ()),
        "url",
    )
    for field in sent:
        content = params.get(field)
        texts = content.values() if isinstance(content, Mapping) else [content]
        if any(isinstance(text, str) and "{env." in text for text in texts):
            raise FieldError(
                "url",
                f"a message says which server is asked, and would get what '{field}' takes from the environment; "
                "write the server out, or as {env.NAME} with a / behind it",
            )


def _message_names_host(url: str) -> bool:
    before = url.partition("{message")[0]
    known = re.sub(r"\{env\.\w*\}", "x", before)
    return before != url and _HOST_IS_OVER.match(known) is None


def check_chat_model(params: Mapping[str, Any]) -> None:
    """Raise `FieldError` if an answer must fit a schema and there is none."""
    if params.get("answer") == "schema" and not params.get("json_schema"):
        raise FieldError("json_schema", "with answer 'schema' the schema must be given")


def check_ask(params: Mapping[str, Any]) -> None:
    """Raise `FieldError` for choices that look the same, and for reasons of a choice
    that does not exist.
    """
    schema = params.get("answer_schema")
    if isinstance(schema, Mapping) and schema:
        if schema.get("type") not in ("object", "string", "boolean"):
            raise FieldError(
                "answer_schema",
                "its type must be object, string or boolean; put others into an object",
            )
        if params.get("choices") or params.get("free_text"):
            raise FieldError(
                "answer_schema",
                "it takes the place of choices and free text; leave these out",
            )
    choices = params.get("choices", [])
    reasons = params.get("reason_required_for", [])
    if not isinstance(choices, list) or not isinstance(reasons, list):
        return  # the rule `type` says so
    if any(
        choice in choices[:index] for index, choice in enumerate(choices)
    ) or not all(choices):
        raise FieldError("choices", "choices must be different and not empty")
    unknown = [reason for reason in reasons if reason not in choices]
    if unknown:
        raise FieldError(
            "reason_required_for",
            f"it names {', '.join(map(repr, unknown))}, which is no choice",
        )


def check_csv_write(params: Mapping[str, Any]) -> None:
    """Raise `FieldError` for an encoding that would put a byte order mark before each
    part of a file.
    """
    encoding = params.get("encoding", "utf-8")
    if params.get("mode") != "append" or not isinstance(encoding, str):
        return
    try:
        extends_ascii = "\n".encode(encoding) == b"\n"
    except (LookupError, ValueError):
        return  # its own rule says so
    if not extends_ascii:
        raise FieldError(
            "encoding",
            f"nothing can be appended in {encoding}; choose utf-8 or another that extends ASCII",
        )


def _for(kind: type[T], check: Callable[[T], object]) -> Callable[[object], bool]:
    def checker(value: object) -> bool:
        if isinstance(value, kind):  # for another type there is the rule `type`
            check(value)
        return True

    return checker


CHECKS: Mapping[str, Callable[[object], bool]] = {
    TEMPLATE_FORMAT: _for(str, Template),
    TEMPLATE_LINE_FORMAT: _for(str, Template),
    ENVIRONMENT_FORMAT: _for(str, EnvTemplate),
    ENVIRONMENT_LINE_FORMAT: _for(str, EnvTemplate),
    CEL_FORMAT: _for(str, Expression),
    URL_FORMAT: _for(str, check_url),
    BASE_URL_FORMAT: _for(str, check_base_url),
    JSON_SCHEMA_FORMAT: _for(dict, check_json_schema),
    SQL_FORMAT: _for(str, parse_statement),
    DATABASE_FORMAT: _for(str, check_database),
    PATHS_FORMAT: _for(dict, check_paths),
    ENCODING_FORMAT: _for(str, check_encoding),
    PYTHON_FORMAT: _for(str, check_source),
    CEL_OR_EMPTY_FORMAT: _for(str, check_optional_condition),
    CEL_FOLD_FORMAT: _for(str, check_fold),
    CEL_ROW_FORMAT: _for(str, check_row_condition),
    MESSAGE_PATH_FORMAT: _for(str, parse_path),
    AGGREGATES_FORMAT: _for(dict, check_aggregates),
    TIME_OF_DAY_FORMAT: _for(str, check_time_of_day),
    DATE_TIME_FORMAT: _for(str, check_date_time),
    ZONE_FORMAT: _for(str, check_zone),
    NAMED_VALUES_FORMAT: _for(dict, check_named_values),
    HTTP_REQUEST_FORMAT: _for(dict, check_http_request),
    CHAT_MODEL_FORMAT: _for(dict, check_chat_model),
    ASK_FORMAT: _for(dict, check_ask),
    CSV_WRITE_FORMAT: _for(dict, check_csv_write),
}
RAISED = (ValueError, ConditionError)
