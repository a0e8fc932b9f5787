"""Options of a dataclass become arguments."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import pytest

from trex.cli.command import add_options
from trex.core.options import count, option


@dataclass(frozen=True)
class Options:
    paths: tuple[str, ...] = option(help="where", many=True)
    word: str = option("", "a word", positional=True)
    top: int = option(10, "how many", flags=("-n",), metavar="N", convert=count)
    share: float = option(0.5, "100 % at most")
    kind: str = option("a", "which", choices=lambda: ("a", "b"))
    columns: tuple[str, ...] = option((), "which", many=True)
    json: bool = option(False, "as JSON", flags=("-j",))
    file: str = option("", "where to write", metavar="FILE")


def parsed(*arguments: str) -> Options:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    add_options(parser, Options)
    return Options(**vars(parser.parse_args(arguments)))


def test_defaults_are_those_of_the_dataclass() -> None:
    options = parsed("x")
    assert list(options.paths) == ["x"]
    assert (options.top, options.share, options.kind, options.json) == (10, 0.5, "a", False)


def test_an_option_of_several_values_can_be_repeated() -> None:
    assert list(parsed("x", "--columns", "a", "b", "--columns", "c").columns) == ["a", "b", "c"]
    assert list(parsed("x").columns) == [], "the default stays as it is"


def test_values_have_the_types_of_their_defaults() -> None:
    options = parsed("x", "-n", "3", "--share", "0.25", "--kind", "b", "-j", "--columns", "a", "b")
    assert (options.top, options.share, options.kind, options.json) == (3, 0.25, "b", True)
    assert list(options.columns) == ["a", "b"]


@pytest.mark.parametrize(
    "arguments",
    [
        (),
        ("x", "--top", "-1"),
        ("x", "--share", "much"),
        ("x", "--kind", "c"),
        ("x", "--columns"),
        ("x", "--file", ""),
        ("x", "--jso"),
    ],
)
def test_what_does_not_fit_is_refused(arguments: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        parsed(*arguments)
    assert caught.value.code == 2
    assert "error: " in capsys.readouterr().err


def test_help_names_the_places_and_survives_a_percent_sign(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parsed("--help")
    out = capsys.readouterr().out
    assert "100 % at most" in out
    assert "-n N, --top N" in out
    assert "PATHS" in out and "[WORD]" in out and "{a,b}" in out
