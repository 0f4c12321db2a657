"""Which program to attach to: one that listens on this machine, or an address."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QModelIndex, Qt
from PySide6.QtWidgets import QLineEdit, QWidget

from designer.look.fonts import data_font
from designer.look.theme import Look
from designer.panels.fields.error_line import ErrorLine
from designer.panels.widgets.basic import ContentOrNotice, allow, button, label
from designer.panels.widgets.dialog import Dialog
from designer.panels.widgets.tables import RowColumns, Table
from designer.qt.indexes import AnyIndex
from designer.qt.layouts import column, put, row
from designer.shell.runs.words import day
from runtime.errors import AddressError
from runtime.system.listeners import Address, Listing, address_of, listings

SIZE = (640, 440)
TOKEN_WIDTH = 220
_TEXT = (
    "A program that calls runtime.debug.listen() is listed here while it runs. Attaching changes nothing in it; "
    "closing the tab lets it go on by itself."
)
_EMPTY = "Call runtime.debug.listen() in a program of this user, or write the address of one below."
Use = Callable[[Address, str, str], object]


class ListingRows(RowColumns[Listing]):
    """The programs that listen, a row each."""

    heads = ("Workflow", "Program", "Process", "Since", "Address")
    numbers = frozenset({2})

    def data(
        self, index: AnyIndex, role: int = Qt.ItemDataRole.DisplayRole
    ) -> str | Qt.AlignmentFlag | None:
        listing = self.rows[index.row()]
        if role == Qt.ItemDataRole.DisplayRole:
            texts = (
                listing.workflow or "any workflow",
                listing.program,
                str(listing.pid),
                day(listing.since, time.time()),
                str(listing.address),
            )
            return texts[index.column()]
        if role == Qt.ItemDataRole.ToolTipRole:
            return str(listing.address)
        if role == Qt.ItemDataRole.TextAlignmentRole and index.column() in self.numbers:
            return Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        return None


class AttachDialog(Dialog):
    """Calls `use` with an address, its token, and a name for the tab; Esc changes
    nothing. A chosen program fills the address.
    """

    def __init__(
        self,
        look: Look,
        parent: QWidget,
        use: Use,
        find: Callable[[], list[Listing]] = listings,
    ) -> None:
        super().__init__(parent)
        self.setWindowTitle("Attach to a program")
        self.setAttribute(Qt.WidgetAttribute.WA_DeleteOnClose)
        self._use = use
        self._find = find
        self.rows = ListingRows(self)
        self.table = Table(self.rows, "Programs that listen", (130, 130, 70, 110, 0))
        self.content = ContentOrNotice(self.table, look)
        self.address = QLineEdit()
        self.address.setFont(data_font())
        self.address.setAccessibleName("Address")
        self.address.setPlaceholderText("127.0.0.1:5678, or the path of a socket")
        self.token = QLineEdit()
        self.token.setFont(data_font())
        self.token.setAccessibleName("Token")
        self.token.setPlaceholderText("token, for a port")
        self.token.setFixedWidth(TOKEN_WIDTH)
        self.token.setEchoMode(QLineEdit.EchoMode.PasswordEchoOnEdit)
        self.error = ErrorLine(look)
        self.attach_button = button("Attach", self.accept, primary=True)
        self.attach_button.setDefault(True)
        self.refresh_button = button("Refresh", self.refresh)
        self._build()
        self.address.textChanged.connect(self._check)
        self.table.selectionModel().currentRowChanged.connect(self._choose)
        self.table.doubleClicked.connect(self._on_double_click)
        self.refresh()
        self._check()

    def _build(self) -> None:
        cancel = button("Cancel", self.reject)
        for other in (cancel, self.refresh_button):
            other.setAutoDefault(False)
        layout = column(self, margins=(24, 20, 20, 16), gap=12)
        layout.addWidget(label(self.windowTitle(), "section"))
        layout.addWidget(label(_TEXT, "secondary", wrap=True))
        layout.addWidget(self.content, 1)
        put(layout, row((self.address, 1), self.token))
        layout.addWidget(self.error)
        put(layout, row(self.refresh_button, None, cancel, self.attach_button))
        self.resize(*SIZE)

    def refresh(self) -> None:
        """List the programs that listen now."""
        found = self._find()
        self.rows.show(found)
        if not found:
            self.content.say("live", "No program listens", _EMPTY)
            return
        self.content.show_content()
        if not self.address.text():
            self.table.setCurrentIndex(self.rows.index(0, 0))

    @property
    def chosen(self) -> Listing | None:
        """The listed program at the address."""
        text = self.address.text().strip()
        for listing in self.rows.rows:
            if str(listing.address) == text:
                return listing
        return None

    def accept(self) -> None:
        try:
            address = address_of(self.address.text())
        except AddressError as error:
            self.error.say(str(error))
            return
        listing = self.chosen
        token = self.token.text()
        name = str(address)
        if listing is not None:
            token = token or listing.token
            name = listing.workflow or listing.program
        self._use(address, token, name)
        super().accept()

    def _choose(self, current: QModelIndex, _before: QModelIndex) -> None:
        if current.isValid():
            self.address.setText(str(self.rows.rows[current.row()].address))

    def _on_double_click(self, _index: QModelIndex) -> None:
        self.accept()

    def _check(self) -> None:
        text = self.address.text().strip()
        why = ""
        if not text:
            why = "Choose a program, or write its address."
        else:
            try:
                address_of(text)
            except AddressError as error:
                why = str(error)
        self.error.say(why if text else "")
        allow(self.attach_button, why)
