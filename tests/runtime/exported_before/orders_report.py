# The workflow orders_report, exported by Stepwell.
# Reads orders from a CSV file, looks their prices up in SQLite, adds up, and writes a report.

from __future__ import annotations

import asyncio
from pathlib import Path

from runtime import WorkflowBuilder
from runtime.export_parts import Parts

# Makes nodes and conditions as the workflow file does; modules and files are looked up beside this program.
parts = Parts(Path(__file__).parent)

orders = parts.node("orders", "csv_read", {"path": "{message}", "numbers": True})
prices = parts.node(
    "prices",
    "sql_query",
    {
        "database": "shop.db",
        "statement": (
            "SELECT\n"
            "  p.name AS product,\n"
            "  sum(json_extract(o.value, '$.amount')) AS sold,\n"
            "  sum(json_extract(o.value, '$.amount')) * p.price AS earned\n"
            "FROM json_each(:message) AS o\n"
            "JOIN products AS p ON p.id = json_extract(o.value, '$.product')\n"
            "GROUP BY p.id\n"
            "ORDER BY earned DESC, product\n"
        ),
    },
)
lines = parts.node(
    "lines",
    "json_transform",
    {
        "expression": "message.map(x, '- ' + x.product + ': ' + string(x.sold) + ' sold, ' + string(x.earned) + ' EUR')",
    },
)
text = parts.node("text", "collect", {"into": "text"})
total = parts.node("total", "reduce", {"by": "sum", "items": "message.map(x, x.earned)"})
report = parts.node(
    "report",
    "template",
    {
        "text": (
            "# Orders\n"
            "\n"
            "{message[0]}\n"
            "\n"
            "In all {message[1]} EUR."
        ),
    },
)
out = parts.node("out", "output")

builder = WorkflowBuilder(
    name="orders_report",
    description="Reads orders from a CSV file, looks their prices up in SQLite, adds up, and writes a report.",
    max_iterations=20,
    start_executor=orders,
    executors=[orders, prices, lines, text, total, report, out],
)
builder.add_edge(orders, prices, id="rows")
builder.add_fan_out_edges(prices, [lines, total], id="split")
builder.add_edge(lines, text, id="joined_lines")
builder.add_fan_in_edges([text, total], report, id="parts")
builder.add_edge(report, out, id="done")
workflow = builder.build()

INPUT = "orders.csv"


async def main() -> None:
    result = await workflow.run(INPUT)
    for output in result.get_outputs():
        print(output)
    for question in result.get_request_info_events():
        print(f"Waits for an answer to {question.request_id}: {question.data}")


if __name__ == "__main__":
    asyncio.run(main())
