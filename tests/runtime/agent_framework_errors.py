"""Mistakes in the definition and building of workflows, written for agent-framework and
for us alike.

Each takes the package, `lib`, and is refused by it. Run by a Python that has
agent-framework, this prints what it says:

    python tests/runtime/agent_framework_errors.py
"""

# mypy: disable-error-code="untyped-decorator"

from __future__ import annotations

import asyncio
import importlib
import sys
from collections.abc import Callable
from typing import Any, Never, TypeVar

T = TypeVar("T")
F = TypeVar("F", bound=Callable[..., Any])


def bare(function: F) -> F:
    """Without annotations: explicit types stand alone."""
    function.__annotations__ = {}
    return function


def simple(
    lib: Any, id: str, takes: Any = str, sends: Any = str, yields: Any = None
) -> Any:
    def func(message: Any, ctx: Any) -> None: ...

    func.__annotations__ = {
        "message": takes,
        "ctx": lib.WorkflowContext[sends, Never if yields is None else yields],
    }
    return lib.FunctionExecutor(func, id)


def abc(lib: Any) -> list[Any]:
    return [simple(lib, id, takes=str | list[str], yields=str) for id in "abc"]


def build(lib: Any, **options: Any) -> Any:
    a, b, _ = abc(lib)
    return lib.WorkflowBuilder(start_executor=a, **options).add_edge(a, b).build()


# --- when a class is used -----------------------------------------------------------------------------------------


def empty_id(lib: Any) -> None:
    lib.Executor.__init__(simple(lib, "a"), "")


def no_handler(lib: Any) -> None:
    class Nothing(lib.Executor):  # type: ignore[misc]
        pass

    Nothing(id="n")


def two_handlers(lib: Any) -> None:
    class Two(lib.Executor):  # type: ignore[misc]
        @lib.handler(input=str)
        @bare
        async def one(self, message: Any, ctx: Any) -> None: ...

        @lib.handler(input=str)
        @bare
        async def two(self, message: Any, ctx: Any) -> None: ...

    Two(id="t")


def two_response_handlers(lib: Any) -> None:
    class Two(lib.Executor):  # type: ignore[misc]
        @lib.handler(input=str)
        @bare
        async def go(self, message: Any, ctx: Any) -> None: ...

        @lib.response_handler(request=str, response=int)
        @bare
        async def one(self, asked: Any, answer: Any, ctx: Any) -> None: ...

        @lib.response_handler(request=str, response=int)
        @bare
        async def two(self, asked: Any, answer: Any, ctx: Any) -> None: ...

    Two(id="t")


# --- when a decorator is used -------------------------------------------------------------------------------------


def annotated(lib: Any, message: Any, ctx: Any, *, response: bool = False) -> None:
    """A class with one handler that has these annotations, and an instance: one of both
    is refused.
    """

    async def takes(self: Any, message: Any, ctx: Any) -> None: ...

    async def answers(self: Any, asked: Any, answer: Any, ctx: Any) -> None: ...

    async def fine(self: Any, message: Any, ctx: Any) -> None: ...

    found: dict[str, Any] = {"message": message, "ctx": ctx}
    takes.__annotations__ = {
        name: value for name, value in found.items() if value is not None
    }
    made = {"takes": lib.handler(takes)} if not response else {}
    if response:
        answers.__annotations__ = {"asked": str, "answer": message, "ctx": ctx}
        made = {
            "answers": lib.response_handler(answers),
            "fine": lib.handler(input=str)(bare(fine)),
        }
    type("Made", (lib.Executor,), made)(id="m")


def handler_without_message(lib: Any) -> None:
    @lib.handler
    async def go(self: Any) -> None: ...


def handler_with_too_many(lib: Any) -> None:
    @lib.handler(input=str)
    @bare
    async def go(self: Any, message: str, ctx: Any, more: Any) -> None: ...


def response_handler_with_too_few(lib: Any) -> None:
    @lib.response_handler(request=str, response=int)
    @bare
    async def go(self: Any, message: str) -> None: ...


def explicit_without_input(lib: Any) -> None:
    @lib.handler(output=str)
    @bare
    async def go(self: Any, message: Any, ctx: Any) -> None: ...


def explicit_without_request(lib: Any) -> None:
    @lib.response_handler(response=str)
    @bare
    async def go(self: Any, asked: Any, answer: Any, ctx: Any) -> None: ...


def explicit_without_response(lib: Any) -> None:
    @lib.response_handler(request=str)
    @bare
    async def go(self: Any, asked: Any, answer: Any, ctx: Any) -> None: ...


def function_without_message(lib: Any) -> None:
    lib.executor(lambda: None)


def static_method(lib: Any) -> None:
    lib.FunctionExecutor(staticmethod(lambda message: None))


def class_method(lib: Any) -> None:
    lib.FunctionExecutor(classmethod(lambda cls, message: None))


# --- when a builder is called -------------------------------------------------------------------------------------


def same_id(lib: Any) -> None:
    a = simple(lib, "a")
    lib.WorkflowBuilder(start_executor=a).add_edge(a, simple(lib, "a")).build()


def both_names(lib: Any) -> None:
    a, *_ = abc(lib)
    lib.WorkflowBuilder(start_executor=a, output_from=[a], output_executors=[a])


def switch(lib: Any, *cases: Any) -> None:
    a, b, c = abc(lib)
    targets = {"b": b, "c": c}
    made = [
        lib.Default(targets[one[1]])
        if one[0] == "default"
        else lib.Case(bool, targets[one[1]])
        for one in cases
    ]
    lib.WorkflowBuilder(start_executor=a).add_switch_case_edge_group(a, made)


# --- when it is built ---------------------------------------------------------------------------------------------


def outputs(lib: Any, **ids: list[str]) -> None:
    a, b, _ = abc(lib)
    known = {"a": a, "b": b, "s": simple(lib, "s"), "z": simple(lib, "z", yields=str)}
    chosen = {name: [known[one] for one in value] for name, value in ids.items()}
    lib.WorkflowBuilder(start_executor=a, **chosen).add_edge(a, b).add_edge(
        b, known["s"]
    ).build()


def joined_twice(lib: Any) -> None:
    a, b, _ = abc(lib)
    lib.WorkflowBuilder(start_executor=a).add_edge(a, b).add_edge(a, b).build()


def types_apart(lib: Any) -> None:
    a = simple(lib, "a", sends=int)
    b = simple(lib, "b", takes=str)
    lib.WorkflowBuilder(start_executor=a).add_edge(a, b).build()


def join_without_list(lib: Any) -> None:
    a, b, c, d = (simple(lib, id) for id in "abcd")
    lib.WorkflowBuilder(start_executor=a).add_fan_out_edges(a, [b, c]).add_fan_in_edges(
        [b, c], d
    ).build()


def unreachable(lib: Any) -> None:
    a, b, c = abc(lib)
    lib.WorkflowBuilder(start_executor=a).add_edge(b, c).add_edge(a, b).add_edge(
        simple(lib, "x", yields=str), c
    ).build()


def start_missing(lib: Any) -> None:
    a, b, c = abc(lib)
    lib.validate_workflow_graph(
        [lib.SingleEdgeGroup("b", "c")], {"b": b, "c": c}, a, []
    )


def context(lib: Any, *parameters: Any) -> Any:
    if not parameters:
        return lib.WorkflowContext
    return lib.WorkflowContext[parameters if len(parameters) > 1 else parameters[0]]


# --- when it is run -----------------------------------------------------------------------------------------------


def run(lib: Any, *calls: dict[str, Any]) -> None:
    """Some calls of `run`, one after the other, of a workflow that asks for a number."""

    class Asks(lib.Executor):  # type: ignore[misc]
        @lib.handler(input=str)
        @bare
        async def ask(self, message: Any, ctx: Any) -> None:
            await ctx.request_info(message, int, request_id="q")

        @lib.response_handler(request=str, response=int)
        @bare
        async def told(self, asked: Any, answer: Any, ctx: Any) -> None: ...

    async def all_of_them() -> None:
        workflow = lib.WorkflowBuilder(start_executor=Asks(id="a")).build()
        for call in calls:
            await workflow.run(**call)

    asyncio.run(all_of_them())


def run_twice(lib: Any) -> None:
    async def twice() -> None:
        workflow = build(lib)
        first = workflow.run("x", stream=True)
        await anext(aiter(first))
        workflow.run("y", stream=True)

    asyncio.run(twice())


def never_ends(lib: Any) -> None:
    async def again(message: Any, ctx: Any) -> None:
        await ctx.send_message(message)

    again.__annotations__ = {"message": str, "ctx": lib.WorkflowContext[str]}
    one = lib.FunctionExecutor(again, "one")
    other = lib.FunctionExecutor(again, "other")
    builder = (
        lib.WorkflowBuilder(max_iterations=3, start_executor=one)
        .add_edge(one, other)
        .add_edge(other, one)
    )
    asyncio.run(builder.build().run("x"))


def another_graph(lib: Any) -> None:
    async def restore() -> None:
        storage = lib.InMemoryCheckpointStorage()
        await build(lib, name="w", checkpoint_storage=storage).run("x")
        (first, *_) = await storage.list_checkpoint_ids(workflow_name="w")
        other = lib.WorkflowBuilder(
            start_executor=simple(lib, "other"), name="w"
        ).build()
        await other.run(checkpoint_id=first, checkpoint_storage=storage)

    asyncio.run(restore())


def no_checkpoint(lib: Any) -> None:
    asyncio.run(
        build(lib, checkpoint_storage=lib.InMemoryCheckpointStorage()).run(
            checkpoint_id="nobody"
        )
    )


Row = tuple[str, Callable[[Any], Any], type[Exception] | str, str]
BUILDER = "WorkflowBuilder expected an Executor or SupportsAgentRun instance; got "
EXPLICIT = "Handler go with explicit type parameters must specify "
RESPONSE_EXPLICIT = f"Response {EXPLICIT.lower()}"
DECORATOR = "The @executor decorator cannot be used with @"
TYPE_VAR = "Handler parameter 'ctx' OutT contains an unresolved TypeVar in '~T'"
ROWS: list[Row] = [
    ("an empty id", empty_id, ValueError, "Executor ID must be a non-empty string."),
    ("no handler", no_handler, ValueError, "Executor Nothing has no handlers defined."),
    ("two handlers", two_handlers, ValueError, "Duplicate handler for type "),
    (
        "two response handlers",
        two_response_handlers,
        ValueError,
        "Duplicate response handler for request type ",
    ),
    (
        "a handler of nothing",
        handler_without_message,
        ValueError,
        "Handler go must have ",
    ),
    (
        "a handler of too much",
        handler_with_too_many,
        ValueError,
        "Handler go must have ",
    ),
    (
        "a response handler of too little",
        response_handler_with_too_few,
        ValueError,
        "Response handler go must have ",
    ),
    (
        "no annotation",
        lambda lib: annotated(lib, None, lib.WorkflowContext),
        ValueError,
        "Handler takes must have ",
    ),
    (
        "no context annotation",
        lambda lib: annotated(lib, str, None),
        ValueError,
        "Handler parameter 'ctx' must have a WorkflowContext",
    ),
    (
        "another context",
        lambda lib: annotated(lib, str, int),
        ValueError,
        "Handler parameter 'ctx' must be annotated as WorkflowContext",
    ),
    (
        "a type that is none",
        lambda lib: annotated(lib, str, context(lib, 5)),
        ValueError,
        "Handler parameter 'ctx' OutT contains invalid type entry: 5. Use proper types or typing generics",
    ),
    (
        "a type variable",
        lambda lib: annotated(lib, T, context(lib)),
        ValueError,
        "Handler takes has an unresolved ",
    ),
    (
        "a type variable inside",
        lambda lib: annotated(lib, list[T], context(lib, str)),  # type: ignore[valid-type]
        ValueError,
        "Handler takes has an unresolved ",
    ),
    (
        "a type variable sent",
        lambda lib: annotated(lib, str, context(lib, T)),
        ValueError,
        TYPE_VAR,
    ),
    (
        "explicit without input",
        explicit_without_input,
        ValueError,
        EXPLICIT + "'input' type",
    ),
    (
        "explicit without request",
        explicit_without_request,
        ValueError,
        RESPONSE_EXPLICIT + "'request' type",
    ),
    (
        "explicit without response",
        explicit_without_response,
        ValueError,
        RESPONSE_EXPLICIT + "'response' type",
    ),
    (
        "a function of nothing",
        function_without_message,
        ValueError,
        "Function instance <lambda> must have ",
    ),
    ("a static method", static_method, ValueError, DECORATOR + "static"),
    ("a class method", class_method, ValueError, DECORATOR + "class"),
    (
        "a text as start",
        lambda lib: lib.WorkflowBuilder(start_executor="a"),
        TypeError,
        BUILDER + "str.",
    ),
    ("same id", same_id, ValueError, "Duplicate executor ID 'a' detected in workflow."),
    (
        "a fan-out to one",
        lambda lib: lib.FanOutEdgeGroup("a", ["b"]),
        ValueError,
        "FanOutEdgeGroup must contain at least two targets.",
    ),
    (
        "a join of one",
        lambda lib: lib.FanInEdgeGroup(["a"], "b"),
        ValueError,
        "FanInEdgeGroup must contain at least two sources.",
    ),
    (
        "a selection of one",
        lambda lib: lib.FanOutEdgeGroup("a", ["b"], lambda data, ids: ids),
        ValueError,
        "FanOutEdgeGroup must contain at least two targets.",
    ),
    (
        "a switch of one",
        lambda lib: switch(lib, ("default", "b")),
        ValueError,
        "SwitchCaseEdgeGroup must contain at least two cases (including the default case).",
    ),
    (
        "a switch without default",
        lambda lib: switch(lib, ("case", "b"), ("case", "c")),
        ValueError,
        "SwitchCaseEdgeGroup must contain exactly one default case.",
    ),
    (
        "a switch of two defaults",
        lambda lib: switch(lib, ("default", "b"), ("default", "c")),
        ValueError,
        "SwitchCaseEdgeGroup must contain exactly one default case.",
    ),
    (
        "a chain of one",
        lambda lib: lib.WorkflowBuilder(start_executor=abc(lib)[0]).add_chain(
            abc(lib)[:1]
        ),
        ValueError,
        "At least two executors are required to form a chain.",
    ),
    (
        "a wrong literal",
        lambda lib: build(lib, output_from="some"),
        ValueError,
        "Unsupported output_from literal",
    ),
    (
        "a wrong literal of the other",
        lambda lib: build(lib, intermediate_output_from="some"),
        ValueError,
        "Unsupported intermediate_output_from literal",
    ),
    (
        "both names of one parameter",
        both_names,
        TypeError,
        "Cannot pass multiple workflow output selection parameters",
    ),
    (
        "a text as output",
        lambda lib: build(lib, output_from=["a"]),
        TypeError,
        "WorkflowBuilder expected ",
    ),
    (
        "nobody yields",
        lambda lib: build(lib, output_from=[], intermediate_output_from=[]),
        "WorkflowValidationError",
        "[OUTPUT_VALIDATION] Explicit workflow output designation must include at least one ",
    ),
    (
        "an output twice",
        lambda lib: outputs(lib, output_from=["a", "a"]),
        "WorkflowValidationError",
        "[OUTPUT_VALIDATION] Duplicate output executor designation(s)",
    ),
    (
        "an output that is progress too",
        lambda lib: outputs(lib, output_from=["a"], intermediate_output_from=["a"]),
        "WorkflowValidationError",
        "[OUTPUT_VALIDATION] Executors cannot be both ",
    ),
    (
        "an output from outside",
        lambda lib: outputs(lib, output_from=["z"]),
        "WorkflowValidationError",
        "[OUTPUT_VALIDATION] Output executor 'z' is not present in the workflow graph",
    ),
    (
        "an output of nothing",
        lambda lib: outputs(lib, output_from=["s"]),
        "WorkflowValidationError",
        "[OUTPUT_VALIDATION] Output executor 's' must have output type annotations defined.",
    ),
    (
        "joined twice",
        joined_twice,
        "EdgeDuplicationError",
        "[EDGE_DUPLICATION] Duplicate edge detected: a->b. Each edge in the workflow must be unique.",
    ),
    (
        "types apart",
        types_apart,
        "TypeCompatibilityError",
        "[TYPE_COMPATIBILITY] Type incompatibility between executors 'a' -> 'b'. Source executor outputs types ",
    ),
    (
        "a join without list",
        join_without_list,
        "TypeCompatibilityError",
        "[TYPE_COMPATIBILITY] Type incompatibility between executors 'b' -> 'd'.",
    ),
    (
        "out of reach",
        unreachable,
        "GraphConnectivityError",
        "[GRAPH_CONNECTIVITY] The following executors are unreachable from the start executor 'a': ['x'].",
    ),
    (
        "no start",
        start_missing,
        "GraphConnectivityError",
        "[GRAPH_CONNECTIVITY] Start executor 'a' is not present in the workflow graph",
    ),
    (
        "nothing to run",
        lambda lib: run(lib, {}),
        ValueError,
        "Must provide at least one of: 'message' (new run",
    ),
    (
        "a message and answers",
        lambda lib: run(lib, {"message": "x", "responses": {}}),
        ValueError,
        "Cannot provide both 'message' and 'responses'.",
    ),
    (
        "a message and a checkpoint",
        lambda lib: run(lib, {"message": "x", "checkpoint_id": "c"}),
        ValueError,
        "Cannot provide both 'message' and 'checkpoint_id'.",
    ),
    (
        "no storage",
        lambda lib: run(lib, {"checkpoint_id": "c"}),
        ValueError,
        "Cannot restore from checkpoint: ",
    ),
    (
        "a wrong input",
        lambda lib: run(lib, {"message": 5}),
        RuntimeError,
        "Start executor 'a' cannot handle input of ",
    ),
    (
        "an answer to nothing",
        lambda lib: run(lib, {"responses": {"q": 1}}),
        RuntimeError,
        "No pending requests found in workflow context",
    ),
    (
        "an answer to another question",
        lambda lib: run(lib, {"message": "x"}, {"responses": {"z": 1}}),
        ValueError,
        "Response provided for unknown request ID: ",
    ),
    (
        "an answer of another type",
        lambda lib: run(lib, {"message": "x"}, {"responses": {"q": [1]}}),
        ValueError,
        "Response type mismatch for request ID q: ",
    ),
    ("two runs at once", run_twice, "WorkflowException", "Workflow is already running"),
    (
        "no end",
        never_ends,
        "WorkflowConvergenceException",
        "Runner did not converge after 3 iterations",
    ),
    (
        "another graph",
        another_graph,
        "WorkflowCheckpointException",
        "Workflow graph has changed since the checkpoint was created. ",
    ),
    (
        "no checkpoint",
        no_checkpoint,
        "WorkflowCheckpointException",
        "No checkpoint found with ID nobody",
    ),
]


def outcome(lib: Any, make: Callable[[Any], Any]) -> tuple[list[str], str]:
    """What a package says to a mistake: the class of its error with all its bases, and
    the text.
    """
    try:
        make(lib)
    except Exception as error:  # noqa: BLE001 - what comes is what is asked for
        return [one.__name__ for one in type(error).__mro__], str(error)
    return ["nothing"], ""


if __name__ == "__main__":
    package = importlib.import_module(
        sys.argv[1] if len(sys.argv) > 1 else "agent_framework"
    )
    for name, make, kind, text in ROWS:
        wanted = kind if isinstance(kind, str) else kind.__name__
        found, says = outcome(package, make)
        mark = " " if wanted in found and says.startswith(text) else "*"
        sys.stdout.write(f"{mark} {name}: {found[0]}: {says[:200]}\n")
