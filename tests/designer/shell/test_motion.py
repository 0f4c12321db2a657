"""Little motion: as the system says, unless a person says otherwise; followed when
either changes.
"""

import pytest
from PySide6.QtCore import QEvent, Qt
from PySide6.QtDBus import QDBusVariant
from PySide6.QtWidgets import QApplication

from designer.look.theme import Look
from designer.shell.settings.motion import (
    PORTAL_SETTINGS,
    SystemMotion,
    effects_are_off,
)
from designer.shell.settings.settings import Settings
from tests.designer.shell.support import draw, live

pytestmark = pytest.mark.qt_log_ignore("This plugin does not support", extend=True)


class System:
    still = False

    def __call__(self):
        return self.still


@pytest.mark.parametrize(
    ("platform", "effects", "still"),
    [
        ("windows", False, True),
        ("windows", True, False),
        ("xcb", False, False),
        ("offscreen", False, False),
    ],
)
def test_only_a_platform_that_says_so_wants_little_motion(platform, effects, still):
    assert effects_are_off(lambda: platform, lambda _effect: effects) == still


@pytest.mark.parametrize("says", [False, True])
def test_a_person_overrides_the_system_and_can_follow_it_again(tmp_path, says):
    system = System()
    system.still = says
    settings = Settings(tmp_path / "settings.json", system)
    assert settings.still == says
    settings.set_still(not says)
    assert Settings(tmp_path / "settings.json", system).still != says
    settings.set_still(says)  # as the system: it is followed from now on
    system.still = not says
    assert settings.still != says


def test_a_change_of_the_system_reaches_canvas_and_timeline(hand):
    system = System()
    hand.window.settings.system_is_still = system
    workspace = draw(hand)
    assert not workspace.canvas.clock.reduce_motion
    system.still = True
    QApplication.sendEvent(hand.window, QEvent(QEvent.Type.ThemeChange))
    assert workspace.canvas.clock.reduce_motion
    assert workspace.panels["Timeline"].strip.still
    hand.window.actions_by_id["reduce-motion"].trigger()
    assert not workspace.canvas.clock.reduce_motion
    assert not hand.window.actions_by_id["reduce-motion"].isChecked()


def test_the_running_arc_of_the_timeline_stands_still(hand):
    hand.window.settings.set_still(True)
    workspace = live(hand, moving=True)
    assert workspace.session.running
    assert not hand.show("Timeline").strip._arc.isActive()


def test_colours_and_contrast_of_the_system_are_followed_when_they_change_unless_a_person_chose(
    qtbot,
):
    hints = QApplication.styleHints()
    for tell in (
        lambda: hints.colorSchemeChanged.emit(Qt.ColorScheme.Dark),
        lambda: hints.accessibility().contrastPreferenceChanged.emit(
            Qt.ContrastPreference.HighContrast
        ),
    ):
        follows = Look("system")
        chosen = Look("light")
        with qtbot.waitSignal(follows.changed):
            tell()
        with qtbot.assertNotEmitted(chosen.changed):
            tell()


@pytest.mark.parametrize(
    ("words", "little", "full"),
    [
        (("org.freedesktop.appearance", "reduced-motion"), 1, 0),
        (("org.gnome.desktop.interface", "enable-animations"), False, True),
        (("org.kde.kdeglobals.KDE", "AnimationDurationFactor"), "0", "1.0"),
    ],
)
def test_each_word_of_a_desktop_is_understood_and_a_change_is_told_once(
    qtbot, words, little, full
):
    motion = SystemMotion()
    assert words in PORTAL_SETTINGS
    assert not motion.is_still()
    with qtbot.waitSignal(motion.changed):
        motion.hear(*words, QDBusVariant(little))
    assert motion.is_still()
    with qtbot.assertNotEmitted(motion.changed):
        motion.hear(*words, little)
        motion.hear("org.gnome.desktop.interface", "color-scheme", 1)
    with qtbot.waitSignal(motion.changed):
        motion.hear(*words, full)
    assert not motion.is_still()


def test_without_a_bus_nobody_is_asked(qapp, monkeypatch):
    monkeypatch.delenv("DBUS_SESSION_BUS_ADDRESS", raising=False)
    motion = SystemMotion()
    motion.ask()
    assert not motion.is_still()
