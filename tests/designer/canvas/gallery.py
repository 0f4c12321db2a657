"""Every edge group and every node state on one canvas, to be laid beside the look's
anatomy.
"""

from __future__ import annotations

from typing import get_args

from designer.model.design import Design
from runtime.debug.protocol import (
    Drop,
    EdgeMoment,
    JoinMoment,
    JoinSource,
    Moment,
    NodeMoment,
    NodeState,
)
from runtime.document.definition import (
    DirectEdge,
    EdgeDefinition,
    FanInEdge,
    FanOutEdge,
    MultiSelectionEdge,
    NodeDefinition,
    Selection,
    SwitchCase,
    SwitchEdge,
    WorkflowDefinition,
)


def gallery() -> tuple[Design, Moment]:
    """All of it, with a moment in which each is in another state."""
    nodes: list[NodeDefinition] = []
    positions: dict[str, tuple[float, float]] = {}

    def put(id: str, x: float, y: float, type: str = "function") -> str:
        nodes.append(NodeDefinition(id=id, type=type, name=id))
        positions[id] = (x, y)
        return id

    states = get_args(NodeState)
    for k, state in enumerate(states):
        put(state, 20 + k % 4 * 210, 20 + k // 4 * 84)
    a = put("a", 900, 20)
    b = put("b", 1240, 20)
    c = put("c", 900, 110)
    d = put("d", 1240, 110)
    s = put("s", 900, 240)
    ways = [put(f"s{k}", 1240, 190 + 84 * k) for k in range(3)]
    m = put("m", 900, 530)
    chosen = [put(f"m{k}", 1240, 446 + 84 * k) for k in range(3)]
    loop = put("loop", 900, 770)
    back = put("back", 1240, 770)
    rows = [
        [put(f"j{r}{k}", 20 + r * 420, 340 + 76 * k) for k in range(3)]
        for r in range(2)
    ]
    ends = [put(f"t{r}", 262 + r * 420, 416) for r in range(2)]
    rows.append([put(f"j2{k}", 20, 620 + 76 * k) for k in range(3)])
    ends.append(put("t2", 300, 696))
    rows.append([put(f"j3{k}", 520, 620 + 76 * k) for k in range(2)])
    ends.append(put("t3", 690, 760))
    p = put("p", 900, 680)
    q = put("q", 1240, 680)
    edges: list[EdgeDefinition] = [
        DirectEdge(id="plain", source=a, target=b),
        DirectEdge(id="when", source=c, target=d, condition="message.score > 0.8"),
        SwitchEdge(
            id="switch",
            source=s,
            cases=(
                SwitchCase(name="high", when="x", target=ways[0]),
                SwitchCase(name="low", when="y", target=ways[1]),
            ),
            default=ways[2],
        ),
        MultiSelectionEdge(
            id="multi",
            source=m,
            selections=tuple(Selection(target=target) for target in chosen),
        ),
        DirectEdge(id="self", source=loop, target=loop),
        DirectEdge(id="there", source=loop, target=back),
        DirectEdge(id="home", source=back, target=loop),
        DirectEdge(id="p1", source=p, target=q, condition="a"),
        DirectEdge(id="p2", source=p, target=q),
        DirectEdge(id="p3", source=p, target=q),
        FanOutEdge(id="fan", source="idle", targets=("queued", "cancelled")),
    ]
    edges += [
        FanInEdge(id=f"join{r}", sources=tuple(row), target=ends[r])
        for r, row in enumerate(rows)
    ]
    workflow = WorkflowDefinition(start="idle", nodes=tuple(nodes), edges=tuple(edges))
    details = {
        "queued": "2 msg",
        "running": "0.8 s",
        "ran": "812 ms",
        "done": "s5 · 1.2 s",
        "next": "s7",
    }
    details |= {
        "waiting": "2 of 3",
        "failed": "KeyError",
        "stalled": "1 of 2",
        "cancelled": "s7",
    }
    faces = {
        state: NodeMoment(
            state=state, detail=details.get(state, ""), questions=int(state == "asking")
        )
        for state in states
    }
    joins = (
        _join("join1", rows[1], ends[1], (1, 0, 2)),
        _join("join2", rows[2], ends[2], (1, 1, 1), fired=6),
        _join("join3", rows[3], ends[3], (1, 0), stalled=True),
    )
    moment = Moment(
        superstep=6,
        decided=True,
        nodes=faces,
        joins=joins,
        edges={
            "plain": EdgeMoment(queued=((a, b, 3),)),
            "multi": EdgeMoment(queued=((m, chosen[0], 1), (m, chosen[2], 1))),
            "switch": EdgeMoment(queued=((s, ways[1], 1),)),
            "there": EdgeMoment(
                dropped=(
                    Drop(source=loop, target=back, reason="type mismatch", lost=1),
                )
            ),
        },
    )
    return Design(workflow, positions), moment


def _join(
    edge: str, sources: list[str], target: str, have: tuple[int, ...], **more: object
) -> JoinMoment:
    return JoinMoment(
        edge=edge,
        target=target,
        policy="all",
        sources=tuple(
            JoinSource(id=key, have=0, released=count, need=1)
            if "fired" in more
            else JoinSource(id=key, have=count, need=1)
            for key, count in zip(sources, have, strict=True)
        ),
        held=0 if "fired" in more else sum(have),
        **more,  # type: ignore[arg-type]
    )
