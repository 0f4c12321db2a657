"""The panels of the window, one line each; the order is that of the tabs."""

from __future__ import annotations

from designer.panels.base import Panel
from designer.panels.board.panel import BoardPanel
from designer.panels.breakpoints.panel import BreakpointsPanel
from designer.panels.compare.panel import ComparePanel
from designer.panels.console import ConsolePanel
from designer.panels.explore.panel import OrdersPanel
from designer.panels.joins import JoinsPanel
from designer.panels.log.panel import LogPanel
from designer.panels.messages import MessagesPanel
from designer.panels.outputs import OutputsPanel
from designer.panels.palette import PalettePanel
from designer.panels.problems import ProblemsPanel
from designer.panels.properties.panel import PropertiesPanel
from designer.panels.requests import RequestsPanel
from designer.panels.selected import SelectedPanel
from designer.panels.state import StatePanel
from designer.panels.surgery.panel import SurgeryPanel
from designer.panels.timeline.panel import TimelinePanel
from designer.panels.verify.panel import ProofPanel

PANELS: tuple[type[Panel], ...] = (
    PalettePanel,
    PropertiesPanel,
    SelectedPanel,
    StatePanel,
    MessagesPanel,
    JoinsPanel,
    RequestsPanel,
    ComparePanel,
    ProofPanel,
    OrdersPanel,
    SurgeryPanel,
    TimelinePanel,
    BoardPanel,
    BreakpointsPanel,
    OutputsPanel,
    ProblemsPanel,
    ConsolePanel,
    LogPanel,
)
