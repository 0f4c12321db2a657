"""The style sheet of the window, with the colours of a theme."""

from __future__ import annotations

from string import Template

from PySide6.QtGui import QColor, QPalette

from designer.look.panel_rules import panel_rules
from designer.look.theme import Theme, mix

_SHEET = """
* { outline: none; }
QMainWindow, QMenuBar, QToolBar, QStatusBar { background: $window; color: $text; }
QWidget { color: $text; selection-background-color: $accentSoft; selection-color: $text; }
QMainWindow::separator { background: $line; width: 1px; height: 1px; }
QMenuBar { border: none; padding: 2px 8px; spacing: 2px; }
QMenuBar::item { padding: 4px 8px; background: transparent; color: $text2; border-radius: 4px; }
QMenuBar::item:selected { background: $hover; color: $text; }
QMenu { background: $raised; border: 1px solid $line2; border-radius: 8px; padding: 4px; }
QMenu::item { padding: 5px 24px 5px 12px; min-height: 18px; border-radius: 4px; }
QMenu::item:selected { background: $accentSoft; }
QMenu::item:disabled { color: $text3; }
QMenu::icon { padding-left: 8px; }
QMenu::separator { height: 1px; background: $line2; margin: 4px 8px; }
QToolTip { background: $raised; color: $text; border: 1px solid $line2; padding: 4px 6px; }
QToolBar { border: none; border-bottom: 1px solid $line; padding: 8px; spacing: 2px; }
QToolBar::separator { background: $line; width: 1px; margin: 2px 6px; }
QToolButton { background: transparent; border: 1px solid transparent; border-radius: 6px;
  padding: 4px 5px; min-height: 18px; }
QToolButton[words="true"] { padding: 4px 4px; }
QToolButton[narrow="true"] { padding: 0; }
QToolButton:hover { background: $hover; }
QToolButton:pressed, QToolButton:checked { background: $accentSoft; }
QToolButton:disabled { color: $text3; }
QToolButton:focus { border: 1px solid $accent; }
QToolButton[primary="true"] { background: $accentFill; color: $on; }
QToolButton::menu-arrow, QToolButton::menu-indicator { image: none; }
QPushButton { background: $raised; border: 1px solid $line2; border-radius: 6px; padding: 3px 12px; min-height: 20px; }
QPushButton:hover { background: $hover; }
QPushButton:pressed { background: $accentSoft; }
QPushButton:focus { border-color: $accent; }
QPushButton:disabled { color: $text3; border-color: $line; background: $panel; }
QPushButton[primary="true"] { background: $accentFill; border-color: $accentFill; color: $on; }
QPushButton[primary="true"]:focus { border-color: $text; }
QPushButton[primary="true"]:disabled { background: $primaryOff; border-color: $primaryOff; color: $on; }
QPushButton::menu-indicator { image: none; width: 0; }
QCheckBox::indicator, QRadioButton::indicator { width: 14px; height: 14px; border: 1px solid $edge;
  background: $field; }
QCheckBox::indicator { border-radius: 4px; }
QCheckBox::indicator:checked { background: $accentFill; border-color: $accentFill; }
QCheckBox::indicator:checked:disabled { background: $primaryOff; border-color: $primaryOff; }
QRadioButton::indicator { border-radius: 8px; }
QCheckBox::indicator:focus, QRadioButton::indicator:focus, QCheckBox:focus::indicator, QRadioButton:focus::indicator {
  border-color: $accent; }
QRadioButton::indicator:checked { width: 6px; height: 6px; border: 5px solid $accentFill; background: $on; }
QRadioButton::indicator:checked:disabled { border-color: $primaryOff; }
QPushButton[flat="true"] { background: transparent; border-color: transparent; color: $text2; }
QLineEdit, QPlainTextEdit, QTextEdit, QSpinBox, QDoubleSpinBox, QComboBox {
  background: $field; border: 1px solid $line2; border-radius: 6px; padding: 3px 8px; min-height: 20px; }
QLineEdit, QPlainTextEdit, QTextEdit, QComboBox { placeholder-text-color: $text3; }
QLineEdit:focus, QPlainTextEdit:focus, QTextEdit:focus, QSpinBox:focus, QDoubleSpinBox:focus, QComboBox:focus {
  border: 1px solid $accent; }
QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] { border: 1px solid $bad; }
QLineEdit:disabled, QPlainTextEdit:disabled, QComboBox:disabled, QSpinBox:disabled {
  color: $text3; background: $panel; }
QComboBox::drop-down { border: none; width: 20px; }
QComboBox QAbstractItemView { background: $raised; border: 1px solid $line2; }
QCheckBox, QRadioButton { spacing: 8px; min-height: 22px; }
QAbstractItemView { background: $panel; border: none; alternate-background-color: $panel; }
QAbstractItemView::item { min-height: 24px; padding: 0 6px; border: none; }
QAbstractItemView::item:hover { background: $hover; }
QAbstractItemView::item:selected { background: $accentSoft; color: $text; }
QHeaderView { background: $window; border: none; }
QHeaderView::section { background: $window; color: $text2; border: none; border-bottom: 1px solid $line;
  padding: 4px 8px; font-weight: 600; font-size: 11px; }
QTabWidget::pane { border: none; border-top: 1px solid $line; background: $panel; }
QTabWidget { background: $panel; }
QTabWidget::tab-bar { left: 0; }
QDialog { background: $panel; }
QScrollBar:vertical { background: transparent; width: 10px; margin: 0; }
QScrollBar:horizontal { background: transparent; height: 10px; margin: 0; }
QScrollBar::handle { background: $line2; border-radius: 3px; margin: 2px; min-height: 24px; min-width: 24px; }
QScrollBar::handle:hover { background: $text3; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QSplitter::handle { background: $line; }
QStatusBar { min-height: 24px; max-height: 24px; border-top: 1px solid $line; }
QStatusBar::item { border: none; }
QScrollArea { border: none; background: $panel; }
QFrame[role="popup"] { background: $raised; border: 1px solid $line2; border-radius: 8px; }
QFrame[role="popup"] QListWidget { background: $raised; }
QPushButton[role="find"] { background: $field; padding: 0; min-height: 26px; }
QPushButton[role="find"]:hover { border-color: $text3; }
QFrame[role="example"] { background: $node; border: 1px solid $line; border-radius: 8px; }
QFrame[role="example"]:hover { border-color: $line2; }
QFrame[role="example"][first="true"] { border-color: $accent; }
QTableWidget[role="recent"] { background: $node; border: 1px solid $line; border-radius: 8px; }
QTableWidget[role="recent"] QHeaderView, QTableWidget[role="recent"] QHeaderView::section { background: $window;
  border-top-left-radius: 7px; border-top-right-radius: 7px; }
QTableWidget[role="recent"] QHeaderView::section { padding: 4px 11px; }
QTableWidget[role="recent"]::item { border-top: 1px solid $line; padding: 0 8px; }
QFrame[role="hairline"] { background: $line; border: none; }
QWidget[role="panel"] { background: $panel; }
QWidget[role="strip"] { background: $panel; border-bottom: 1px solid $line; }
QWidget[role="window"] { background: $window; }
QLabel[role="section"] { font-weight: 600; font-size: 15px; }
QLabel[role="head"] { font-weight: 600; font-size: 11px; color: $text2; }
QLabel[role="secondary"] { color: $text2; font-size: 12px; }
QLabel[role="caption"] { color: $text3; font-size: 11px; }
QLabel[role="placeholder"] { color: $text3; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="cap"] { font-family: "JetBrains Mono"; font-size: 11px; color: $text2; background: $raised;
  border: 1px solid $line2; border-radius: 4px; padding: 0 4px; min-height: 16px; max-height: 16px; }
QLabel[role="error"] { color: $bad; font-size: 12px; }
QLabel[role="title"] { font-weight: 600; font-size: 22px; }
QLabel[role="data"] { font-family: "JetBrains Mono"; font-size: 12px; }
"""


def stylesheet(theme: Theme) -> str:
    """Return the one style sheet of the application. A second one, of a widget, would
    cost as much again.
    """
    colours = {
        name: value.name()
        for name, value in vars(theme).items()
        if isinstance(value, QColor)
    }
    off = mix(theme.accentFill, theme.panel, 0.45)
    sheet = Template(_SHEET + panel_rules())
    return sheet.substitute(
        colours, primaryOff=off.name(), onOff=mix(theme.on, off, 0.6).name()
    )


def palette(theme: Theme) -> QPalette:
    """Return the palette for parts without a style sheet: placeholder texts, links,
    tool tips, item views.
    """
    colours = QPalette()
    roles = {
        QPalette.ColorRole.Window: theme.panel,
        QPalette.ColorRole.WindowText: theme.text,
        QPalette.ColorRole.Base: theme.field,
        QPalette.ColorRole.AlternateBase: theme.panel,
        QPalette.ColorRole.Text: theme.text,
        QPalette.ColorRole.PlaceholderText: theme.text3,
        QPalette.ColorRole.Button: theme.raised,
        QPalette.ColorRole.ButtonText: theme.text,
        QPalette.ColorRole.Highlight: theme.accentSoft,
        QPalette.ColorRole.HighlightedText: theme.text,
        QPalette.ColorRole.ToolTipBase: theme.raised,
        QPalette.ColorRole.ToolTipText: theme.text,
        QPalette.ColorRole.Link: theme.accent,
    }
    for role, colour in roles.items():
        colours.setColor(role, colour)
    return colours
