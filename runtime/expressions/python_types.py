"""JSON Schemas of annotations of Python in a document's folder. The code is read and
never run.

Own code, because a library that reads annotations without importing (griffe was tried)
replaces only the search for names, and reads files without a bound.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from runtime.errors import SourceError
from runtime.expressions.python_source import Function, parse
from runtime.system.bounded_files import read_source

Schema = dict[str, Any]
REFERENCE = "#/$defs/"
_PLAIN: dict[str, Schema] = {
    "str": {"type": "string"},
    "int": {"type": "integer"},
    "float": {"type": "number"},
    "bool": {"type": "boolean"},
    "None": {"type": "null"},
    "dict": {"type": "object"},
    **{name: {"type": "object"} for name in ("Dict", "Mapping", "MutableMapping")},
    **{
        name: {"type": "array"}
        for name in (
            "list",
            "List",
            "Sequence",
            "Iterable",
            "tuple",
            "Tuple",
            "set",
            "Set",
        )
    },
}
_NOTHING = frozenset({"Never", "NoReturn", "None"})
_RECORDS = frozenset({"TypedDict", "NamedTuple", "BaseModel"})
_ENUMS = frozenset({"Enum", "StrEnum", "IntEnum"})
_CONTEXT = "WorkflowContext"


class Handling(NamedTuple):
    """The schemas that a function or class takes, sends and yields, one for each type;
    `{}` may be anything.
    """

    takes: list[Schema]
    sends: list[Schema]
    yields: list[Schema]


def any_of(schemas: Iterable[Schema]) -> Schema:
    """Return one schema for all; `{}` if one of them is that or there is none."""
    parts: list[Schema] = []
    for schema in schemas:
        parts += [part for part in schema.get("anyOf", [schema]) if part not in parts]
    if not parts or not all(parts):
        return {}
    return parts[0] if len(parts) == 1 else {"anyOf": parts}


class PythonTypes:
    """Reads the modules of a folder, each once. `definitions` are the schemas of the
    classes that were met, by the name under which others refer to them; `taken` are
    names that are used for something else.
    """

    def __init__(self, folder: Path | None, taken: Sequence[str] = ()) -> None:
        self._folder = folder
        self._modules: dict[str, ast.Module | None] = {}
        self._names: dict[tuple[str, str], str] = {}
        self._taken = set(taken)
        self.definitions: dict[str, Schema] = {}

    def named_in(self, schema: Any) -> dict[str, Schema]:
        """Return the definitions that a schema refers to, and those that they
        refer to.
        """
        named: dict[str, Schema] = {}
        waiting = list(_references(schema))
        while waiting:
            name = waiting.pop(0)
            if name not in named and name in self.definitions:
                named[name] = self.definitions[name]
                waiting += _references(named[name])
        return named

    def of_reference(self, reference: str) -> Handling | None:
        """Return the handling of `module:name` in the folder; None if it is
        missing or cannot be read.
        """
        module, _, name = reference.partition(":")
        definition = self._find_definition(module, name)
        return None if definition is None else self._handling(*definition)

    def of_code(self, code: str, name: str) -> Handling | None:
        """Return the handling of a function in a text."""
        try:
            tree = parse(code)
        except SourceError:
            return None
        self._modules[""] = tree
        definition = self._find_definition("", name)
        return None if definition is None else self._handling(*definition)

    def _handling(self, module: str, definition: ast.stmt) -> Handling | None:
        if isinstance(definition, Function):
            return self._of_function(module, definition, skip=0)
        if not isinstance(definition, ast.ClassDef):
            return None
        handlers = [
            part
            for part in definition.body
            if isinstance(part, Function) and _has_decorator(part, "handler")
        ]
        handlings = [self._of_function(module, part, skip=1) for part in handlers]
        if not handlings or None in handlings:
            return None
        return Handling(
            *(
                [schema for part in handlings if part for schema in part[index]]
                for index in range(3)
            )
        )

    def _of_function(
        self, module: str, function: Function, skip: int
    ) -> Handling | None:
        parameters = [*function.args.posonlyargs, *function.args.args][skip:]
        if not parameters:
            return None
        takes = [self._annotated(parameters[0].annotation, module)]
        returned = self._ways(_unquoted(function.returns), module)
        context = _unquoted(parameters[1].annotation) if len(parameters) > 1 else None
        if len(parameters) == 1 or (context is not None and not _is_context(context)):
            return Handling(takes, [{}] if returned is None else returned, [])
        parts = [self._ways(part, module) or [] for part in _inside(context)]
        if not parts:
            return Handling(takes, [{}], [{}])  # its context says nothing
        return Handling(
            takes, [*parts[0], *(returned or [])], parts[1] if len(parts) > 1 else []
        )

    def _ways(self, node: ast.expr | None, module: str) -> list[Schema] | None:
        """Return the schemas that a type sends, without None, which sends
        nothing. Return None without an annotation.
        """
        if node is None:
            return None
        schema = {} if _last_name(node) in _NOTHING else self._annotated(node, module)
        ways = [
            schema_part
            for schema_part in schema.get("anyOf", [schema])
            if schema_part != {"type": "null"}
        ]
        return [] if _last_name(node) in _NOTHING else ways

    # --- annotations ----------------------------------------------------------------------------------------------

    def _annotated(self, node: ast.expr | None, module: str) -> Schema:
        match node:
            case ast.Constant(value=None):
                return {"type": "null"}
            case ast.Constant(value=str()):
                inner = _unquoted(node)
                return {} if inner is node else self._annotated(inner, module)
            case ast.BinOp(left=left, op=ast.BitOr(), right=right):
                return any_of(
                    [self._annotated(left, module), self._annotated(right, module)]
                )
            case ast.Subscript():
                return self._generic(_last_name(node.value), _inside(node), module)
            case ast.Name() | ast.Attribute():
                return self._named(_last_name(node), module)
            case _:
                return {}

    def _generic(self, name: str, inside: list[ast.expr], module: str) -> Schema:
        match name:
            case "Literal":
                return {
                    "enum": [
                        value.value
                        for value in inside
                        if isinstance(value, ast.Constant)
                    ]
                }
            case "Optional":
                return any_of([self._annotated(inside[0], module), {"type": "null"}])
            case "Union":
                return any_of(self._annotated(part, module) for part in inside)
            case "Annotated" | "Required" | "NotRequired" | "ReadOnly" | "Final":
                return self._annotated(inside[0], module)
        plain = dict(_PLAIN.get(name, {}))
        if plain.get("type") == "object":
            items = self._annotated(inside[-1], module)
        else:
            items = {}
        if items:
            return {**plain, "additionalProperties": items}
        if plain.get("type") == "array":
            return {**plain, **self._items(name, inside, module)}
        return plain

    def _items(self, name: str, inside: list[ast.expr], module: str) -> Schema:
        ends_open = isinstance(inside[-1], ast.Constant) and inside[-1].value is ...
        if name.lower() == "tuple" and not ends_open:
            parts = [self._annotated(part, module) for part in inside]
            return {
                "prefixItems": parts,
                "minItems": len(parts),
                "maxItems": len(parts),
            }
        items = self._annotated(inside[0], module)
        return {"items": items} if items else {}

    def _named(self, name: str, module: str) -> Schema:
        if name in _PLAIN:
            return dict(_PLAIN[name])
        definition = self._find_definition(module, name)
        if definition is None:
            return {}
        home, statement = definition
        if isinstance(statement, ast.ClassDef):
            return self._class(home, statement)
        value = (
            statement.value
            if isinstance(statement, ast.Assign | ast.AnnAssign)
            else None
        )
        if isinstance(value, ast.Subscript | ast.BinOp | ast.Name):
            return self._annotated(value, home)
        return {}

    # --- classes --------------------------------------------------------------------------------------------------

    def _class(self, module: str, definition: ast.ClassDef) -> Schema:
        key = (module, definition.name)
        if key not in self._names:
            free = (
                definition.name
                if definition.name not in self._taken
                else f"{module}.{definition.name}"
            )
            self._taken.add(free)
            self._names[key] = free
            self.definitions[free] = {}  # for a class that refers to itself
            self.definitions[free] = self._described(module, definition)
        return {"$ref": f"{REFERENCE}{self._names[key]}"}

    def _described(self, module: str, definition: ast.ClassDef) -> Schema:
        bases = {_last_name(base) for base in definition.bases}
        if bases & _ENUMS:
            assignments = [
                part.value for part in definition.body if isinstance(part, ast.Assign)
            ]
            values = [
                value.value for value in assignments if isinstance(value, ast.Constant)
            ]
            return {"title": definition.name, "enum": values} if values else {}
        if not self._is_record(module, definition):
            return {}
        local_bases = [
            base
            for base in definition.bases
            if self._find_definition(module, _last_name(base)) is not None
        ]
        fields = [
            part
            for part in definition.body
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name)
        ]
        fields = [part for part in fields if _last_name(part.annotation) != "ClassVar"]
        partial = any(
            word.arg == "total" and ast.unparse(word.value) == "False"
            for word in definition.keywords
        )
        words = ast.get_docstring(definition)
        return {
            "title": definition.name,
            **(
                {"description": words.partition("\n\n")[0].replace("\n", " ")}
                if words
                else {}
            ),
            "type": "object",
            **(
                {"allOf": [self._annotated(base, module) for base in local_bases]}
                if local_bases
                else {}
            ),
            "properties": {
                _name(part): self._annotated(part.annotation, module) for part in fields
            },
            "required": []
            if partial
            else [_name(part) for part in fields if _is_required(part)],
        }

    def _is_record(self, module: str, definition: ast.ClassDef, steps: int = 8) -> bool:
        """Whether the class, or one of its bases, is built from its annotated fields."""
        if _has_decorator(definition, "dataclass") or any(
            _last_name(base) in _RECORDS for base in definition.bases
        ):
            return True
        if not steps:
            return False
        for base in definition.bases:
            definition_of_base = self._find_definition(module, _last_name(base))
            if definition_of_base is None:
                continue
            base_module, statement = definition_of_base
            if isinstance(statement, ast.ClassDef) and self._is_record(
                base_module, statement, steps - 1
            ):
                return True
        return False

    # --- modules --------------------------------------------------------------------------------------------------

    def _find_definition(
        self, module: str, name: str, steps: int = 8
    ) -> tuple[str, ast.stmt] | None:
        """Return where in the folder a name of a module is defined, following
        imports within the folder.
        """
        tree = self._module(module)
        # The last definition counts, as when Python runs the module.
        for statement in reversed(tree.body if tree is not None else []):
            if _defines(statement, name):
                return module, statement
            if isinstance(statement, ast.ImportFrom) and not statement.level and steps:
                for alias in statement.names:
                    if (alias.asname or alias.name) == name:
                        return self._find_definition(
                            statement.module or "", alias.name, steps - 1
                        )
        return None

    def _module(self, name: str) -> ast.Module | None:
        if name not in self._modules:
            self._modules[name] = self._read(name)
        return self._modules[name]

    def _read(self, name: str) -> ast.Module | None:
        if self._folder is None or not all(
            part.isidentifier() for part in name.split(".")
        ):
            return None
        path = self._folder.joinpath(*name.split("."))
        file = next(
            (
                candidate
                for candidate in (path.with_suffix(".py"), path / "__init__.py")
                if candidate.is_file()
            ),
            None,
        )
        if file is None:
            return None
        try:
            return parse(read_source(file))
        except (OSError, SyntaxError, UnicodeError, SourceError):
            return None


def _references(schema: Any) -> Iterator[str]:
    if isinstance(schema, Mapping):
        if isinstance(schema.get("$ref"), str):
            yield schema["$ref"].removeprefix(REFERENCE)
        for value in schema.values():
            yield from _references(value)
    elif isinstance(schema, list):
        for item in schema:
            yield from _references(item)


def _defines(statement: ast.stmt, name: str) -> bool:
    match statement:
        case ast.ClassDef() | ast.FunctionDef() | ast.AsyncFunctionDef():
            return statement.name == name
        case (
            ast.Assign(targets=[ast.Name(id=given)])
            | ast.AnnAssign(target=ast.Name(id=given))
        ):
            return given == name
        case _:
            return False


def _inside(node: ast.expr | None) -> list[ast.expr]:
    if not isinstance(node, ast.Subscript):
        return []
    return list(node.slice.elts) if isinstance(node.slice, ast.Tuple) else [node.slice]


def _unquoted(node: ast.expr | None) -> ast.expr | None:
    """Return the meaning of an annotation that is written as a text."""
    if not (isinstance(node, ast.Constant) and isinstance(node.value, str)):
        return node
    try:
        return ast.parse(node.value, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return node


def _is_context(node: ast.expr | None) -> bool:
    return node is not None and _last_name(node) == _CONTEXT


def _has_decorator(definition: ast.ClassDef | Function, name: str) -> bool:
    return any(
        _last_name(each.func if isinstance(each, ast.Call) else each) == name
        for each in definition.decorator_list
    )


def _name(part: ast.AnnAssign) -> str:
    return part.target.id if isinstance(part.target, ast.Name) else ""


def _is_required(part: ast.AnnAssign) -> bool:
    return part.value is None and _last_name(part.annotation) != "NotRequired"


def _last_name(node: ast.expr | None) -> str:
    """Return the name at the end of `a.b.Name`, also of `Name[...]`."""
    match node:
        case ast.Subscript():
            return _last_name(node.value)
        case ast.Attribute():
            return node.attr
        case ast.Name():
            return node.id
        case ast.Constant(value=None):
            return "None"
        case _:
            return ""
