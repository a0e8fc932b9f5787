"""TOML files that no parser of ours may end with."""

from __future__ import annotations

from pathlib import Path

import pytest

from trex.core.errors import TrexError
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
