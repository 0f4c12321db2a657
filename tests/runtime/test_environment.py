"""Values of the environment in templates: filled in where they are named, and masked
wherever they could be shown.
"""

from __future__ import annotations

from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as some

from runtime.expressions.environment import EnvTemplate, Secrets

ENVIRONMENT = {"KEY": "k/é y", "SHORT": "k/", "EMPTY": ""}


def filled(text: str, message: object = None, encode: bool = False) -> str:
    template = EnvTemplate(text)
    return template.fill(
        message,
        Secrets(ENVIRONMENT),
        (lambda value: quote(value, safe="")) if encode else None,
    )


def test_a_name_becomes_its_value_and_braces_stay_braces() -> None:
    assert (
        filled("{env.KEY}-{message.a}-{{env.KEY}}-{{{env.SHORT}}}", {"a": 1})
        == "k/é y-1-{env.KEY}-{k/}"
    )


def test_what_fills_a_placeholder_is_escaped_unless_the_text_begins_with_it() -> None:
    assert (
        filled("{message}/{message}?k={env.KEY}", "http://a/", encode=True)
        == "http://a//http%3A%2F%2Fa%2F?k=k%2F%C3%A9%20y"
    )


@pytest.mark.parametrize("name", ["GONE", "EMPTY"])
def test_a_variable_that_is_not_set_is_named(name: str) -> None:
    with pytest.raises(LookupError, match=f"variable {name} is not set"):
        filled(f"{{env.{name}}}")


@pytest.mark.parametrize(
    "text",
    ["{env}", "{env.}", "{env.A-B}", "{env.A.b}", "{environment}", "{other}", "{"],
)
def test_a_malformed_placeholder_is_refused_with_its_position(text: str) -> None:
    with pytest.raises(ValueError, match="at character 2"):
        EnvTemplate("x" + text)


@given(
    value=some.text(some.characters(exclude_categories=["Cs"]), min_size=1),
    around=some.text("ab%", max_size=3),
)
def test_no_form_of_a_value_is_left_in_a_text(value: str, around: str) -> None:
    secrets = Secrets({"KEY": value})
    secrets.value("KEY")
    for form in (value, quote(value, safe=""), quote(value), quote_plus(value)):
        if form not in around + "***":
            assert form not in secrets.mask(f"{around}\0{form}\0{around}").replace(
                "***", ""
            )


def test_a_longer_value_is_masked_before_a_shorter_one_that_begins_it() -> None:
    secrets = Secrets(ENVIRONMENT)
    assert [secrets.value("SHORT"), secrets.value("KEY")] == ["k/", "k/é y"]
    assert secrets.mask("a k/é y b k/ c") == "a *** b *** c"
