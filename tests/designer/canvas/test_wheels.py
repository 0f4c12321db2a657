"""Wheels of all kinds over the canvas: by notches or fine, of pixels only, tipped to
the side.
"""

import pytest

from designer.qt import wheel
from tests.designer.canvas.conftest import Bench
from tests.designer.look.wheels import CTRL, turn, wheel_event


@pytest.fixture
def near(bench: Bench) -> Bench:
    """So near that there is a way to scroll on all sides."""
    bench.view.camera.zoom_to(2.0)
    return bench


def test_ctrl_and_a_wheel_of_pixels_only_zooms(near: Bench) -> None:
    turn(near.view.viewport(), pixels=(0, -60), held=CTRL)
    assert near.view.zoom < 2.0
    turn(near.view.viewport(), pixels=(0, 60), held=CTRL)
    assert near.view.zoom == pytest.approx(2.0)


def test_two_fingers_without_ctrl_scroll(near: Bench) -> None:
    before = near.view.camera.centre()
    turn(near.view.viewport(), pixels=(-40, -20))
    assert near.view.zoom == 2.0
    assert near.view.camera.centre().x() == pytest.approx(before.x() + 20, abs=1)
    assert near.view.camera.centre().y() == pytest.approx(before.y() + 10, abs=1)


def test_a_wheel_that_is_tipped_scrolls_across(near: Bench) -> None:
    before = near.view.camera.centre()
    turn(near.view.viewport(), angle=(-120, 0))
    assert near.view.zoom == 2.0
    assert near.view.camera.centre().x() > before.x()
    assert near.view.camera.centre().y() == pytest.approx(before.y(), abs=1)


@pytest.mark.parametrize("way", [1, -1])
def test_a_fine_wheel_leads_as_far_as_a_coarse_one(bench: Bench, way: int) -> None:
    """Zooms that catch, such as 100 %, hold no fine wheel for ever."""
    bench.view.camera.zoom_to(1.0)
    turn(bench.view.viewport(), angle=(0, 120 * way))
    coarse = bench.view.zoom
    bench.view.camera.zoom_to(1.0)
    for _ in range(15):
        turn(bench.view.viewport(), angle=(0, 8 * way))
    assert bench.view.zoom == pytest.approx(coarse)


def test_a_zoom_by_command_starts_from_what_is_seen(bench: Bench) -> None:
    """What a fine wheel has turned within a zoom that catches is gone with the next
    zoom of another kind.
    """
    bench.view.camera.zoom_to(1.0)
    turn(bench.view.viewport(), angle=(0, 8))
    assert bench.view.zoom == 1.0
    bench.view.camera.zoom_to(0.6)
    assert bench.view.zoom == 0.6


@pytest.mark.parametrize(
    ("angle", "pixels", "fingers"),
    [
        ((0, 120), (0, 120), False),
        ((0, 0), (0, 12), True),
        ((0, 37), (0, 12), True),
        ((0, 120), (0, 0), False),
    ],
)
def test_drivers_of_x11_tell_pixels_for_wheels_too(angle, pixels, fingers) -> None:
    event = wheel_event(angle, pixels)
    assert (wheel.pixels(event, "xcb") is not None) is fingers
    assert (wheel.pixels(event, "wayland") is not None) is (pixels != (0, 0))
