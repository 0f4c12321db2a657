"""`stepwell demo --screenshot`: every main state is photographed in both themes, and is
what its name says.
"""

import os
from itertools import product

import pytest
from PySide6.QtGui import QImage

from designer.look.theme import load_theme
from designer.screenshots import SIZE, take_all

pytestmark = pytest.mark.slow

STATUS = {
    "half-full-join": "pastFill",
    "question": "liveFill",
    "stopped": "liveFill",
    "two-branches": "liveFill",
    "editing": "window",
    "start": "window",
}


@pytest.mark.timeout(120)
def test_the_pictures_show_the_states_they_are_named_after(
    qtbot, tmp_path, monkeypatch
):
    monkeypatch.setenv("STEPWELL_DATA_DIR", str(tmp_path / "mine"))
    taken = list(take_all(tmp_path / "pictures", pause=50))
    assert {path.stem for path in taken} == {
        f"{state}-{theme}" for state, theme in product(STATUS, ("light", "dark"))
    }
    for path in taken:
        state, _, theme = path.stem.rpartition("-")
        picture = QImage(str(path))
        assert (picture.width(), picture.height()) == SIZE
        status = picture.pixelColor(SIZE[0] // 2, SIZE[1] - 4)
        assert status == getattr(load_theme(theme), STATUS[state]), path.name
    # The user's own data was neither used nor changed.
    assert os.environ["STEPWELL_DATA_DIR"] == str(tmp_path / "mine")
    assert not (tmp_path / "mine").exists()
