"""Cleaned records and profile records."""

from __future__ import annotations

from copy import deepcopy

from tests.factories import chain, conv, layer, t, time
from trex.core.layer import Role
from trex.core.timings import LayerTime, LayerTimes
from trex.plan.records import clean_records, profile_records, unique_names


def test_repeated_names_are_numbered_and_taken_ones_passed_over() -> None:
    assert unique_names(["a", "b", "a", "a_2", "a"]) == ["a", "b", "a_3", "a_2", "a_4"]
    assert unique_names([]) == []


def test_unique_names_stay_unique_and_quick() -> None:
    names = ["a"] * 20_000 + [f"a_{i}" for i in range(20_000)]
    assert len(set(unique_names(names))) == 40_000


def test_records_are_clean_copies() -> None:
    layers = chain(
        conv("a", [t("x")], [t("y")], type="Deconvolution", ParameterType="Convolution"),
        layer("w", "wait", role=Role.SYNC),
        layer("s", "signal", role=Role.SYNC),
        layer("a", "kgen", tactic="k"),
    )
    before = deepcopy([item.raw for item in layers])
    cleaned = clean_records(layers)
    assert [record["Name"] for record in cleaned] == ["a", "a_2"]
    assert cleaned[0]["ParameterType"] == "Deconvolution"
    assert "ParameterType" not in cleaned[1]
    assert cleaned[1]["Inputs"][0]["Name"] == "x"
    cleaned[0]["Inputs"][0]["Name"] = "changed"
    assert [item.raw for item in layers] == before


def test_profile_records_have_trtexecs_keys() -> None:
    times = LayerTimes((time("a", 0.5, share_pct=10.0), LayerTime("b", 0, None, 1.0, None, None, extra={"new": 3})))
    assert profile_records(times) == [
        {"name": "a", "timeMs": 5.0, "averageMs": 0.5, "medianMs": 0.5, "percentage": 10.0},
        {"name": "b", "new": 3, "averageMs": 1.0},
    ]
