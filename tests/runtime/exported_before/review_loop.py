# The workflow review_loop, exported by Stepwell.
# A draft goes round until the reviewer accepts it, or six rounds are over.

from __future__ import annotations

import asyncio
from pathlib import Path

from runtime import Case, Default, WorkflowBuilder
from runtime.export_parts import Parts

# Makes nodes and conditions as the workflow file does; modules and files are looked up beside this program.
parts = Parts(Path(__file__).parent)

draft = parts.node("draft", "python_function", {"function": "drafting:begin"})
review = parts.node(
    "review",
    "ask",
    {
        "question": (
            "Is this draft good enough?\n"
            "\n"
            "{message.text}"
        ),
        "choices": ["accept", "revise"],
        "reason_required_for": ["revise"],
    },
)
accepted = parts.node("accepted", "switch")
publish = parts.node("publish", "python_function", {"function": "drafting:publish"})
result = parts.node("result", "output")
revise = parts.node("revise", "python_function", {"function": "drafting:revise"})

builder = WorkflowBuilder(
    name="review_loop",
    description="A draft goes round until the reviewer accepts it, or six rounds are over.",
    max_iterations=26,
    start_executor=draft,
    executors=[draft, review, accepted, publish, result, revise],
)
builder.add_edge(draft, review, id="first")
builder.add_edge(review, accepted, id="answered")
builder.add_switch_case_edge_group(
    accepted,
    [
        Case(parts.when("message.answer.verdict == 'accept'"), publish, "accept"),
        Default(revise),
    ],
    id="verdict",
)
builder.add_edge(publish, result, id="out")
builder.add_edge(revise, review, id="again")
workflow = builder.build()

INPUT = "checkpoints that keep what a join holds"


async def main() -> None:
    result = await workflow.run(INPUT)
    for output in result.get_outputs():
        print(output)
    for question in result.get_request_info_events():
        print(f"Waits for an answer to {question.request_id}: {question.data}")


if __name__ == "__main__":
    asyncio.run(main())
