"""Pictures of workflows: both languages take any id, everything that decides is told,
and drawings need no program.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from runtime import WorkflowViz
from runtime.document.files import read_file
from runtime.edges import Case, Default
from runtime.errors import ExtraMissingError
from runtime.executors.executor import Executor, WorkflowContext, handler
from runtime.export.picture_graph import proper
from runtime.workflow.builder import WorkflowBuilder
from runtime.workflow.sub_workflow import WorkflowExecutor
from runtime.workflow.workflow import Workflow
from tests.documents import build
from tests.runtime.viz.grammars import read_dot, read_mermaid

ROOT = Path(__file__).parents[3]
HOSTILE = [
    "2. wenn < 50",
    "入力",
    'a"b',
    "end",
    "graph",
    "two\nlines",
    "a\\",
    "a\\nb",
    "#quot;",
    "&amp;",
    "x;y",
    "`x`",
]
HOSTILE += [
    "subgraph",
    "End",
    "a b",
    "a_b",
    "n_a_b",
    "default",
    "click",
    "o",
    "x",
    "]",
    "))",
    "-->",
    "|",
    "%% no",
    "%%{x}",
]
HOSTILE += [
    "a\x00b",
    "\ud800",
    "<br/>",
    "<script>",
    "node",
    "a/b",
    "a",
    "b",
    "\x85\u2028\ufffe",
    "fan_in::a::00",
    "  ",
    "😀",
    "'",
]


class Any_(Executor):  # noqa: N801 - a short name for a test's executor
    @handler
    async def take(self, message: Any, ctx: WorkflowContext[Any, Any]) -> None: ...


def is_large(message: Any) -> bool:
    return True


def looks_right(message: Any) -> bool:
    return True


def pick(message: Any, targets: list[str]) -> list[str]:
    return targets


def line_of(ids: list[str]) -> Workflow:
    executors = [Any_(id) for id in ids]
    builder = WorkflowBuilder(start_executor=executors[0])
    for source, target in pairwise(executors):
        builder.add_edge(source, target, condition=is_large)
    return builder.build()


def of_all_kinds() -> Workflow:
    """Each kind of edge, loops, and workflows inside workflows."""
    inner_a = Any_("first")
    inner_b = Any_("second")
    innermost = (
        WorkflowBuilder(start_executor=inner_a)
        .add_edge(inner_a, inner_b)
        .add_edge(inner_b, inner_a)
        .build()
    )
    child_a = Any_("first")
    child_b = WorkflowExecutor(innermost, "innermost")
    child_c = Any_("second")
    child = (
        WorkflowBuilder(start_executor=child_a)
        .add_edge(child_a, child_b)
        .add_edge(child_b, child_c)
        .build()
    )
    start, b, c, d, join, end = map(Any_, ("start", "b", "c", "d", "join", "end"))
    team = WorkflowExecutor(child, "team")
    return (
        WorkflowBuilder(start_executor=start)
        .add_fan_out_edges(start, [b, c, d])
        .add_fan_in_edges([b, c, d], join, policy="count", count=2)
        .add_switch_case_edge_group(
            join, [Case(is_large, team), Case(lambda x: True, start), Default(end)]
        )
        .add_multi_selection_edge_group(team, [end, start], pick)
        .add_edge(end, end, condition=looks_right)
        .add_error_edge(end, d)
        .add_error_edge(end, team, condition=looks_right)
        .build()
    )


def named(text: str, read: Callable[[str], Any]) -> set[tuple[str, str, str]]:
    """The lines of a picture, by what is shown."""
    graph = read(text)
    return {
        (graph.nodes[source], label, graph.nodes[target])
        for source, label, target in graph.lines
    }


# --- texts --------------------------------------------------------------------------------------------------------


def test_case_150_both_languages_take_any_id_and_show_it_as_it_is() -> None:
    viz = WorkflowViz(line_of(HOSTILE))
    shown = [proper(id) for id in HOSTILE]
    for text, read, mark in (
        (viz.to_mermaid(), read_mermaid, " (Start)"),
        (viz.to_digraph(), read_dot, "\n(Start)"),
    ):
        graph = read(text)
        assert list(graph.nodes.values()) == [shown[0] + mark, *shown[1:]]
        assert len(graph.lines) == len(HOSTILE) - 1
        text.encode("utf-8")


@given(
    st.lists(
        st.text(st.characters(), min_size=1, max_size=6) | st.sampled_from(HOSTILE),
        min_size=1,
        unique=True,
    )
)
def test_case_150_any_ids_stay_apart(ids: list[str]) -> None:
    viz = WorkflowViz(line_of(ids))
    for text, read in ((viz.to_mermaid(), read_mermaid), (viz.to_digraph(), read_dot)):
        graph = read(text)
        assert len(graph.nodes) == len(ids)
        assert [
            label.replace(" (Start)", "").replace("\n(Start)", "")
            for label in graph.nodes.values()
        ] == [proper(id).replace(" (Start)", "").replace("\n(Start)", "") for id in ids]


@pytest.mark.parametrize("read", [read_mermaid, read_dot])
def test_what_decides_where_a_message_goes_is_told(read: Any) -> None:
    viz = WorkflowViz(of_all_kinds())
    lines = named(viz.to_mermaid() if read is read_mermaid else viz.to_digraph(), read)
    start = "start (Start)" if read is read_mermaid else "start\n(Start)"
    assert lines >= {
        *((start, "", one) for one in "bcd"),
        *((one, "", "fan-in (2 of 3)") for one in "bcd"),
        ("fan-in (2 of 3)", "", "join"),
        ("join", "", "switch"),
        ("switch", "1. is_large", "team"),
        ("switch", "2. conditional", start),
        ("switch", "default", "end"),
        ("team", "", "any of: pick"),
        ("any of: pick", "", "end"),
        ("any of: pick", "", start),
        ("end", "looks_right", "end"),
        ("end", "on error", "d"),
        ("end", "on error: looks_right", "team"),
    }


def test_sub_workflows_are_frames_inside_each_other() -> None:
    viz = WorkflowViz(of_all_kinds())
    for graph in (read_mermaid(viz.to_mermaid()), read_dot(viz.to_digraph())):
        frames = [
            [graph.nodes[name].partition(" (")[0].partition("\n")[0] for name in names]
            for names in graph.frames.values()
        ]
        assert frames[1:] == [["first", "innermost", "second"], ["first", "second"]]


def test_conditions_of_a_document_stand_on_the_edges_as_they_were_written() -> None:
    folder = ROOT / "resources" / "examples" / "licence_audit"
    viz = WorkflowViz(
        build(read_file(folder / "licence_audit.stepwell.json").workflow, folder=folder)
    )
    lines = named(viz.to_mermaid(), read_mermaid)
    assert ("switch", "1. copyleft", "ask_a_person") in lines
    assert ("rank_by_reach", "", "fan-in (all)") in lines


def test_internal_sources_are_shown_on_demand() -> None:
    viz = WorkflowViz(line_of(["a", "b"]))
    assert set(read_dot(viz.to_digraph(True)).nodes) == {
        '"a"',
        '"b"',
        '"internal:a"',
        '"internal:b"',
    }
    assert ("internal:b", "", "b") in named(
        viz.to_mermaid(include_internal_executors=True), read_mermaid
    )
    assert (
        len(read_dot(viz.to_digraph()).nodes)
        == len(read_mermaid(viz.to_mermaid()).nodes)
        == 2
    )


def test_an_executor_with_the_name_of_a_join_or_of_a_child_stays_another() -> None:
    start, b, c, target = map(Any_, ("start", "b", "c", "target"))
    workflow = WorkflowBuilder(start_executor=start).add_fan_out_edges(start, [b, c])
    join = next(
        name.strip('"')
        for name in read_dot(
            WorkflowViz(workflow.add_fan_in_edges([b, c], target).build()).to_digraph()
        ).nodes
        if "fan_in" in name
    )
    child = Any_("x")
    team = WorkflowExecutor(WorkflowBuilder(start_executor=child).build(), "team")
    odd = Any_(join)
    other = Any_("team/x")
    chain = (
        workflow.add_edge(target, odd)
        .add_edge(odd, team)
        .add_edge(team, other)
        .add_edge(other, start)
    )
    for graph in (
        read_dot(WorkflowViz(chain.build()).to_digraph()),
        read_mermaid(WorkflowViz(chain.build()).to_mermaid()),
    ):
        assert len(graph.nodes) == 9


# --- drawings -----------------------------------------------------------------------------------------------------

SIGNS = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF", "dot": b"digraph"}


@pytest.mark.parametrize("format", SIGNS)
def test_a_picture_is_written_and_its_path_is_returned(
    format: Any, tmp_path: Path
) -> None:
    pytest.importorskip("matplotlib")
    viz = WorkflowViz(of_all_kinds())
    for name in ("picture", f"picture.{format}"):
        assert viz.export(format, str(tmp_path / name)) == str(
            tmp_path / f"picture.{format}"
        )
    assert (tmp_path / f"picture.{format}").read_bytes().startswith(SIGNS[format])
    temporary = Path(viz.export(format=format))
    assert temporary.read_bytes() == (tmp_path / f"picture.{format}").read_bytes()
    temporary.unlink()
    with pytest.raises(ValueError, match="doesn't match format"):
        viz.export(format, str(tmp_path / "picture.txt"))


def test_the_short_ways_to_save_do_the_same(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    viz = WorkflowViz(of_all_kinds())
    for save, suffix in (
        (viz.save_svg, "svg"),
        (viz.save_png, "png"),
        (viz.save_pdf, "pdf"),
    ):
        path = Path(save(str(tmp_path / f"it.{suffix}")))
        assert path.read_bytes().startswith(SIGNS[suffix])
    with pytest.raises(ValueError, match="Unsupported format: gif"):
        viz.export("gif")  # type: ignore[arg-type]


def test_hostile_ids_can_be_drawn_and_stand_in_the_svg_as_text(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    viz = WorkflowViz(line_of([*HOSTILE, "$x$", "x" * 500, "\n" * 9 + "z"]))
    text = Path(viz.save_svg(str(tmp_path / "it.svg"))).read_text(encoding="utf-8")
    for shown in ("入力", "2. wenn &lt; 50", "😀", "$x$", "is_large"):
        assert f">{shown}<" in text
    viz.save_png(str(tmp_path / "it.png"))
    viz.save_pdf(str(tmp_path / "it.pdf"))


def _digests(place: Path) -> str:
    digests = []
    for format in ("svg", "png", "pdf", "dot"):
        file = Path(WorkflowViz(of_all_kinds()).export(format, str(place)))
        digests.append(f"{format} {hashlib.sha256(file.read_bytes()).hexdigest()}")
    return "\n".join(digests)


AGAIN = """
import sys
from pathlib import Path
from tests.runtime.viz.test_viz import _digests
print(_digests(Path(sys.argv[1])))
assert not any(name.startswith(("PySide", "PyQt", "shiboken")) for name in sys.modules)
"""


@pytest.mark.slow
def test_the_same_workflow_gives_the_same_bytes_in_any_process(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", AGAIN, tmp_path / "it"],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert run.stdout.splitlines() == _digests(tmp_path / "it").splitlines()


WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == "matplotlib":
            raise ModuleNotFoundError(name)
sys.meta_path.insert(0, Missing())
from runtime import WorkflowViz
from runtime.errors import ExtraMissingError
from tests.runtime.viz.test_viz import line_of
viz = WorkflowViz(line_of(["a", "b"]))
assert viz.to_mermaid() and viz.to_digraph()
assert "networkx" not in sys.modules and "matplotlib" not in sys.modules
try:
    viz.save_svg(sys.argv[1] + "/it.svg")
except ImportError as error:
    assert isinstance(error, ExtraMissingError) and error.extra == "viz"
    print(error)
"""


@pytest.mark.slow
def test_without_matplotlib_texts_are_made_and_a_drawing_says_what_to_install(
    tmp_path: Path,
) -> None:
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    run = subprocess.run(
        [sys.executable, "-c", WITHOUT, tmp_path],
        capture_output=True,
        text=True,
        check=True,
        env=environment,
    )
    assert "pip install 'stepwell[viz]'" in run.stdout
    assert list(tmp_path.iterdir()) == []
    assert issubclass(ExtraMissingError, ImportError)


def test_the_colours_are_those_of_the_light_theme() -> None:
    from runtime.export.picture_renderer import _COLOURS

    themes = next((ROOT / "resources" / "themes").glob("*light*"), None) or next(
        (ROOT / "resources" / "themes").iterdir()
    )
    theme = json.loads(themes.read_text(encoding="utf-8"))
    colours = theme.get("light", theme.get("colors", theme))
    assert {name: colours[name] for name in _COLOURS} == _COLOURS
