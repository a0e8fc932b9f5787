"""TOML files that no parser of ours may end with."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from trex.core.errors import TrexError
from trex.ingest import toml_reader
from trex.ingest.toml_reader import parse_toml


@pytest.mark.parametrize(
    "number", ["9" * 5000, "0x" + "f" * 20_000, f"{1 << 63}", "[[1], [-0x1, 0o7777777777777777777777777]]"]
)
def test_an_integer_has_at_most_64_bits(tmp_path: Path, number: str) -> None:
    file = tmp_path / "trex.toml"
    file.write_text(f"x = {number}\n")
    with pytest.raises(TrexError) as raised:
        parse_toml(file)
    assert raised.value.where.startswith(str(file)) and raised.value.hint


def test_64_bits_are_read(tmp_path: Path) -> None:
    file = tmp_path / "trex.toml"
    file.write_text(f"x = {(1 << 63) - 1}\ny = {-(1 << 63)}\n")
    assert parse_toml(file)[0] == {"x": (1 << 63) - 1, "y": -(1 << 63)}


@pytest.mark.parametrize("text", ["{}=1", "[{}]", "x = {{ {} = 1 }}", "{} . x = 1"])
@pytest.mark.parametrize("part", ["a", "'a b'", '"a"'])
def test_a_name_has_few_parts(tmp_path: Path, text: str, part: str) -> None:
    """The parser takes the square of them."""
    file = tmp_path / "trex.toml"
    file.write_text("y = 1\n" + text.format(".".join([part] * 20_000)))
    with pytest.raises(TrexError, match="64 parts") as raised:
        parse_toml(file)
    assert raised.value.where == f"{file}:2"


@pytest.mark.parametrize(
    "text",
    [
        "# {}\n", "x = 1 # {}\n", 'x = "{}"\n', "x = '{}'\n", 'x = """\n{}"\\""" {}"""""\n', "x = \'\'\'\n{}\'\'\'\'\n",
        'x = ["\\"{}"]\n', '"{}" = 1\n',
    ],
)  # fmt: skip
def test_dots_in_comments_and_texts_are_no_parts(tmp_path: Path, text: str) -> None:
    file = tmp_path / "trex.toml"
    file.write_text(text.replace("{}", ".".join("m" * 70)))
    parse_toml(file)


@pytest.mark.parametrize(
    "before",
    [
        'x = """a"""""\n',
        "x = '''a''''\n",
        'x = "a\\\\"\n',
        "x = 'a\\'\n",
        'x = "#"\n',
        '# """\n',
        "#'\n",
        'x = ["", ""]\n',
    ],
)
def test_no_text_before_it_hides_a_deep_name(tmp_path: Path, before: str) -> None:
    file = tmp_path / "trex.toml"
    file.write_text(before)
    parse_toml(file)
    for name in (".".join("a" * 70), " . ".join(["'a'"] * 70)):
        file.write_text(f"{before}y = {{{name} = 1}}\n")
        with pytest.raises(TrexError, match="64 parts"):
            parse_toml(file)


def test_a_file_of_a_mebibyte_is_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(toml_reader, "_MOST_DOTS", 20)
    file = tmp_path / "trex.toml"
    file.write_text(f"x = ['{'a' * ((1 << 20) - 9)}']\n")
    assert parse_toml(file)[0]
    for text, message in (("a" * (1 << 20) + "=1", "1 MiB"), ("x = [1.5," + "0.1," * 20, "20 dots")):
        file.write_text(text)
        with pytest.raises(TrexError, match=message):
            parse_toml(file)


@pytest.mark.parametrize("text", ['"', "''''", '"""\n\\', '\\"""\n', '"\\x', "'' a", "a ", "a-", '"a" . ', "#"])
def test_what_is_no_toml_takes_little_time(tmp_path: Path, text: str) -> None:
    file = tmp_path / "trex.toml"
    file.write_text('"""' + text * (100_000 // len(text)))
    before = time.process_time()
    with pytest.raises(TrexError):
        parse_toml(file)
    assert time.process_time() - before < 1.0
