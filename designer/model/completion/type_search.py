"""Find a node type by the words of people: its title, its type, other words for it, and
its description.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from runtime.document.definition import NodeInfo

# What people type when they look for one of our types. Other types say it in their
# description.
SYNONYMS: Mapping[str, str] = {
    "input": "start begin entry source trigger",
    "output": "end result return yield finish sink",
    "python_function": "def call method module script",
    "python_class": "executor object stateful handler module",
    "python_executor": "import existing builder workflow",
    "inline_code": "python script lambda snippet editor run",
    "template": "string format jinja prompt message placeholder",
    "json_transform": "map jq cel expression pick filter reshape jsonpath select",
    "read_file": "open load json txt file disk import",
    "write_file": "save store json txt file disk export",
    "csv_read": "spreadsheet excel rows import table load open",
    "csv_write": "spreadsheet excel rows export table save store",
    "filter_rows": "where select keep drop table condition query dataframe pandas",
    "sort_rows": "order by rank arrange table dataframe pandas",
    "group_rows": "group by aggregate pivot summarise sum mean count table dataframe pandas",
    "join_tables": "merge lookup vlookup match combine inner left outer table dataframe pandas",
    "collect": "gather list sum join concat aggregate",
    "merge": "combine dict union join maps update",
    "reduce": "fold sum min max count aggregate total accumulate",
    "http_request": "api rest web url curl fetch get post webhook endpoint httpx requests download server",
    "sql_query": "database db sqlite postgres postgresql select insert rows",
    "shell_command": "bash terminal program process exec subprocess cli script",
    "chat_model": "llm ai gpt openai claude model prompt assistant ollama completion",
    "ask": "human person approve approval question review confirm form manual",
    "switch": "if else branch case condition route router decision choose",
    "sub_workflow": "group child nested call subflow subgraph",
    "for_each": "loop iterate map split items spread",
    "batch": "chunk group pack window buffer",
    "counter": "count number increment tally",
    "loop_guard": "limit break repeat retry while stop times",
    "delay": "sleep wait pause timer seconds",
    "schedule": "cron time clock timer at daily wait",
    "set_state": "variable write remember store shared memory put",
    "get_state": "variable read recall shared memory",
    "log": "print debug trace console write",
}
_EXACT = 10_000  # more than any text scores
_OFTEN = 5  # types that come first before anything is typed


def words_of(info: NodeInfo) -> str:
    """Return other words for a type, in lower case."""
    return SYNONYMS.get(info.type, "")


def score(query: str, text: str) -> int | None:
    """Return how well a text answers a query; None when letters are missing or out of
    order.

    Letters at starts of words count most, then those that follow the one before.
    """
    query = query.casefold().replace(" ", "")
    text = text.casefold()
    place = 0
    total = 0
    previous = -2
    for letter in query:
        place = text.find(letter, place)
        if place < 0:
            return None
        if place == 0 or not text[place - 1].isalnum():
            total += 4
        elif place == previous + 1:
            total += 3
        previous = place
        place += 1
    return total - len(text) // 8


def search(
    query: str, infos: Iterable[NodeInfo], often: Sequence[str] = ()
) -> list[NodeInfo]:
    """Return the types that answer a query, best first; of two equal ones, the one that
    is used more `often`.

    For an empty query those few that are used most, then all others in the order of the
    catalogue. The description is read only when no name and no other word answers.
    """
    known = list(infos)
    rank = {name: place for place, name in enumerate(often)}
    if not query.strip():
        used = [info for info in known if rank.get(info.type, _OFTEN) < _OFTEN]
        used.sort(key=lambda info: rank[info.type])
        return [*used, *(info for info in known if info not in used)]
    ranked: list[tuple[int, int, int, NodeInfo]] = []
    for number, info in enumerate(known):
        points = _names_score(query, info)
        if points is not None:
            ranked.append((-points, rank.get(info.type, len(rank)), number, info))
    if ranked:
        ranked.sort(key=lambda entry: entry[:3])
        return [info for *_, info in ranked]
    return [info for info in known if _all_in(query, info.description)]


def _names_score(query: str, info: NodeInfo) -> int | None:
    if query.strip().casefold() in (info.title.casefold(), info.type.casefold()):
        return _EXACT
    points: list[int] = []
    title = score(query, info.title)
    if title is not None:
        points.append(title + 8)
    names = score(query, f"{info.category} {info.type}")
    if names is not None:
        points.append(names)
    if _begin(query, words_of(info)):
        points.append(4 * len(query.replace(" ", "")) + 2)
    return max(points, default=None)


def _begin(query: str, words: str) -> bool:
    """Return whether each word of a query begins one of the words."""
    text = f" {words}"
    return bool(words) and all(f" {word}" in text for word in query.casefold().split())


def _all_in(query: str, text: str) -> bool:
    return all(word in text.casefold() for word in query.casefold().split())


def answers(query: str, info: NodeInfo) -> bool:
    """Return whether every word of a query is in the title, type or category, or begins
    another word for the type.
    """
    names = f"{info.title} {info.type} {info.category}".casefold()
    return all(
        word in names or _begin(word, words_of(info))
        for word in query.casefold().split()
    )
