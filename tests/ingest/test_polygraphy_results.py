"""Polygraphy's saved results: the times of its TensorRT runner, and nothing else.

The files are written here by Polygraphy's own structure. On 2026-11-23 the same reader was run on files that Polygraphy
0.53.6 wrote with ONNX Runtime (no GPU was there, so no TensorRT runner ran): ``polygraphy run MODEL.onnx --onnxrt
--iterations 5 --save-outputs results.json``, twice ``--onnxrt`` with ``--sequential-runners --warm-up 2``, and
``--save-outputs FOLDER``; with the runner's name changed to ``trt-…`` the five times were those that
``RunResults.load`` returns.
"""

from __future__ import annotations

import base64
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.raw_records import codes, graph_file, layer, times, written
from trex.core.errors import TrexError
from trex.core.timings import HOST_MS, QueryTimes
from trex.engine_plan import load
from trex.ingest.finding.file_kind import HEAD_BYTES, Kind, recognize
from trex.ingest.polygraphy_results import read_run_results
from trex.perf.measures import measures_of
from trex.perf.samples.plan_samples import samples_of
from trex.views.summary import engine_facts

TRT, ONNX = "trt-runner-N0-01/02/26-03:04:05", "onnxrt-runner-N0-01/02/26-03:04:05"


def results(
    runners: dict[str, Sequence[float | None]], output: str = "y", size: int = 60, indent: int | None = 4
) -> bytes:
    """RunResults as Polygraphy 0.53 saves it; {name of a runner: seconds of its iterations}."""
    data = base64.b64encode(bytes(size)).decode()
    array = {"values": {"array": data, "polygraphy_class": "ndarray"}, "polygraphy_class": "LazyArray"}

    def iteration(name: str, seconds: float | None) -> dict[str, Any]:
        facts = {"outputs": {output: array}, "runtime": seconds, "runner_name": name}
        return {**facts, "polygraphy_class": "IterationResult"}

    lists = [[name, [iteration(name, one) for one in seconds]] for name, seconds in runners.items()]
    return json.dumps({"lst": lists, "polygraphy_class": "RunResults"}, indent=indent).encode()


def pieces(data: bytes, size: int = 1 << 18) -> list[bytes]:
    return [data[start : start + size] for start in range(0, len(data), size)]


def note_codes(query_times: QueryTimes) -> list[str]:
    return [note.code for note in query_times.notes]


@given(st.lists(st.floats(0, 1e3) | st.none(), min_size=1, max_size=6), st.integers(1, 400), st.sampled_from([None, 4]))
def test_every_iteration_however_the_file_is_cut_into_blocks(
    seconds: list[float | None], size: int, indent: int | None
) -> None:
    query_times = read_run_results(pieces(results({TRT: seconds}, indent=indent), size))
    expected = [math.nan if one is None else one * 1e3 for one in seconds]
    assert query_times.columns[HOST_MS].tolist() == pytest.approx(expected, nan_ok=True)
    assert query_times.warm_up_rows == 0


def test_the_tensorrt_runner_of_several() -> None:
    query_times = read_run_results([results({ONNX: [0.5], "mine": [0.25], TRT: [0.001, 0.002]})])
    assert query_times.columns[HOST_MS].tolist() == [1.0, 2.0]
    assert note_codes(query_times) == ["times-from-polygraphy", "other-runners"]
    assert read_run_results([results({ONNX: [0.5], "mine": [0.25]})]).columns[HOST_MS].tolist() == [250.0]


@pytest.mark.parametrize("runners", [{}, {TRT: []}, {ONNX: [0.1]}])
def test_results_without_times_of_tensorrt(runners: dict[str, Sequence[float]], tmp_path: Path) -> None:
    data = results(runners)
    query_times = read_run_results([data])
    assert (dict(query_times.columns), note_codes(query_times)) == ({}, ["no-times-of-tensorrt"])
    alone = tmp_path / "alone.json"
    alone.write_bytes(data)
    with pytest.raises(TrexError, match="nothing of the engine was read") as caught:
        load(alone)
    assert "--trt" in caught.value.hint


def test_impossible_times_and_a_torn_end() -> None:
    query_times = read_run_results([results({TRT: [0.001, -1.0, math.nan, math.inf, 0.002]})[:-90]])
    assert query_times.columns[HOST_MS].tolist() == pytest.approx([1.0] + [math.nan] * 3 + [2.0], nan_ok=True)
    assert note_codes(query_times) == ["timing-truncated", "times-from-polygraphy", "timing-unusable-number"]


def test_a_name_that_looks_like_a_record() -> None:
    query_times = read_run_results([results({TRT: [0.001]}, output='"runtime": 7, "runner_name": "trt"')])
    assert query_times.columns[HOST_MS].tolist() == [1.0]


@pytest.mark.parametrize("indent", [None, 4])
@pytest.mark.parametrize("size", [0, 2 * HEAD_BYTES])
def test_recognized_by_its_first_bytes(indent: int | None, size: int) -> None:
    written: tuple[dict[str, list[float]], ...] = ({TRT: [0.1]}, {TRT: []}, {})
    for runners in written:
        assert recognize(results(runners, size=size, indent=indent)[:HEAD_BYTES]) is Kind.RUN_RESULTS
    assert recognize(b'{"lst": {"Layers": []}}') is not Kind.RUN_RESULTS


def test_with_an_engine_it_is_its_host_time_and_never_its_latency(tmp_path: Path) -> None:
    graph_file(tmp_path, [layer("conv")])
    written(tmp_path / "m.profile.json", times(("conv", 0.5)))
    written(tmp_path / "results.json", results({TRT: [0.003, 0.004, 0.005]}, size=1 << 20))
    plan = load(tmp_path)
    assert "matched-file" not in codes(plan) and "times-from-polygraphy" in codes(plan)
    samples = samples_of(plan)
    assert list(samples.columns) == [HOST_MS] and samples.main is None
    assert samples.reason == "the only per-query times are Polygraphy's, on the host"
    assert measures_of(plan, samples).latency.ms is None
    facts = {fact.label: fact.text for fact in engine_facts(plan)}
    assert facts["Inference time"] == "4.0000 ms on the host, copies included: median of 3 iterations by Polygraphy"
    assert "Latency" not in facts


def test_times_that_trtexec_wrote_come_first(tmp_path: Path) -> None:
    graph_file(tmp_path, [layer("conv")])
    written(tmp_path / "m.timing.json", [{"latencyMs": 1.0, "computeMs": 0.5}])
    written(tmp_path / "m.results.json", results({TRT: [0.003]}))
    plan = load(tmp_path)
    assert plan.query_times is not None and set(plan.query_times.columns) == {"latencyMs", "computeMs"}
