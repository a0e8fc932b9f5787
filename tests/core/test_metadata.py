"""Metadata: sections of facts, merged from two sources."""

from __future__ import annotations

import dataclasses

import pytest

from trex.core.metadata import LatencySummary, Metadata
from trex.core.note import Note


def test_nothing_known_is_empty() -> None:
    assert Metadata().is_empty


@pytest.mark.parametrize(
    "known",
    [{"device": {"Name": "A100"}}, {"tensorrt_version": "10.3"}, {"build_options": {"Precision": "FP16"}}],
)
def test_one_fact_is_not_empty(known: dict) -> None:
    assert not Metadata(**known).is_empty


def test_merging_completes_and_the_first_wins() -> None:
    run = Metadata(device={"Name": "A100", "Clock": 1.4}, tensorrt_version="", sources=("run",))
    build = Metadata(
        device={"Clock": 9.9, "SMs": 108}, model_options={"Format": "ONNX"}, tensorrt_version="10.3", sources=("build",)
    )
    both = run.merged(build)
    assert both.device == {"Name": "A100", "Clock": 1.4, "SMs": 108}
    assert both.model_options == {"Format": "ONNX"}
    assert both.tensorrt_version == "10.3"
    assert both.sources == ("run", "build")


def test_performance_and_inference_options_are_of_one_run() -> None:
    ran = Metadata(inference_options={"Streams": "1"}, performance={"Throughput": 9.0})
    other = Metadata(inference_options={"Streams": "2", "CUDA Graph": "Enabled"}, performance={"Latency": [1.0]})
    options = {"Streams": "3"}
    assert ran.merged(other) == ran
    assert Metadata(inference_options=options).merged(ran) == ran
    assert Metadata(performance={"Throughput": 8.0}).merged(other).inference_options == other.inference_options


def test_merging_changes_neither_side() -> None:
    run, build = Metadata(device={"Name": "A100"}), Metadata(device={"SMs": 108})
    run.merged(build)
    assert run.device == {"Name": "A100"}
    assert build.device == {"SMs": 108}


def test_merging_keeps_notes_and_the_synthetic_mark() -> None:
    both = Metadata(notes=(Note("a", "a"),)).merged(Metadata(synthetic=True, notes=(Note("b", "b"),)))
    assert both.synthetic
    assert [note.code for note in both.notes] == ["a", "b"]


def test_every_field_takes_part_in_merging() -> None:
    filled = Metadata(
        **{
            field.name: value
            for field in dataclasses.fields(Metadata)
            for value in [
                {"str": field.name, "bool": True}.get(
                    str(field.type), (field.name,) if "tuple" in str(field.type) else {field.name: 1}
                )
            ]
        }
    )
    assert Metadata().merged(filled) == filled == filled.merged(Metadata())


def test_latencies_may_be_partly_known() -> None:
    latency = LatencySummary(0.8, None, 0.9, 0.85, {99.0: 1.1})
    assert latency.maximum_ms is None
    assert latency.percentiles[99.0] == 1.1
