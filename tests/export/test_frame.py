"""DataFrame → file: the registry of formats, and cells of every kind."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from trex.core.errors import TrexError
from trex.export.frame import FORMATS, flat_frame, json_text, plain_value, text_cell, write_frame

NAN = float("nan")


@pytest.fixture
def frame() -> pd.DataFrame:
    cells = [[1, "a"], {"b": NAN}, NAN]
    return pd.DataFrame(
        {"Name": ["x", "y", "z"], "t": [1.5, NAN, 2.0], "n": [1, 2, 3], "r": pd.Series(cells, dtype=object)}
    )


def test_every_format_has_its_own_suffix():
    suffixes = [plug.value.suffix for plug in FORMATS.values()]
    assert len(suffixes) == len(set(suffixes)) == len(FORMATS.names)
    assert all(suffix.startswith(".") and suffix == suffix.lower() for suffix in suffixes)


@pytest.mark.parametrize("name", [n for n in FORMATS.names if n != "parquet"])
def test_the_suffix_chooses_the_format_in_any_case(frame, tmp_path, name):
    suffix = FORMATS[name].value.suffix
    path = write_frame(frame, tmp_path / f"x{suffix.upper()}")
    assert path.read_bytes() == FORMATS[name].value.render(frame)


def test_a_named_format_wins_over_the_suffix(frame, tmp_path):
    assert json.loads(write_frame(frame, tmp_path / "x.csv", "json").read_bytes())


def test_an_unknown_suffix_lists_the_known_ones(frame, tmp_path):
    for name in ("x.xyz", "x"):
        with pytest.raises(TrexError, match=r"\.csv"):
            write_frame(frame, tmp_path / name)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("value", "plain"),
    [
        (None, None),
        (NAN, None),
        (float("inf"), None),
        (np.float64(0.5), 0.5),
        (np.int64(3), 3),
        (np.bool_(True), True),
        (True, True),
        (pd.NaT, None),
        ((1, (2.0, NAN)), [1, [2.0, None]]),
        ({1: {"a": (NAN,)}}, {"1": {"a": [None]}}),
        ("a\x1e", "a\x1e"),
        ("\ud800", "\ufffd"),
        (2**70, 2**70),
    ],
)
def test_cells_as_plain_values(value, plain):
    found = plain_value(value)
    assert found == plain
    assert isinstance(found, type(plain))
    json_text(found)


def test_nested_cells_become_json_text():
    assert text_cell([1, NAN, "é"]) == '[1, null, "é"]'
    assert text_cell("plain") == "plain"
    assert text_cell(NAN) is None


def test_json_text_is_printable_and_refuses_what_json_has_not():
    text = json_text({"a": "\x00\x1b\x7f\x9b\u2028\u202e\ud800 é 层"})
    assert text.isprintable() and "é 层" in text
    assert json.loads(text) == {"a": "\x00\x1b\x7f\x9b\u2028\u202e\ud800 é 层"}
    with pytest.raises(ValueError):
        json_text(NAN)


def test_a_flat_frame_is_a_copy_with_plain_cells(frame):
    before = frame.copy(deep=True)
    flat = flat_frame(frame)
    assert list(flat["r"]) == ['[1, "a"]', '{"b": null}', None]
    assert flat["t"].dtype == frame["t"].dtype and flat["n"].dtype == frame["n"].dtype
    flat.loc[0, "Name"] = "changed"
    assert frame.equals(before)


def test_columns_of_the_same_name_are_both_kept():
    twice = pd.DataFrame([[1, "x"]], columns=["a", "a"])
    assert list(flat_frame(twice).columns) == ["a", "a_2"]
    for name in ("csv", "json", "markdown"):
        assert "a_2" in FORMATS[name].value.render(twice).decode().replace("\\", "")


@pytest.mark.parametrize("name", FORMATS.names)
def test_an_empty_frame_is_written_by_every_format(name):
    if name == "parquet":
        pytest.importorskip("pyarrow")
    for empty in (pd.DataFrame(), pd.DataFrame({"Name": pd.Series([], dtype=object), "t": pd.Series([], dtype=float)})):
        assert isinstance(FORMATS[name].value.render(empty), bytes)
