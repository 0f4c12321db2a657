"""Whether the system wants reduced motion.

Qt has no hint for it. On Windows, Qt's effects follow "Animation effects" of the
system's settings. On other systems they are always off, and say nothing. Desktops of
Linux have a portal for it.
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

# Platforms whose effects follow the user's settings.
MEANINGFUL = frozenset({"windows"})
PORTAL = (
    "org.freedesktop.portal.Desktop",
    "/org/freedesktop/portal/desktop",
    "org.freedesktop.portal.Settings",
)
# The settings that a portal may have, and the values that mean reduced motion: the
# common setting, GNOME's, and KDE's.
PORTAL_SETTINGS: Mapping[tuple[str, str], Callable[[object], bool]] = {
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
    """Return what Qt knows of the system."""
    return platform() in MEANINGFUL and not moves(Qt.UIEffect.UI_General)


class SystemMotion(QObject):
    """The setting of the desktop too, as soon as it has replied. `changed` is emitted
    when the setting changes.
    """

    changed = Signal()

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        # The settings of the portal that mean reduced motion at present.
        self._still: set[tuple[str, str]] = set()

    def is_still(self) -> bool:
        return effects_are_off() or bool(self._still)

    def ask(self) -> None:
        """Ask the portal of the desktop, and follow it from now on. A missing one does
        not reply.
        """
        # Because without an address Qt might start a bus of its own.
        if not os.environ.get("DBUS_SESSION_BUS_ADDRESS"):
            return
        bus = QDBusConnection.sessionBus()
        bus.connect(
            *PORTAL,
            "SettingChanged",
            self,
            SLOT("_on_changed(QString,QString,QDBusVariant)"),
        )  # type: ignore[call-overload] # the stubs want bytes
        for setting in PORTAL_SETTINGS:
            call = QDBusMessage.createMethodCall(*PORTAL, "ReadOne")
            call.setArguments(list(setting))
            watcher = QDBusPendingCallWatcher(bus.asyncCall(call), self)
            watcher.finished.connect(
                lambda done, setting=setting: self._on_reply(setting, done.reply())
            )

    def _on_reply(self, setting: tuple[str, str], reply: QDBusMessage) -> None:
        # An error means that the desktop has no such setting.
        if reply.type() == QDBusMessage.MessageType.ReplyMessage:
            self.hear(*setting, reply.arguments()[0])

    @Slot(str, str, QDBusVariant)
    def _on_changed(self, namespace: str, key: str, value: QDBusVariant) -> None:
        self.hear(namespace, key, value)

    def hear(self, namespace: str, key: str, value: object) -> None:
        """Take the value of a setting of the desktop."""
        setting = (namespace, key)
        means_still = PORTAL_SETTINGS.get(setting)
        if means_still is None:
            return
        was_still = self.is_still()
        plain = value.variant() if isinstance(value, QDBusVariant) else value
        if means_still(plain):
            self._still.add(setting)
        else:
            self._still.discard(setting)
        if self.is_still() != was_still:
            self.changed.emit()
