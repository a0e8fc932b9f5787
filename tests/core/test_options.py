"""Options: declared once on a frozen dataclass."""

from __future__ import annotations

from dataclasses import dataclass

from trex.core.options import option, option_fields


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
