"""The dialog that makes and edits a pinned result."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QWidget

from designer.look.theme import Look
from designer.panels.forms.pin_form import PinForm
from designer.panels.widgets.basic import CheckBox, allow, button, label, scrolling
from designer.panels.widgets.dialog import Dialog
from designer.qt.layouts import column, put, row, stack
from runtime.debug.protocol import PinnedResult

SIZE = (560, 520)
SAYS = (
    "Each call of it gives this result when a run goes on from the past, and nothing "
    "happens outside. A new run uses it only if you tick that below."
)

IN_NEW_RUNS = "New runs of this tab use the pinned results too"


class PinDialog(Dialog):
    """`pinned` carries the `PinnedResult` that the user keeps, `unpinned` that there is
    none any more. `in_new_runs_chosen` carries whether new runs use the pins of the
    document, too.

    title  what the executor is called
    note   what the result leaves out
    """

    pinned = Signal(object)
    unpinned = Signal()
    in_new_runs_chosen = Signal(bool)

    def __init__(
        self,
        title: str,
        result: PinnedResult,
        note: str,
        look: Look,
        parent: QWidget,
        *,
        is_pinned: bool,
        in_new_runs: bool,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle(f"Pinned result of {title}")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self.setProperty("role", "panel")
        self.form = PinForm(look, result)
        self.says = label("", "secondary", wrap=True)
        self.keep = button("Keep" if is_pinned else "Pin", self._keep, primary=True)
        self.unpin = button("Unpin", self._unpin)
        self.unpin.setVisible(is_pinned)
        self.in_new_runs = CheckBox(look, IN_NEW_RUNS)
        self.in_new_runs.setChecked(in_new_runs)
        layout = column(self, margins=(16, 16, 16, 16), gap=12)
        page = QWidget()
        # The wrapping text is on the page, because only a page whose height depends on
        # its width gives its fields the height that they want.
        self.note = label(note, "body", wrap=True, tone="warn")
        self.note.setVisible(bool(note))
        says = label(SAYS, "secondary", wrap=True)
        put(page, stack(says, self.note, self.form, gap=12))
        layout.addWidget(scrolling(page), 1)
        layout.addWidget(self.in_new_runs)
        cancel = button("Cancel", self.reject)
        for other in (cancel, self.unpin):
            other.setAutoDefault(False)
        put(layout, row((self.says, 1), self.unpin, cancel, self.keep))
        self.resize(*SIZE)
        self.form.edited.connect(self._judge)
        self._judge()

    def _judge(self) -> None:
        problem = self.form.problem()
        allow(self.keep, problem)
        self.says.setText(problem)

    def _keep(self) -> None:
        if self.form.problem():
            return
        result = self.form.value()
        self.accept()
        self.in_new_runs_chosen.emit(self.in_new_runs.isChecked())
        self.pinned.emit(result)

    def _unpin(self) -> None:
        self.accept()
        self.unpinned.emit()
