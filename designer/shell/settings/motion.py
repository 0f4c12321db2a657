"""Whether the system wants little motion.

Qt has no hint of its own for it. On Windows its effects follow "Animation effects" of the system's settings; elsewhere
they are off whatever a person wants, so they say nothing there. Desktops of Linux are asked through their portal.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping

from PySide6.QtCore import SLOT, QObject, Qt, Signal, Slot
from PySide6.QtDBus import (
    QDBusConnection,
    QDBusMessage,
    QDBusPendingCallWatcher,
    QDBusVariant,
)
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication

# platforms whose effects are those that a person has chosen
SAY_SO = frozenset({"windows"})
PORTAL = (
    "org.freedesktop.portal.Desktop",
    "/org/freedesktop/portal/desktop",
    "org.freedesktop.portal.Settings",
)
# What a portal may have, and when it means little motion: the common word, GNOME's, and that of KDE.
WORDS: Mapping[tuple[str, str], Callable[[object], bool]] = {
    ("org.freedesktop.appearance", "reduced-motion"): lambda value: value == 1,
    ("org.gnome.desktop.interface", "enable-animations"): lambda value: value is False,
    ("org.kde.kdeglobals.KDE", "AnimationDurationFactor"): lambda value: (
        str(value) in ("0", "0.0")
    ),
}


def effects_are_off(
    platform: Callable[[], str] = QGuiApplication.platformName,
    moves: Callable[[Qt.UIEffect], bool] = QApplication.isEffectEnabled,
) -> bool:
    """What Qt says of the system."""
    return platform() in SAY_SO and not moves(Qt.UIEffect.UI_General)


class SystemMotion(QObject):
    """What the desktop says too, from when it has answered. `changed` tells when it says something else."""

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # the words that mean little motion now
        self._still: set[tuple[str, str]] = set()

    def is_still(self) -> bool:
        return effects_are_off() or bool(self._still)

    def ask(self) -> None:
        """Ask the portal of the desktop, and listen to it from now on. One that is not there just does not answer."""
        if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
            return  # without an address Qt might start a bus of its own
        bus = QDBusConnection.sessionBus()
        bus.connect(
            *PORTAL,
            "SettingChanged",
            self,
            SLOT("_on_changed(QString,QString,QDBusVariant)"),
        )  # type: ignore[call-overload] # the stubs want bytes
        for words in WORDS:
            call = QDBusMessage.createMethodCall(*PORTAL, "ReadOne")
            call.setArguments(list(words))
            watcher = QDBusPendingCallWatcher(bus.asyncCall(call), self)
            watcher.finished.connect(
                lambda done, words=words: self._on_answer(words, done.reply())
            )

    def _on_answer(self, words: tuple[str, str], reply: QDBusMessage) -> None:
        # an error is a desktop without such a word
        if reply.type() == QDBusMessage.MessageType.ReplyMessage:
            self.hear(*words, reply.arguments()[0])

    @Slot(str, str, QDBusVariant)
    def _on_changed(self, namespace: str, key: str, value: QDBusVariant) -> None:
        self.hear(namespace, key, value)

    def hear(self, namespace: str, key: str, value: object) -> None:
        """A setting of the desktop has this value."""
        means_still = WORDS.get((namespace, key))
        before = self.is_still()
        if means_still is None:
            return
        plain = value.variant() if isinstance(value, QDBusVariant) else value
        (self._still.add if means_still(plain) else self._still.discard)(
            (namespace, key)
        )
        if self.is_still() != before:
            self.changed.emit()
