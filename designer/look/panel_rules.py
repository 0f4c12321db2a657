"""The style rules for the inside of panels, and of dialogs that have fields like them.
They are part of the one style sheet of the application.

A style sheet on each panel would need no such selectors, but Qt would read it once for
each panel, and polish all widgets inside twice.
"""

from __future__ import annotations

import re
from functools import cache

# The class, and an attribute that gives these rules precedence over those of the
# window.
_INSIDE = ('Panel[role="panel"] ', 'Dialog[role="panel"] ')
_RULES = """
QLabel[role="section"] { font-weight: 600; font-size: 13px; }
QLabel[role="strong"] { font-weight: 600; }
QLabel[role="data2"] { font-family: "JetBrains Mono"; font-size: 12px; color: $text2; }
QLabel[role="chip"] { font-family: "JetBrains Mono"; font-size: 12px; color: $accent; }
QLabel[tone="warn"] { color: $warn; }
QLabel[tone="bad"] { color: $bad; }
QLabel[tone="ok"] { color: $ok; }
QLabel[tone="ask"] { color: $ask; }
QFrame[role="staged"] { background: transparent; border: 1px solid transparent; border-radius: 4px; }
QFrame[role="staged"]:hover { background: $hover; }
QFrame[role="staged"]:focus { border-color: $accent; }
QFrame[role="staged"][wrong="true"] { background: $accentSoft; }
QFrame[role="card"] { background: $node; border: 1px solid $line2; border-radius: 8px; }
QFrame[role="card"][invalid="true"] { border-color: $bad; }
QFrame[role="card"][dashed="true"] { border-style: dashed; background: transparent; }
QFrame[role="well"] { background: $field; border: 1px solid $line; border-radius: 6px; }
QFrame[role="well"] QTreeView { background: $field; }
QWidget[role="held"] { background: $hover; border-radius: 4px; }
QPushButton { min-height: 20px; }
QPushButton[primary="true"]:disabled { color: $onOff; }
QPushButton[danger="true"] { background: transparent; border-color: transparent; color: $bad; padding: 3px 8px; }
QPushButton[danger="true"]:hover { background: $hover; }
QPushButton[danger="true"]:focus { border-color: $bad; }
QPushButton[small="true"] { padding: 1px 10px; min-height: 20px; }
QPushButton[segment="true"] { padding: 1px 10px; border-radius: 0; color: $text2; }
QPushButton[segment="first"] { padding: 1px 10px; border-top-right-radius: 0; border-bottom-right-radius: 0;
  color: $text2; border-right: none; }
QPushButton[segment="last"] { padding: 1px 10px; border-top-left-radius: 0; border-bottom-left-radius: 0;
  color: $text2; }
QPushButton[segment]:checked { background: $hover; color: $text; font-weight: 500; }
QPushButton[row="true"] { background: transparent; border: 1px solid transparent; border-radius: 4px; text-align: left;
  padding: 2px 4px; }
QPushButton[row="true"]:hover { background: $hover; }
QPushButton[row="true"]:focus { border-color: $accent; }
QPushButton[link="true"] { background: transparent; border: none; color: $accent; padding: 0; min-height: 16px; }
QToolButton[small="true"] { padding: 0; border-radius: 4px; min-width: 22px; max-width: 22px; min-height: 22px;
  max-height: 22px; }
QToolButton[small="true"][chosen="true"] { background: $accentSoft; }
QToolButton[bare="true"] { padding: 0; border-radius: 6px; min-width: 24px; max-width: 24px; min-height: 24px;
  max-height: 24px; }
QFrame[role="popup"] { background: $raised; border: 1px solid $line2; border-radius: 8px; }
QToolButton[rail="true"] { padding: 0; min-width: 28px; max-width: 28px; min-height: 28px; max-height: 28px; }
QLineEdit[bare="true"] { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px 4px; }
QLineEdit[bare="true"]:hover { border-color: $line2; }
QLineEdit[bare="true"]:focus { background: $field; border-color: $accent; }
QLineEdit[bare="true"]:disabled, QLineEdit[bare="true"]:read-only { border-color: transparent; }
QLineEdit:read-only, QPlainTextEdit:read-only { color: $text2; background: $panel; border-color: $line; }
QComboBox[invalid="true"], QLineEdit[invalid="true"], QPlainTextEdit[invalid="true"] { border: 1px solid $bad; }
QComboBox[bare="true"] { background: transparent; border: 1px solid transparent; border-radius: 4px; padding: 1px 4px; }
QComboBox[bare="true"]:hover { border-color: $line2; }
QComboBox[bare="true"]:focus { border-color: $accent; }
QComboBox:disabled { color: $text2; background: $panel; border-color: $line; }
QLineEdit:disabled { border-color: $line; }
QPlainTextEdit[plain="true"] { border: none; border-radius: 0; background: $panel; padding: 4px 0; }
QPlainTextEdit { padding: 4px 6px; }
QCheckBox, QRadioButton { min-height: 24px; background: transparent; }
QCheckBox:disabled, QRadioButton:disabled { color: $text2; }
QScrollArea > QWidget > QWidget { background: $panel; }
QScrollArea[role="popover"], QScrollArea[role="popover"] > QWidget > QWidget { background: transparent; }
"""
_RULE = re.compile(r"([^{}]+)(\{[^{}]*\})")


@cache
def panel_rules() -> str:
    """Return the rules with their placeholders, each with the panel in its selectors,
    because a style sheet cannot nest rules.
    """
    return "".join(
        f"{_inside(selectors)} {block}\n" for selectors, block in _RULE.findall(_RULES)
    )


def _inside(selectors: str) -> str:
    return ", ".join(
        place + selector.strip()
        for place in _INSIDE
        for selector in selectors.split(",")
    )
