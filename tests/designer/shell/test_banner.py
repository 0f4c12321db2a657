"""Where the banner has no room for the words of all its buttons."""

from __future__ import annotations

from pytestqt.qtbot import QtBot

from designer.look.theme import Look
from designer.shell.banner import Banner, Verb
from designer.shell.runs.words import Trouble


def nothing() -> None:
    """A verb that does nothing."""


VERBS = (
    Verb("Restore here", "restore", nothing),
    Verb("Details…", "globe", nothing, is_aside=True),
    Verb("Edit and fork", "pencil", nothing),
    Verb("Back to live", "live", nothing, primary=True),
)


def test_what_only_leads_to_more_loses_its_words_first_and_the_main_verb_never(
    qtbot: QtBot,
) -> None:
    banner = Banner(Look("light"))
    qtbot.addWidget(banner)
    banner.say(Trouble("past", "restore", "Viewing the past", "checkpoint #1"), VERBS)
    banner.show()
    lost: list[str] = []
    for width in range(1200, 100, -10):
        banner.resize(width, banner.height())
        for button, verb in zip(banner.buttons, VERBS, strict=True):
            if not button.text() and verb.text not in lost:
                lost.append(verb.text)
                assert button.toolTip() == verb.text
    assert lost == ["Details…", "Restore here", "Edit and fork"]
    banner.resize(1200, banner.height())
    assert [button.text() for button in banner.buttons] == [verb.text for verb in VERBS]
