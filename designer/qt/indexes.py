"""Qt's indexes, as models and delegates get them: persistent or not, and the root."""

from __future__ import annotations

from PySide6.QtCore import QModelIndex, QPersistentModelIndex

AnyIndex = QModelIndex | QPersistentModelIndex
ROOT = QModelIndex()
