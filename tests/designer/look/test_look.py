"""The look: every token is there in both themes, text is readable, every icon is drawn."""

from dataclasses import fields
from importlib.resources import files

import pytest
from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QColor, QIcon, QPalette
from PySide6.QtWidgets import QCheckBox, QLineEdit, QPlainTextEdit, QTextEdit, QWidget

from designer.look.contrast import contrast
from designer.look.icons import icon_pixmap, themed_icon
from designer.look.readability import TONES, unreadable
from designer.look.stylesheet import stylesheet
from designer.look.theme import Look, Theme, load_theme, mix, system_theme

ICONS = sorted(
    entry.name.removesuffix(".svg")
    for entry in files("resources").joinpath("icons").iterdir()
)


THEMES = ["light", "dark", "contrast-light", "contrast-dark"]


@pytest.mark.parametrize("name", THEMES)
def test_text_is_readable_on_every_surface(name):
    # WCAG 2.2, 1.4.3: 4.5 : 1 for text.
    assert unreadable(load_theme(name)) == []


def test_contrast_is_that_of_wcag():
    assert contrast(QColor("white"), QColor("black")) == pytest.approx(21)
    assert contrast(QColor("#777777"), QColor("white")) == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", THEMES)
def test_marks_of_the_canvas_are_told_from_what_they_stand_on(name):
    # WCAG 2.2, 1.4.11: 3 : 1 for what tells something.
    theme = load_theme(name)
    for role in ("edge", "bp", *TONES):
        for surface in ("canvas", "node", "panel"):
            assert contrast(getattr(theme, role), getattr(theme, surface)) >= 3, (
                role,
                surface,
            )


@pytest.mark.parametrize("name", ["contrast-light", "contrast-dark"])
def test_high_contrast_is_that_for_text_lines_and_what_is_chosen(name):
    # WCAG 2.2, 1.4.6: 7 : 1 for text; 1.4.11: 3 : 1 for what tells where a thing is.
    theme = load_theme(name)
    for surface in ("window", "panel", "canvas", "node", "field", "raised"):
        for role in (
            "text",
            "text2",
            "text3",
            "accent",
            "ok",
            "warn",
            "bad",
            "ask",
            "past",
        ):
            assert contrast(getattr(theme, role), getattr(theme, surface)) >= 7, (
                role,
                surface,
            )
        for role in ("line", "line2", "edge", "bp"):
            assert contrast(getattr(theme, role), getattr(theme, surface)) >= 3, (
                role,
                surface,
            )
    for fill in ("accentFill", "pastFill", "liveFill"):
        assert contrast(theme.on, getattr(theme, fill)) >= 7, fill
    for soft in (
        "accentSoft",
        "okSoft",
        "warnSoft",
        "badSoft",
        "askSoft",
        "pastSoft",
        "hover",
    ):
        assert contrast(theme.text, getattr(theme, soft)) >= 7, soft


def test_a_system_of_high_contrast_is_followed():
    high = Qt.ContrastPreference.HighContrast
    plain = Qt.ContrastPreference.NoPreference
    assert system_theme(Qt.ColorScheme.Dark, high) == "contrast-dark"
    assert system_theme(Qt.ColorScheme.Light, high) == "contrast-light"
    assert system_theme(Qt.ColorScheme.Dark, plain) == "dark"
    assert system_theme(Qt.ColorScheme.Unknown, plain) == "light"


@pytest.mark.parametrize("name", THEMES)
def test_every_role_has_a_colour(name):
    assert all(getattr(load_theme(name), field.name) for field in fields(Theme))


@pytest.mark.parametrize("icon", ICONS)
def test_every_icon_is_drawn_in_the_colour_asked_for(qapp, icon):
    image = icon_pixmap(icon, "#ff0000", 32, 1.0).toImage()
    reds = [
        image.pixelColor(x, y)
        for x in range(32)
        for y in range(32)
        if image.pixelColor(x, y).alpha() > 200
    ]
    assert reds
    assert all(colour.red() > 200 and colour.green() < 60 for colour in reds)


def test_an_icon_follows_the_theme(qapp):
    look = Look("light")
    icon = themed_icon("play", look, "text")
    light = icon.pixmap(QSize(32, 32), QIcon.Mode.Normal).toImage()
    look.choose("dark")
    assert (
        themed_icon("play", look, "text")
        .pixmap(QSize(32, 32), QIcon.Mode.Normal)
        .toImage()
        != light
    )


def test_a_change_of_theme_is_told_once(qtbot):
    look = Look("light")
    with qtbot.waitSignal(look.changed):
        look.choose("dark")
    with qtbot.assertNotEmitted(look.changed):
        look.choose("dark")
    assert look.theme.name == "dark"


def test_the_style_sheet_has_no_open_placeholder():
    assert "$" not in stylesheet(load_theme("dark"))


def test_mix_is_a_share_of_both():
    assert mix(QColor(200, 0, 0), QColor(0, 100, 0), 0.5) == QColor(100, 50, 0)


@pytest.mark.parametrize("name", THEMES)
@pytest.mark.parametrize("kind", [QLineEdit, QPlainTextEdit, QTextEdit])
def test_placeholders_have_the_colour_that_was_chosen_to_be_read(qtbot, name, kind):
    # A style sheet that says nothing of them makes them half transparent.
    theme = load_theme(name)
    window = QWidget()
    qtbot.addWidget(window)
    field = kind(window)
    window.setStyleSheet(stylesheet(theme))
    window.show()
    assert field.palette().color(QPalette.ColorRole.PlaceholderText) == theme.text3


@pytest.mark.parametrize("name", THEMES)
def test_a_check_box_outside_of_panels_has_an_edge_too(qtbot, name):
    theme = load_theme(name)
    window = QWidget()
    box = QCheckBox("Code", window)
    qtbot.addWidget(window)
    window.setStyleSheet(stylesheet(theme))
    window.show()
    picture = box.grab().toImage()
    middle = picture.height() // 2
    colours = {picture.pixelColor(x, middle).name() for x in range(16)}
    assert theme.edge.name() in colours
