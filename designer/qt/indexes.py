"""Qt's indexes, as models and delegates take them: lasting or not, and the one above all rows."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
