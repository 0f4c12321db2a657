"""SQL query: runs one statement for each message, and sends its rows on."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field

from runtime.errors import NodeError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.executors.outside import Outside
from runtime.expressions.environment import EnvTemplate, Secrets
from runtime.expressions.sql_parameters import parse_statement
from runtime.expressions.template import look_up, parse_path
from runtime.expressions.text_formats import DATABASE_FORMAT, PATHS_FORMAT, SQL_FORMAT
from runtime.nodes.base import NET, NodeParams, NodeType, Place, fill, well_formed
from runtime.nodes.support.paths import resolve
from runtime.nodes.support.sql_databases import (
    Bounds,
    QueryError,
    QueryResult,
    in_postgres,
    in_sqlite,
)

Database = Annotated[
    str,
    well_formed(DATABASE_FORMAT),
    Field(json_schema_extra={"format": DATABASE_FORMAT, "file": "read"}),
]
Sql = Annotated[
    str,
    well_formed(SQL_FORMAT),
    Field(
        json_schema_extra={"format": SQL_FORMAT, "contentMediaType": "application/sql"}
    ),
]
Paths = Annotated[
    dict[str, str],
    well_formed(PATHS_FORMAT),
    Field(json_schema_extra={"format": PATHS_FORMAT}),
]


class SqlQueryParams(NodeParams):
    database: Database = Field(
        title="Database",
        description="The path of a SQLite file, relative to the workflow's folder, or a PostgreSQL address from the "
        "environment such as {env.DATABASE_URL}.",
    )
    statement: Sql = Field(
        title="Statement",
        description=(
            "One statement, such as SELECT * FROM people WHERE id = :id. Write "
            "values as :name; they are bound, never pasted into the text."
        ),
    )
    parameters: Paths = Field(
        default_factory=dict,
        title="Parameters",
        description='Where each :name is in the message: {"id": "message.order.id"}. Without a line here :id is '
        "message.id, and :message is the message itself.",
    )
    allow_writes: bool = Field(
        False,
        title="Allow writes",
        description="Let the statement change the database; a missing SQLite file is made.",
    )
    max_rows: int = Field(
        1000,
        ge=1,
        le=1_000_000,
        title="Most rows",
        description="A statement that finds more is an error.",
        json_schema_extra={"group": "Limits"},
    )
    timeout: float = Field(
        30.0,
        gt=0,
        le=3600,
        title="Timeout",
        description="Seconds after which the statement is ended.",
        json_schema_extra={"unit": "s", "group": "Limits"},
    )
    allow_outside: bool = Field(
        False,
        title="Allow outside",
        description="Let the path of a SQLite file lead out of the workflow's folder.",
        json_schema_extra={"group": "Limits"},
    )


class SqlQueryExecutor(Executor):
    def __init__(self, id: str, folder: Path, params: SqlQueryParams) -> None:
        super().__init__(id, type=SQL_QUERY.type)
        self._folder = folder
        self._params = params
        self._database = EnvTemplate(params.database)
        self._statement = parse_statement(params.statement)
        self._bounds = Bounds(params.max_rows, params.timeout, params.allow_writes)

    @handler
    async def query(self, message: Any, ctx: WorkflowContext[Any]) -> None:
        secrets = Secrets()
        values = self._values(message)
        try:
            result = await self._query(
                fill(self._database, message, secrets, self.id), values
            )
        except QueryError as error:
            # Not chained: the driver's text may hold what `mask` hides in ours.
            raise NodeError(
                f"the statement failed: {secrets.mask(str(error))}.", self.id
            ) from None
        await ctx.send_message(
            {"changed": result.changed} if result.rows is None else result.rows
        )

    async def _query(self, database: str, values: Mapping[str, Any]) -> QueryResult:
        if database.startswith(("postgresql://", "postgres://")):
            return await in_postgres(database, self._statement, values, self._bounds)
        if "://" in database:
            raise NodeError(
                "the database is no path of a SQLite file and no postgresql:// address.",
                self.id,
            )
        path = resolve(self._folder, database, self._params.allow_outside, self.id)
        return await in_sqlite(path, self._statement, values, self._bounds)

    def _values(self, message: Any) -> dict[str, Any]:
        return {name: self._value(name, message) for name in self._statement.names}

    def _value(self, name: str, message: Any) -> Any:
        path = self._params.parameters.get(
            name, "message" if name == "message" else f"message.{name}"
        )
        try:
            return look_up(message, parse_path(path))
        except LookupError as error:
            raise NodeError(
                f":{name} has no value: {error.args[0]}. Send it, or say under 'Parameters' where it is.",
                self.id,
            ) from error


def _make(place: Place, params: SqlQueryParams) -> Executor:
    return SqlQueryExecutor(place.node_id, place.folder, params)


SQL_QUERY = NodeType(
    type="sql_query",
    title="SQL query",
    category=NET,
    icon="data",
    description="Runs one SQL statement for each message in a SQLite file or a PostgreSQL database, and sends its rows "
    "on as a list of maps; a statement without rows sends {changed: how many rows}. It only reads unless writing is "
    "allowed. PostgreSQL needs the extra: pip install 'stepwell[postgres]'.",
    params=SqlQueryParams,
    make=_make,
    outside=lambda params: Outside(
        "SQL statement", is_harmless=not params.allow_writes
    ),
    summary="statement",
    always_sends=True,
    sink=True,
)
