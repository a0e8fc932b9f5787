"""The command ``trex explain``."""

from __future__ import annotations

import json

import pytest


def test_a_word(trex):
    said = trex("explain", "latency.pct_time")
    assert said.code == 0
    assert said.out.startswith("latency.pct_time (column)\n")


def test_several_words_are_one_name(trex):
    assert trex("explain", "GPU", "compute", "time").out.startswith("GPU Compute Time (term)\n")


@pytest.mark.parametrize("words", [(), ("--list",), ("-l",)])
def test_every_word_that_has_an_entry(trex, words):
    out = trex("explain", *words).out
    for word in ("latency.avg_time", "TrainStation", "profile-suffix", "Throughput"):
        assert word in out


def test_a_misspelled_word(trex):
    said = trex("explain", "Convolutoin")
    assert (said.code, said.out) == (2, "")
    assert "did you mean Convolution" in said.err


def test_json(trex):
    data = json.loads(trex("explain", "kgen", "--json").out)
    assert data["sections"]["entry-1"]["data"]["kind"] == "layer type"
    data = json.loads(trex("explain", "--json").out)
    assert "kgen" in data["sections"]["words"]["facts"]["layer_types"]


def test_all_words_or_one(trex):
    assert trex("explain", "--list", "conv").code == 2
