"""The file of constants, from synthetic engines."""

from __future__ import annotations

import json

from tests.simulator.timing.test_cross_validation import ENGINES
from trex.simulator.timing.constants import Constants
from trex.simulator.timing.cross_validation import fit_all
from trex.simulator.timing.fitted_file import document_text, fitted_document, scores_text
from trex.simulator.timing.prediction import predict


def test_the_document_is_read_back():
    document, scores = fitted_document(ENGINES, "2026-01-31")
    text = document_text(document)
    assert json.loads(text) == document
    assert document["fitted"] == "2026-01-31"
    assert [item["engine"] for item in document["engines"]] == ["one", "two", "three", "four"]
    assert len(scores) == 12
    values = {name: entry["value"] for name, entry in document["constants"].items()}
    assert set(values) == set(fit_all(ENGINES).values)
    result = predict(ENGINES[0].layers, ENGINES[0].device, ENGINES[0].works, Constants(values, document))
    assert result.low_ms < result.total_ms < result.high_ms


def test_layers_that_depend_on_a_constant_are_counted():
    constants = fitted_document(ENGINES, "2026-01-31")[0]["constants"]
    assert constants["launch"]["layers"] == 64
    assert constants["compute share: convolution"]["layers"] == constants["start"]["layers"] == 32
    assert constants["wait before 8.0"]["layers"] == 8
    assert constants["memory share: attention"]["layers"] == 0


def test_the_table_has_a_line_for_each_score():
    lines = scores_text(fitted_document(ENGINES, "2026-01-31")[1]).splitlines()
    assert len(lines) == 13
    assert "Spearman" in lines[0] and lines[1].startswith("one ")
