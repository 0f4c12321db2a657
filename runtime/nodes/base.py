"""A node type: its name, how it is shown, its parameters, and how its executor is
made.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Mapping
from contextlib import redirect_stdout
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, Self
from weakref import WeakKeyDictionary

from pydantic import (
    AfterValidator,
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)
from pydantic.config import JsonDict

from runtime.document.definition import NodeDefinition, NodeInfo
from runtime.document.files import location_text
from runtime.document.secret_places import given
from runtime.document.sub_workflows import NO_FILES, Files
from runtime.errors import DefinitionError, NodeError
from runtime.executors.executor import Executor
from runtime.executors.outside import Outside
from runtime.expressions.environment import (
    ENVIRONMENT_FORMAT,
    ENVIRONMENT_LINE_FORMAT,
    EnvTemplate,
    Secrets,
)
from runtime.expressions.template import TEMPLATE_FORMAT, TEMPLATE_LINE_FORMAT, Template
from runtime.expressions.text_formats import (
    CEL_FOLD_FORMAT,
    CEL_FORMAT,
    CEL_OR_EMPTY_FORMAT,
    CEL_ROW_FORMAT,
    CHECKS,
    JSON_SCHEMA_FORMAT,
    RAISED,
)
from runtime.loader.stand_ins import stand_in
from runtime.values.secret_use import noting_secrets
from runtime.values.user_failures import in_words
from runtime.values.words import sentence

START = "Start and output"
PYTHON = "Python"
DATA = "Data"
HUMAN = "Human"
FLOW = "Flow"
NET = "Services"


class NodeParams(BaseModel):
    """Base of all parameters. Strict, so that what JSON Schema accepts in the form is
    what the run accepts.
    """

    model_config = ConfigDict(frozen=True, strict=True, extra="forbid")

    @model_validator(mode="after")
    def _fit_together(self) -> Self:
        """Check parameters that depend on each other by a format of the whole,
        so that `check` tests it too.
        """
        extra = self.model_config.get("json_schema_extra")
        if isinstance(extra, dict) and "format" in extra:
            CHECKS[str(extra["format"])](self.model_dump())
        return self


def only_when(**values: str | tuple[str, ...]) -> JsonDict:
    """For `json_schema_extra`: a form shows the parameter only where others have one of
    these values.
    """
    return {
        "when": {
            name: [value] if isinstance(value, str) else list(value)
            for name, value in values.items()
        }
    }


def together(format: str) -> ConfigDict:
    """The `model_config` of parameters with a format of the whole."""
    return ConfigDict(json_schema_extra={"format": format})


def well_formed(format: str) -> AfterValidator:
    """Return the check of a format for a pydantic field; the JSON Schema has the format
    by its name.
    """
    check = CHECKS[format]

    def validate(value: Any) -> Any:
        try:
            check(value)
        except RAISED as error:  # pydantic takes no other than ValueError
            raise ValueError(str(error)) from error
        return value

    return AfterValidator(validate)


# A text with placeholders, of several lines or of one, and an expression in CEL over
# `message`.
TemplateText = Annotated[
    str,
    well_formed(TEMPLATE_FORMAT),
    Field(json_schema_extra={"format": TEMPLATE_FORMAT}),
]
TemplateLine = Annotated[
    str,
    well_formed(TEMPLATE_LINE_FORMAT),
    Field(json_schema_extra={"format": TEMPLATE_LINE_FORMAT}),
]
# The same with `{env.NAME}`, for secrets that must not be in a document.
EnvText = Annotated[
    str,
    well_formed(ENVIRONMENT_FORMAT),
    Field(
        json_schema_extra={
            "format": ENVIRONMENT_FORMAT,
            "contentMediaType": "text/plain",
        }
    ),
]
EnvLine = Annotated[
    str,
    well_formed(ENVIRONMENT_LINE_FORMAT),
    Field(json_schema_extra={"format": ENVIRONMENT_LINE_FORMAT}),
]
CelText = Annotated[
    str, well_formed(CEL_FORMAT), Field(json_schema_extra={"format": CEL_FORMAT})
]
# A condition over the row of a table.
RowCondition = Annotated[
    str,
    well_formed(CEL_ROW_FORMAT),
    Field(json_schema_extra={"format": CEL_ROW_FORMAT}),
]
# A condition that may be left empty; and an expression over `acc` and `item`, which
# takes another value in.
OptionalCel = Annotated[
    str,
    well_formed(CEL_OR_EMPTY_FORMAT),
    Field(json_schema_extra={"format": CEL_OR_EMPTY_FORMAT}),
]
FoldText = Annotated[
    str,
    well_formed(CEL_FOLD_FORMAT),
    Field(
        json_schema_extra={"format": CEL_FOLD_FORMAT, "contentMediaType": "text/plain"}
    ),
]


JsonSchema = Annotated[
    dict[str, Any],
    well_formed(JSON_SCHEMA_FORMAT),
    Field(json_schema_extra={"format": JSON_SCHEMA_FORMAT}),
]


def render(template: Template, message: Any, node_id: str) -> str:
    """Return the text for a message. Raise `NodeError` for a placeholder that the
    message cannot fill.
    """
    try:
        return template.render(message)
    except LookupError as error:
        raise NodeError(
            f"the text cannot be made: {sentence(error.args[0])}", node_id
        ) from error


def fill(
    template: EnvTemplate,
    message: Any,
    secrets: Secrets,
    node_id: str,
    encode: Callable[[str], str] | None = None,
) -> str:
    """Return the text for a message and the environment. Raise `NodeError` for a
    placeholder that neither can fill.
    """
    try:
        return template.fill(message, secrets, encode)
    except LookupError as error:
        raise NodeError(
            secrets.mask(f"the text cannot be made: {sentence(error.args[0])}"), node_id
        ) from error


@dataclass(frozen=True, slots=True)
class Place:
    """The place of a new node: its id, and the folder of the document, in which files
    and modules are looked up.

    A sub-workflow is made with the same `catalogue`; `chain` leads to the document
    (`runtime.document.sub_workflows`).
    """

    node_id: str
    folder: Path
    catalogue: Catalogue | None = None
    chain: tuple[str, ...] = ()


ParamsClass = type[NodeParams]
# To make those of all built-in types takes 15 milliseconds, and each host, each check and
# each node that is made asks for some of them.
_SCHEMAS: WeakKeyDictionary[ParamsClass, dict[str, Any]] = WeakKeyDictionary()


def schema_of(params: ParamsClass) -> dict[str, Any]:
    """Return the JSON Schema of parameters. It is shared, so nobody may change it."""
    schema = _SCHEMAS.get(params)
    if schema is None:
        schema = _SCHEMAS[params] = params.model_json_schema()
    return schema


@dataclass(frozen=True, slots=True)
class NodeType:
    """One entry of the palette. The fields beside `params` and `make` are those of
    `NodeInfo`.

    `make(place, params)` gets checked parameters, and returns the executor with the
    node's id. Only there may user code be imported: listing and checking node types
    runs none. `outside(params)` says what each call does beyond the run; None where the
    code says it, or where it does nothing.
    """

    type: str
    title: str
    category: str
    icon: str
    description: str
    params: ParamsClass
    make: Callable[[Place, Any], Executor]
    inputs: tuple[str, ...] = ("Any",)
    outputs: tuple[str, ...] = ("Any",)
    summary: str = ""
    figure: Literal["box", "diamond"] = "box"
    always_sends: bool = False
    passes_on: bool = False
    sends_many: bool = False
    sink: bool = False
    outside: Callable[[Any], Outside] | None = None

    def info(self) -> NodeInfo:
        """Return the facts that palette, form, canvas and `check` need."""
        return NodeInfo(
            type=self.type,
            title=self.title,
            category=self.category,
            icon=self.icon,
            description=self.description,
            inputs=self.inputs,
            outputs=self.outputs,
            params_schema=schema_of(self.params),
            summary=self.summary,
            figure=self.figure,
            always_sends=self.always_sends,
            passes_on=self.passes_on,
            sends_many=self.sends_many,
            sink=self.sink,
            reaches_outside=self.outside is not None,
        )

    def create(
        self,
        place: Place,
        params: dict[str, Any],
        written: Mapping[str, Any] | None = None,
    ) -> Executor:
        """Return the executor. `written` are the parameters as the document has them,
        without the values of secrets. Raise `DefinitionError`, at the node's id, for
        parameters that do not fit or code that cannot be used.
        """
        try:
            checked = self.params.model_validate(params)
        except ValidationError as error:
            faults = error.errors(include_url=False, include_input=False)
            text = "; ".join(
                f"{location_text(('params', *fault['loc']))}: {fault['msg']}"
                for fault in faults
            )
            raise DefinitionError(text, place.node_id) from error
        try:
            executor = self.make(place, checked)
            # As they are written, because the value of a secret is no part of the code.
            parameters = {
                **checked.model_dump(),
                **(params if written is None else written),
            }
            executor.engine_parameters = _digest(self.type, parameters)
            if self.outside is not None:
                executor.engine_declare_outside(self.outside(checked))
            return executor
        except DefinitionError:
            raise
        except ValueError as error:  # the engine's words for an id that it cannot use
            raise DefinitionError(str(error), place.node_id) from error
        except (Exception, SystemExit) as error:
            raise DefinitionError(
                f"Its code raised {in_words(error)}.", place.node_id
            ) from error


class EntryPoint(Protocol):
    """Where an installed package names a node type of its own; see
    `importlib.metadata.EntryPoint`.
    """

    @property
    def name(self) -> str: ...
    @property
    def value(self) -> str: ...
    def load(self) -> Any: ...


class Catalogue:
    """The node types that documents can use, by name, in the order of the palette:
    `types`, then those of packages.

    `files` are documents that sub-workflows have in place of their files, so that a run
    goes on as it was saved.

    A broken package must not stop the program: an entry point that cannot be used
    is left out, and `warnings` has a line for each.
    """

    def __init__(
        self, types: Iterable[NodeType], installed: Iterable[EntryPoint] = ()
    ) -> None:
        self._types: dict[str, NodeType] = {}
        self._base: Catalogue | None = None  # without the types of a folder
        self.files: Files = NO_FILES
        self.warnings: list[str] = []
        for node_type in types:
            self._add(node_type)
        for entry in installed:
            try:
                # standard output has the results of commands and nothing else
                with redirect_stdout(sys.stderr):
                    self._add(_loaded(entry))
            except (Exception, SystemExit) as error:  # noqa: BLE001 - code of any package; the warning says what it was
                self.warnings.append(
                    f"The node type '{entry.name}' ({entry.value}) of an installed package is left out: "
                    f"{' '.join(in_words(error).split())}"
                )

    def of_folder(self, folder: Path) -> Catalogue:
        """Return these types and those of a document's folder (`nodes/*.py`),
        without running them. A catalogue for another folder has the same
        types without those of its own folder.
        """
        from runtime.nodes.support.folder import folder_types

        types, warnings = folder_types(folder)
        base = self._base or self
        if not types and not warnings:
            return base
        catalogue = Catalogue(base._types.values())
        catalogue._base = base
        catalogue.files = self.files
        catalogue.warnings = [*base.warnings, *warnings]
        for node_type in types:
            if node_type.type in catalogue._types:
                catalogue.warnings.append(
                    f"The node type '{node_type.type}' of the folder is left out: there is one of that name."
                )
            else:
                catalogue._add(node_type)
        return catalogue

    def with_files(self, files: Files) -> Catalogue:
        """Return the same types, with documents in place of files."""
        if not files:
            return self
        catalogue = Catalogue(self._types.values())
        catalogue._base = self._base and self._base.with_files(files)
        catalogue.warnings = self.warnings
        catalogue.files = files
        return catalogue

    def _add(self, node_type: NodeType) -> None:
        if node_type.type in self._types:
            raise ValueError(
                f"Two node types have the name '{node_type.type}'. Rename one of them."
            )
        self._types[node_type.type] = node_type

    def infos(self) -> list[NodeInfo]:
        """Return all node types. It imports no code of documents."""
        return [node_type.info() for node_type in self._types.values()]

    def create(
        self, node: NodeDefinition, folder: Path, chain: tuple[str, ...] = ()
    ) -> Executor:
        """Return the executor of a node; this may import user code from the
        folder.

        Raise `DefinitionError` with the node's id as location for an unknown
        type, or parameters or code that do not fit.
        """
        if (executor := stand_in(node.type, node.id)) is not None:
            return executor
        node_type = self._types.get(node.type)
        if node_type is None:
            known = ", ".join(self._types)
            raise DefinitionError(
                f"Unknown node type '{node.type}'. Known are: {known}.", node.id
            )
        try:
            with noting_secrets() as secrets:
                params = given(node.params, partial(schema_of, node_type.params))
        except LookupError as error:
            raise DefinitionError(
                f"It cannot be made: {error.args[0]}.", node.id
            ) from error
        executor = node_type.create(
            Place(node.id, folder, self, chain), params, node.params
        )
        executor.engine_secrets = frozenset(secrets)
        return executor


def _digest(node_type: str, parameters: Mapping[str, Any]) -> str:
    text = json.dumps([node_type, parameters], sort_keys=True, default=repr)
    return blake2b(text.encode(), digest_size=16).hexdigest()


def _loaded(entry: EntryPoint) -> NodeType:
    from runtime.nodes.support.node_type_decorator import is_marked, type_of

    node_type = entry.load()
    if is_marked(node_type):
        node_type = type_of(node_type)
    if not isinstance(node_type, NodeType):
        raise TypeError(f"it is no NodeType, but of type {type(node_type).__name__}")
    node_type.info()  # what cannot be shown fails here, and not in the palette
    return node_type
