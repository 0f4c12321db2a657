"""A run on the timeline panel, and what the mouse does there."""

from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QMouseEvent
from PySide6.QtWidgets import QApplication

from runtime.debug.protocol import HeadersBody, ResumedBody, StoppedBody
from tests.designer.fakes import header, straight


def tell(session, link, headers, *, running=False):
    """The host tells of a run that has these checkpoints."""
    session._mirror.look_live()
    link.start()
    link.notice("resumed", ResumedBody(run_id="r1"))
    link.notice("checkpoints", HeadersBody(headers=tuple(headers)))
    if not running:
        at = headers[-1]
        link.notice(
            "stopped",
            StoppedBody(
                reason="step", status="IDLE", superstep=at.superstep, run_id="r1"
            ),
        )
    session.timeline.flush()


def forked():
    return [
        *straight(5, queued=1),
        header(6, parent="c3", superstep=2, cause="fork", branch="what if", queued=1),
        header(7, parent="c6", superstep=3, branch="what if", status="IDLE"),
    ]


def click(qtbot, panel, checkpoint_id, button=Qt.MouseButton.LeftButton):
    qtbot.mouseClick(
        panel.strip.viewport(), button, pos=panel.strip.point_of(checkpoint_id)
    )


def move(panel, at, held=Qt.MouseButton.LeftButton):
    view = panel.strip.viewport()
    where = QPointF(at)
    event = QMouseEvent(
        QMouseEvent.Type.MouseMove,
        where,
        view.mapToGlobal(where),
        Qt.MouseButton.NoButton,
        held,
        Qt.KeyboardModifier.NoModifier,
    )
    QApplication.sendEvent(view, event)
