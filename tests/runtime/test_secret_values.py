"""Secrets that are written out in a document leave it for the environment, and nothing
else of it is touched.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import Field, SecretStr

from runtime.checks.check import check
from runtime.document.definition import NodeDefinition, WorkflowDefinition
from runtime.document.secret_values import written_out
from runtime.errors import DefinitionError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.export.python import to_python
from runtime.export.secrets import without_secrets
from runtime.nodes import BUILT_IN, Catalogue, NodeParams, NodeType, Place, catalogue
from tests.documents import build

WORD = "hunter2-sk-123"
REFERENCE_KEY = "{env.A_API_KEY}"


class _Params(NodeParams):
    api_key: str = ""
    pin_token: int = 0
    words: SecretStr | None = None
    hidden: str = Field("", json_schema_extra={"writeOnly": True})
    plain: str = ""


class _Shows(Executor):
    def __init__(self, id: str, params: _Params) -> None:
        super().__init__(id)
        self.params = params

    @handler
    async def show(self, message: Any, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(
            f"{self.params.api_key} {self.params.pin_token} {self.params.plain}"
        )


def _make(place: Place, params: _Params) -> Executor:
    return _Shows(place.node_id, params)


OWN = NodeType("own", "Own", "Data", "box", "", _Params, _make)
TYPES = Catalogue([*BUILT_IN, OWN])
INFOS = {info.type: info for info in TYPES.infos()}


def one(type: str, **params: Any) -> WorkflowDefinition:
    return WorkflowDefinition(
        start="a", nodes=[NodeDefinition(id="a", type=type, params=params)]
    )


@pytest.mark.parametrize(
    ("type", "params", "path", "left", "variables"),
    [
        ("own", {"api_key": WORD}, "api_key", "{env.A_API_KEY}", ["A_API_KEY"]),
        ("own", {"hidden": WORD}, "hidden", "{env.A_HIDDEN}", ["A_HIDDEN"]),
        ("own", {"words": WORD}, "words", "{env.A_WORDS}", ["A_WORDS"]),
        ("own", {"pin_token": 1234}, "pin_token", "{env.A_PIN_TOKEN}", ["A_PIN_TOKEN"]),
        (
            "nobody_knows",
            {"password": WORD},
            "password",
            "{env.A_PASSWORD}",
            ["A_PASSWORD"],
        ),
        (
            "http_request",
            {"headers": {"Authorization": f"Bearer {WORD}", "X": "y"}},
            "headers",
            {"Authorization": "Bearer {env.A_HEADERS_AUTHORIZATION}", "X": "y"},
            ["A_HEADERS_AUTHORIZATION"],
        ),
        (
            "http_request",
            {"url": f"https://me:{WORD}@h.org/{{message.x}}?api_key={WORD}&q=1"},
            "url",
            "https://{env.A_URL_USER}:{env.A_URL_PASSWORD}@h.org/{message.x}?api_key={env.A_URL_API_KEY}&q=1",
            ["A_URL_USER", "A_URL_PASSWORD", "A_URL_API_KEY"],
        ),
        (
            "python_class",
            {
                "arguments": {
                    "dsn": f"postgres://u:{WORD}@h/d",
                    "api_key": f"x://{WORD}",
                }
            },
            "arguments",
            {
                "dsn": "postgres://{env.A_ARGUMENTS_DSN_USER}:{env.A_ARGUMENTS_DSN_PASSWORD}@h/d",
                "api_key": "{env.A_ARGUMENTS_API_KEY}",
            },
            ["A_ARGUMENTS_DSN_USER", "A_ARGUMENTS_DSN_PASSWORD", "A_ARGUMENTS_API_KEY"],
        ),
        (
            "sql_query",
            {"database": f"postgres://{{env.USER}}:{WORD}@h/d"},
            "database",
            "postgres://{env.USER}:{env.A_DATABASE_PASSWORD}@h/d",
            ["A_DATABASE_PASSWORD"],
        ),
        (
            "python_class",
            {"arguments": {"client": {"token": WORD, "secrets": [WORD, WORD]}}},
            "arguments",
            {
                "client": {
                    "token": "{env.A_ARGUMENTS_CLIENT_TOKEN}",
                    "secrets": [
                        "{env.A_ARGUMENTS_CLIENT_SECRETS_1}",
                        "{env.A_ARGUMENTS_CLIENT_SECRETS_2}",
                    ],
                }
            },
            [
                "A_ARGUMENTS_CLIENT_TOKEN",
                "A_ARGUMENTS_CLIENT_SECRETS_1",
                "A_ARGUMENTS_CLIENT_SECRETS_2",
            ],
        ),
    ],
)
def test_a_secret_is_known_by_name_schema_or_address(
    type: str, params: dict[str, Any], path: str, left: Any, variables: list[str]
) -> None:
    made, omitted = without_secrets(one(type, **params), INFOS)
    assert made.nodes[0].params[path] == left
    assert [each.variable for each in omitted] == variables
    assert WORD not in made.model_dump_json()
    assert without_secrets(made, INFOS) == (made, ())  # nothing is hidden twice
    if type != "own":  # the window exports also before it knows any type
        assert without_secrets(one(type, **params)) == (made, omitted)


@pytest.mark.parametrize(
    ("type", "params"),
    [
        ("own", {"api_key": "", "plain": WORD, "pin_token": 0} | {"pin_token": True}),
        ("own", {"api_key": REFERENCE_KEY}),
        ("python_class", {"arguments": {"at": "https://h.org:80/a@b:c?q=1"}}),
        (
            "shell_command",
            {"program": "curl https://${USER}:$PASS@h.org", "shell": True},
        ),
        ("template", {"text": "see https://you:there@example.org"}),
        (
            "http_request",
            {
                "url": "https://h.org:80/a?q=1",
                "headers": {"Authorization": "Bearer {env.K}"},
            },
        ),
        ("http_request", {"query": {"key": "{message.key}"}}),
        ("sql_query", {"parameters": {"password": "message.password"}}),
        (
            "chat_model",
            {
                "json_schema": {"properties": {"password": {"type": "string"}}},
                "max_tokens": 3,
            },
        ),
    ],
)
def test_what_is_no_literal_secret_stays_and_the_workflow_is_the_same(
    type: str, params: dict[str, Any]
) -> None:
    workflow = one(type, **params)
    assert without_secrets(workflow, INFOS)[0] is workflow


def test_workflows_inside_of_nodes_and_the_input_are_looked_through() -> None:
    inner = one("http_request", headers={"Cookie": WORD}).model_dump(mode="json")
    outer = one("sub_workflow", inline={"workflow": inner, "note_token": WORD})
    made, omitted = without_secrets(
        outer.model_copy(update={"input": {"user": "u", "password": WORD}}), INFOS
    )
    assert WORD not in made.model_dump_json()
    assert {each.variable for each in omitted} == {
        "A_A_HEADERS_COOKIE",
        "A_NOTE_TOKEN",
        "INPUT_PASSWORD",
    }
    assert [each.place for each in omitted if each.is_of_input] == ["input › password"]


def test_no_variable_stands_for_two_values_nor_for_one_that_is_there_already() -> None:
    nodes = [
        NodeDefinition(id=id, type="own", params={"api_key": WORD})
        for id in ("a b", "a_b", "ä", "1", "a.b")
    ]
    nodes += [NodeDefinition(id="x", type="own", params={"plain": "{env.A_B_API_KEY}"})]
    _, omitted = without_secrets(WorkflowDefinition(nodes=nodes), INFOS)
    names = [each.variable for each in omitted]
    assert len({*names, "A_B_API_KEY"}) == len(nodes)
    assert all(name.isidentifier() and name.isascii() for name in names)


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(
            st.sampled_from(["api_key", "a", "password", "inline", "x_token", "url"]),
            inner,
            max_size=4,
        )
    ),
)


def _secrets_of(value: Any, *, below: bool = False) -> list[Any]:
    if isinstance(value, dict):
        named = ("api_key", "password", "x_token")
        return [
            each
            for key, one in value.items()
            for each in _secrets_of(one, below=below or key in named)
        ]
    if isinstance(value, list):
        return [each for one in value for each in _secrets_of(one, below=below)]
    is_secret = below and (
        (isinstance(value, str) and value != "") or type(value) is int
    )
    return [value] if is_secret else []


@given(
    st.dictionaries(st.sampled_from(["api_key", "arguments", "password"]), json_values)
)
def test_of_any_parameters_exactly_the_secrets_go(params: dict[str, Any]) -> None:
    made, omitted = without_secrets(one("python_class", **params), INFOS)
    left = _secrets_of(made.nodes[0].params)
    assert all(str(each).startswith("{env.") for each in left)
    assert len(left) == len(_secrets_of(params)) >= len(omitted)


# --- instead of them ----------------------------------------------------------------------------------------------


async def test_a_parameter_that_is_a_secret_gets_the_variable_that_it_names(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("A_API_KEY", WORD)
    monkeypatch.setenv("PIN", "77")
    workflow = build(
        one("own", api_key=REFERENCE_KEY, pin_token="{env.PIN}", plain="{env.PIN}"),  # noqa: S106
        TYPES,
    )
    assert (await workflow.run("x")).get_outputs() == [f"{WORD} 77 {{env.PIN}}"]
    workflow = build(one("own", plain="postgres://{env.A_API_KEY}:{env.PIN}@h"), TYPES)
    assert (await workflow.run("x")).get_outputs() == [f" 0 postgres://{WORD}:77@h"]


@pytest.mark.parametrize(
    ("params", "says"),
    [
        ({"api_key": "{env.NOT_SET_ANYWHERE}"}, "NOT_SET_ANYWHERE is not set"),
        ({"pin_token": "{env.HOME}"}, "HOME must be a number"),
    ],
)
def test_a_variable_that_cannot_be_used_is_said_at_the_node(
    params: dict[str, Any], says: str
) -> None:
    with pytest.raises(DefinitionError, match=says) as caught:
        build(one("own", **params), TYPES)
    assert caught.value.location == "a"


def test_a_workflow_inside_of_a_node_fills_in_its_own_templates() -> None:
    inner = one(
        "http_request",
        url="https://h.org",
        headers={"Authorization": "{env.NOT_SET_ANYWHERE}"},
    )
    assert build(
        one("sub_workflow", inline={"workflow": inner.model_dump(mode="json")}), TYPES
    )


# --- exported code ------------------------------------------------------------------------------------------------

MODULE = """
from runtime import Executor, WorkflowContext, handler

class Client(Executor):
    def __init__(self, id, api_key):
        super().__init__(id)
        self.api_key = api_key

    @handler
    async def show(self, message: dict, ctx: WorkflowContext[None, str]) -> None:
        await ctx.yield_output(f"{self.api_key} {message['password']}")
"""


def test_exported_code_has_no_secret_takes_it_from_the_environment_and_says_what_to_set(
    tmp_path: Path,
) -> None:
    (tmp_path / "client.py").write_text(MODULE)
    made = one("python_class", class_name="client:Client", arguments={"api_key": WORD})
    program = tmp_path / "exported.py"
    program.write_text(
        to_python(made.model_copy(update={"input": {"password": WORD}}), INFOS)
    )
    assert WORD not in program.read_text()
    assert "#   A_ARGUMENTS_API_KEY (a › arguments › api_key)\n" in program.read_text()
    environment = {"PYTHONPATH": str(Path(__file__).parents[2])}
    run = [sys.executable, str(program)]
    bare = subprocess.run(
        run, capture_output=True, text=True, env=environment, check=False
    )
    assert "A_ARGUMENTS_API_KEY is not set" in bare.stderr
    environment |= {"A_ARGUMENTS_API_KEY": "one", "INPUT_PASSWORD": "two"}
    assert (
        subprocess.run(
            run, capture_output=True, text=True, env=environment, check=True
        ).stdout
        == "one two\n"
    )


def test_the_signature_of_exported_code_is_that_of_the_document(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "client.py").write_text(MODULE)
    made = one("python_class", class_name="client:Client", arguments={"api_key": WORD})
    monkeypatch.setenv("A_ARGUMENTS_API_KEY", "another")
    space: dict[str, Any] = {
        "__file__": str(tmp_path / "exported.py"),
        "__name__": "exported",
    }
    exec(to_python(made, INFOS), space)  # noqa: S102 - our own program
    assert space["workflow"].signature() == build(made, folder=tmp_path).signature()


# --- the check ----------------------------------------------------------------------------------------------------


def test_the_check_warns_of_a_secret_and_says_what_to_do_but_not_what_it_is() -> None:
    made = one("own", api_key=WORD, plain=WORD)
    [found] = [each for each in check(made, INFOS) if each.rule == "secret-written-out"]
    assert (found.severity, found.location, found.part) == (
        "warning",
        "a",
        "params.api_key",
    )
    assert "{env.A_API_KEY}" in found.remedy
    assert WORD not in json.dumps(found.model_dump())


def test_what_is_an_error_already_is_not_told_twice() -> None:
    made = one("http_request", url="https://h.org", headers={"Authorization": WORD})
    assert [
        each.rule for each in check(made, INFOS) if each.part.startswith("params")
    ] == ["params-valid"]


def test_no_secret_is_known_where_there_is_none() -> None:
    for info in catalogue().infos():
        assert list(written_out(NodeDefinition(id="a", type=info.type), info)) == []
