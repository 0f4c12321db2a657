"""Rows of tables as far as the drawing and the files beside it tell."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from designer.model.completion.message_examples import UNKNOWN, arriving
from designer.model.design import Design
from runtime.document.definition import WorkflowDefinition
from runtime.nodes import catalogue

INFOS = {info.type: info for info in catalogue().infos()}


def drawing(*nodes: tuple[str, dict[str, Any]]) -> Design:
    """Nodes in a row, `n0`, `n1`, …, and a log behind them."""
    parts = [
        {"id": f"n{k}", "type": kind, "params": params}
        for k, (kind, params) in enumerate([*nodes, ("log", {})])
    ]
    edges = [
        {"kind": "direct", "id": f"e{k}", "source": f"n{k}", "target": f"n{k + 1}"}
        for k in range(len(nodes))
    ]
    return Design(
        WorkflowDefinition.model_validate(
            {"start": "n0", "nodes": parts, "edges": edges}
        )
    )


@pytest.mark.parametrize(
    ("content", "params", "expected"),
    [
        ("name;age\nann;7\n", {"delimiter": ";"}, [{"name": "ann", "age": "7"}]),
        ("\ufeffname,age\n", {}, [{"name": "", "age": ""}]),
        ("name,age\nann,7\n", {"each_row": True}, {"name": "ann", "age": "7"}),
        ("name,age\nann,7\n", {"columns": ["age"]}, [{"age": "7"}]),
        (
            "ann,7\n",
            {"header": False, "columns": ["who", "years"]},
            [{"who": "ann", "years": "7"}],
        ),
        ("ann,7\n", {"header": False}, [UNKNOWN]),
        ('"broken', {"encoding": "no-such"}, [UNKNOWN]),
    ],
)
def test_the_columns_of_a_csv_file_are_read(
    tmp_path: Path, content: str, params: dict[str, Any], expected: Any
) -> None:
    (tmp_path / "in.csv").write_text(content, encoding="utf-8")
    design = drawing(("csv_read", {"path": "in.csv", **params}))
    assert arriving(design, "n1", INFOS, tmp_path) == expected


def test_a_csv_file_that_changed_is_read_again_and_a_folder_or_no_file_is_none(
    tmp_path: Path,
) -> None:
    design = drawing(("csv_read", {"path": "in.csv"}))
    assert arriving(design, "n1", INFOS, tmp_path) == [UNKNOWN]
    (tmp_path / "in.csv").write_text("a\n1\n")
    assert arriving(design, "n1", INFOS, tmp_path) == [{"a": "1"}]
    (tmp_path / "in.csv").write_text("b,c\n1,2\n")
    assert arriving(design, "n1", INFOS, tmp_path) == [{"b": "1", "c": "2"}]
    (tmp_path / "in.csv").unlink()
    (tmp_path / "in.csv").mkdir()
    assert arriving(design, "n1", INFOS, tmp_path) == [UNKNOWN]


def test_tables_keep_and_change_their_columns_on_the_way(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("city,price\nParis,5\n")
    read = ("csv_read", {"path": "in.csv"})
    assert arriving(
        drawing(read, ("filter_rows", {"condition": "true"})), "n2", INFOS, tmp_path
    ) == [{"city": "Paris", "price": "5"}]
    grouped = arriving(
        drawing(
            read, ("group_rows", {"by": ["city"], "compute": {"total": "sum(price)"}})
        ),
        "n2",
        INFOS,
        tmp_path,
    )
    assert list(grouped[0]) == ["city", "total"]
