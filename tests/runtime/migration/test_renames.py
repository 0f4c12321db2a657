"""Renamed executors of large graphs are found, and those that cannot be told apart are
not guessed.
"""

from __future__ import annotations

from collections.abc import Callable

from runtime.migration.outline import EdgeOutline, ExecutorOutline, Outline
from runtime.migration.renames import renames_between


def graph(
    pairs: list[tuple[str, str]], titles: dict[str, str] | None = None
) -> Outline:
    ids = dict.fromkeys(id_ for pair in pairs for id_ in pair)
    titles = titles or {}
    executors = {
        id_: ExecutorOutline(id=id_, type="template", title=titles.get(id_, ""))
        for id_ in ids
    }
    edges = {
        f"e{number}": EdgeOutline(id=f"e{number}", kind="direct", pairs=(pair,))
        for number, pair in enumerate(pairs)
    }
    return Outline(start=next(iter(ids)), executors=executors, edges=edges)


def chain(name: Callable[[int], str], length: int) -> Outline:
    return graph([(name(place), name(place + 1)) for place in range(length)])


def test_many_renamed_executors_of_a_long_chain_are_all_found() -> None:
    def renamed(place: int) -> str:
        return f"step {place}, changed" if place % 3 == 1 else f"step {place}"

    before = chain(lambda place: f"step {place}", 3000)
    names = renames_between(before, chain(renamed, 3000))
    assert len(names) == 1000
    assert all(new_id == f"{old_id}, changed" for old_id, new_id in names.items())


def test_neighbours_that_are_renamed_together_are_found_one_by_one() -> None:
    before = graph([("a", "b"), ("b", "c"), ("c", "d")], {"b": "Read", "c": "Rank"})
    new_titles = {"b2": "Read", "c2": "Rank"}
    after = graph([("a", "b2"), ("b2", "c2"), ("c2", "d")], new_titles)
    assert renames_between(before, after) == {"b": "b2", "c": "c2"}


def test_of_many_that_are_alike_only_those_with_a_title_of_their_own_are_found() -> (
    None
):
    before = graph([("hub", f"old{number}") for number in range(300)])
    after = graph([("hub", f"new{number}") for number in range(300)])
    assert renames_between(before, after) == {}
    titles = {f"old{number}": f"Title {number}" for number in range(300)}
    before = graph([("hub", id_) for id_ in titles], titles)
    new_titles = {f"new{number}": f"Title {number}" for number in range(300)}
    after = graph([("hub", id_) for id_ in new_titles], new_titles)
    names = renames_between(before, after)
    assert len(names) == 300
    assert names["old17"] == "new17"
