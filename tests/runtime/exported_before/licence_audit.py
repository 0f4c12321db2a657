# The workflow licence_audit, exported by Stepwell.
# Reads the packages installed here, joins three checks, asks a person about copyleft, writes a report.

from __future__ import annotations

import asyncio
from pathlib import Path

from runtime import Case, Default, WorkflowBuilder
from runtime.export_parts import Parts

# Makes nodes and conditions as the workflow file does; modules and files are looked up beside this program.
parts = Parts(Path(__file__).parent)

installed_packages = parts.node(
    "installed_packages",
    "python_function",
    {"function": "packages:scan"},
)
classify_licences = parts.node(
    "classify_licences",
    "python_function",
    {"function": "licences:classify"},
)
dependency_graph = parts.node(
    "dependency_graph",
    "python_function",
    {"function": "dependencies:build"},
)
rank_by_reach = parts.node("rank_by_reach", "python_function", {"function": "dependencies:rank"})
age_check = parts.node("age_check", "python_function", {"function": "ages:check"})
route_by_licence = parts.node("route_by_licence", "switch")
ask_a_person = parts.node(
    "ask_a_person",
    "ask",
    {
        "question": (
            "May these packages ship?\n"
            "\n"
            "{message[0].at_issue}"
        ),
        "choices": ["approve", "replace", "block"],
        "reason_required_for": ["replace", "block"],
    },
)
write_report = parts.node("write_report", "python_function", {"function": "report:write"})

builder = WorkflowBuilder(
    name="licence_audit",
    description="Reads the packages installed here, joins three checks, asks a person about copyleft, writes a report.",
    max_iterations=100,
    start_executor=installed_packages,
    executors=[
        installed_packages,
        classify_licences,
        dependency_graph,
        rank_by_reach,
        age_check,
        route_by_licence,
        ask_a_person,
        write_report,
    ],
)
builder.add_fan_out_edges(
    installed_packages,
    [classify_licences, dependency_graph, age_check],
    id="checks",
)
builder.add_edge(dependency_graph, rank_by_reach, id="rank")
builder.add_fan_in_edges(
    [classify_licences, rank_by_reach, age_check],
    route_by_licence,
    id="findings",
)
builder.add_switch_case_edge_group(
    route_by_licence,
    [
        Case(parts.when("message[0].copyleft.size() > 0"), ask_a_person, "copyleft"),
        Case(parts.when("message[0].unknown.size() > 0"), ask_a_person, "unknown"),
        Default(write_report),
    ],
    id="by_licence",
)
builder.add_edge(ask_a_person, write_report, id="decided")
workflow = builder.build()

INPUT = "this machine"


async def main() -> None:
    result = await workflow.run(INPUT)
    for output in result.get_outputs():
        print(output)
    for question in result.get_request_info_events():
        print(f"Waits for an answer to {question.request_id}: {question.data}")


if __name__ == "__main__":
    asyncio.run(main())
