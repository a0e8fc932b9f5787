"""Values of every kind as JSON-ready data and as JSON text."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from trex.export.frame import json_text, plain_value, text_cell

NAN = float("nan")


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
