"""What is made while the collector is held back is no garbage until a document is closed."""

from __future__ import annotations

import gc
import weakref

from designer import garbage


class Ring:
    def __init__(self) -> None:
        self.itself = self


def test_no_walk_meanwhile_and_on_again_afterwards() -> None:
    with garbage.held_back():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_it_is_on_again_after_an_error() -> None:
    try:
        with garbage.held_back():
            raise KeyError
    except KeyError:
        assert gc.isenabled()


def test_a_closed_document_is_collected() -> None:
    with garbage.held_back():
        gone = weakref.ref(Ring())
    garbage.collect()
    assert gone() is None
