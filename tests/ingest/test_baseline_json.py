"""Baselines that are damaged, merged, of another release or of nothing: told with an address, never believed."""

from __future__ import annotations

import json
from itertools import cycle
from typing import Any

import pytest

from tests.simulated_examples import SIMULATED
from trex.compare.baseline import baseline_document
from trex.core.errors import TrexError
from trex.engine_plan import load
from trex.export.baseline_file import baseline_text
from trex.ingest.baseline_json import is_baseline, read_baseline


@pytest.fixture(scope="module")
def document() -> dict[str, Any]:
    return baseline_document(load(str(SIMULATED / "resnet18-int8")))


def test_its_beginning_tells_what_it_is(document: dict[str, Any]) -> None:
    assert is_baseline(baseline_text(document).encode())
    assert is_baseline(json.dumps(document).encode())
    assert not is_baseline(b'{"Layers": []}') and not is_baseline(b"")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"schema": "trex.baseline/2"}, "the schema 'trex.baseline/2'"),
        ({"schema": "x"}, "not a baseline"),
        ({"model": None}, "does not contain its model"),
        ({"provenance": None}, "does not contain its provenance"),
        ({"provenance": "guessed"}, "none of measured, synthetic, simulated"),
        ({"run": []}, "not an object"),
        ({"layers": {}}, "not a list"),
        ({"samples": {"computeMs": [1.0], "latencyMs": [1.0, 2.0]}}, "differ in length"),
        ({"layers": [3]}, "can't be read"),
    ],
)
def test_what_is_wrong_is_told(document: dict[str, Any], change: dict[str, Any], message: str) -> None:
    with pytest.raises(TrexError, match=message) as caught:
        read_baseline(json.dumps({**document, **change}).encode(), "b.json")
    assert "b.json" in caught.value.where and caught.value.hint


@pytest.mark.parametrize(
    ("written", "edited"),
    [('"p99": ', '"p99": 1'), ('"layers_ms": ', '"layers_ms": 1'), ('"average_ms": 0', '"average_ms": 1')],
)
def test_what_was_changed_after_it_was_written_is_refused(document: dict[str, Any], written: str, edited: str) -> None:
    text = baseline_text(document)
    assert written in text
    with pytest.raises(TrexError, match="changed after it was written") as caught:
        read_baseline(text.replace(written, edited, 1).encode(), "b.json")
    assert caught.value.where == "b.json" and "baseline update" in caught.value.hint
    laid_out = json.dumps(json.loads(text), indent=4).replace("\n", "\r\n")  # as formatters do
    assert read_baseline(laid_out.encode(), "b.json")[1].engine == read_baseline(text.encode(), "b.json")[1].engine


def test_marks_of_a_merge_are_recognized(document: dict[str, Any]) -> None:
    text = baseline_text(document).replace(' "engine"', '<<<<<<< HEAD\n "engine"', 1)
    with pytest.raises(TrexError, match="merge") as caught:
        read_baseline(text.encode(), "b.json")
    assert caught.value.where.startswith("b.json:")


def test_numbers_that_are_none_are_unknown(document: dict[str, Any]) -> None:
    odd = {**document, "samples": {"computeMs": ["x", None, 1.0, True, 1e300]}}
    odd["layers"] = [{**row, "average_ms": value} for row, value in zip(document["layers"], cycle(("fast", -1.0)))]
    _, artifacts = read_baseline(json.dumps(odd).encode())
    assert artifacts.query_times is not None
    assert [value == value for value in artifacts.query_times.columns["computeMs"]] == [
        False,
        False,
        True,
        False,
        False,
    ]
    assert artifacts.layer_times is None


def test_lists_deeper_than_any_baseline_are_refused(document: dict[str, Any]) -> None:
    text = json.dumps({**document, "sha256": "0"})[:-1] + ', "x": ' + "[" * 1010 + "]" * 1010 + "}"
    with pytest.raises(TrexError):
        read_baseline(text.encode(), "b.json")
