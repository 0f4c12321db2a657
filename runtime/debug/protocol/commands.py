"""The table of commands."""

from __future__ import annotations

from pydantic import BaseModel

from runtime.debug.protocol.board import BoardBody, BoardTimesBody
from runtime.debug.protocol.breakpoints import BreakpointsBody
from runtime.debug.protocol.bundles import BundleBody, BundleOpenBody
from runtime.debug.protocol.comparison import DiffBody, DivergenceBody
from runtime.debug.protocol.effects import RestorePlanBody
from runtime.debug.protocol.graph_changes import ChangePlanBody, GraphChangesBody
from runtime.debug.protocol.moments import Moment
from runtime.debug.protocol.notices import EventsBody
from runtime.debug.protocol.outputs import OutputsBody
from runtime.debug.protocol.past import CountsBody, FindBody, ReverseBody
from runtime.debug.protocol.patches import PatchParseBody, PatchPlanBody
from runtime.debug.protocol.proof import VerifyBody
from runtime.debug.protocol.provenance import ProvenanceBody
from runtime.debug.protocol.recorded_results import RecordedResultBody
from runtime.debug.protocol.run_control import (
    AttachBody,
    CatalogueBody,
    HoldBody,
    OpenBody,
    StartBody,
)
from runtime.debug.protocol.sharing import ReceiveBody, ShareBody
from runtime.debug.protocol.supersteps import EdgeBody, NodeBody, SuperstepBody
from runtime.debug.protocol.timeline import (
    ExportBody,
    RunsBody,
    SizesBody,
    TimelineBody,
)
from runtime.debug.protocol.values import ExpandBody, HeaderBody

# What the reply to each command has as its body; None for nothing.
REPLY_BODIES: dict[str, type[BaseModel] | None] = {
    "open": OpenBody,
    "attach": AttachBody,
    "follow": None,
    "start": StartBody,
    "step": None,
    "run_to": None,
    "continue": None,
    "pause": None,
    "stop": None,
    "restore": HeaderBody,
    "answer": HeaderBody,
    "inspect": Moment,
    "expand": ExpandBody,
    "outputs": OutputsBody,
    "node": NodeBody,
    "edge": EdgeBody,
    "diff": DiffBody,
    "divergence": DivergenceBody,
    "graph_changes": GraphChangesBody,
    "change_plan": ChangePlanBody,
    "patch_plan": PatchPlanBody,
    "restore_plan": RestorePlanBody,
    "patch_parse": PatchParseBody,
    "drop": None,
    "log": EventsBody,
    "counts": CountsBody,
    "find": FindBody,
    "find_stop": None,
    "explore": None,
    "explore_stop": None,
    "verify": VerifyBody,
    "verify_stop": None,
    "superstep": SuperstepBody,
    "reverse": ReverseBody,
    "provenance": ProvenanceBody,
    "recorded_result": RecordedResultBody,
    "board": BoardBody,
    "board_times": BoardTimesBody,
    "export": ExportBody,
    "sizes": SizesBody,
    "share": ShareBody,
    "receive": ReceiveBody,
    "bundle": BundleBody,
    "bundle_open": BundleOpenBody,
    "timeline": TimelineBody,
    "runs": RunsBody,
    "delete_runs": RunsBody,
    "annotate": HeaderBody,
    "cancel": None,
    "breakpoints": BreakpointsBody,
    "hold": HoldBody,
    "catalogue": CatalogueBody,
    "shutdown": None,
}
