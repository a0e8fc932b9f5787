"""Options: declared once on a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from trex.core.options import count, option, option_fields


@dataclass(frozen=True, slots=True)
class Options:
    path: str = option(help="where the engine is")
    top: int = option(10, "how many", flags=("-n",))
    sort_key: str = option("count", "by what", choices=("count", "latency"))
    json: bool = option(False, "as JSON")


def test_fields_are_read_in_the_order_of_declaration() -> None:
    assert [field.name for field in option_fields(Options)] == ["path", "top", "sort_key", "json"]


def test_what_a_reader_of_the_options_sees() -> None:
    path, top, sort_key, json = option_fields(Options)
    assert path.is_positional
    assert path.help == "where the engine is"
    assert not path.is_switch
    assert not top.is_positional
    assert (top.default, top.flags) == (10, ("-n",))
    assert sort_key.flag == "--sort-key"
    assert sort_key.choices == ("count", "latency")
    assert json.is_switch


def test_the_dataclass_is_an_ordinary_one() -> None:
    assert Options("net.json") == Options("net.json", 10, "count", False)


def test_help_may_be_a_function() -> None:
    @dataclass(frozen=True)
    class Late:
        format: str = option("a", lambda: "one of a, b")

    assert [field.help for field in option_fields(Late)] == ["one of a, b"]


def test_choices_may_be_found_when_they_are_needed() -> None:
    asked = []

    def words() -> tuple[str, ...]:
        asked.append(True)
        return ("a", "b")

    @dataclass(frozen=True)
    class Late:
        format: str = option("a", choices=words)

    assert not asked
    (field,) = option_fields(Late)
    assert tuple(field.choices) == ("a", "b")


@pytest.mark.parametrize("text", ["-1", "ten", "1.5", ""])
def test_a_count_is_a_whole_number_from_zero(text: str) -> None:
    assert count("12") == 12
    with pytest.raises(ValueError):
        count(text)
