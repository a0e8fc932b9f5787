"""SimulatedEngine and a seed → the files of a profile in trtexec's own forms, each marked as simulated.

Without a seed all samples are equal. With one, noise is invented, not predicted: a standard deviation of 0.4 % of the
time, and one query in a hundred delayed by 2 % on average, as in trtexec runs with spin-wait on idle GPUs (coefficients
of variation from 0.1 % to 0.7 %).
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from random import Random
from statistics import fmean, median
from typing import Any

from trex.core.release import Release, release_from_text
from trex.plan.unknown_work import KEY
from trex.simulator.engine_file import SimulatedEngine
from trex.simulator.target import DEFAULT_RELEASE
from trex.simulator.version import simulator_version

QUERIES = 512
_TIMES = (
    "startEnqMs", "endEnqMs", "startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs", "startD2hMs", "endD2hMs",
    "h2dMs", "computeMs", "d2hMs", "latencyMs",
)  # fmt: skip


def graph_bytes(engine: SimulatedEngine) -> bytes:
    """One line per layer."""
    graph = dict(engine.graph)
    layers = ",\n".join(_line(layer) for layer in graph.pop("Layers"))
    rest = "".join(f",\n{json.dumps(key)}: {_line(value)}" for key, value in graph.items())
    return f'{{"Layers": [\n{layers}\n]{rest}}}\n'.encode()


def profile_bytes(engine: SimulatedEngine, layer_samples: Sequence[Sequence[float]] | None = None) -> bytes:
    """A layer profile. layer_samples: times of each layer, query by query, instead of equal times."""
    count = len(layer_samples[0]) if layer_samples else QUERIES
    rows = []
    for index, (layer, ms) in enumerate(zip(engine.graph["Layers"], engine.layer_ms, strict=True)):
        if ms is not None:
            samples = layer_samples[index] if layer_samples else (ms,)
            rows.append((layer["Name"], fmean(samples), median(samples)))
    total = sum(average for _, average, _ in rows)
    lines = [f'{{ "count" : {count}, "{engine.mark}" : true }}']
    for name, average, middle in rows:
        share = 100.0 * average / total if total else 0.0
        lines.append(
            f'{{ "name" : {json.dumps(name)}, "timeMs" : {average * count:.6g}, "averageMs" : {average:.6g}, '
            f'"medianMs" : {middle:.6g}, "percentage" : {share:.6g} }}'
        )
    return _listed(lines)


def query_rows(engine: SimulatedEngine, compute_ms: Sequence[float] = ()) -> list[dict[str, float]]:
    """One row per inference, one after the other, without transfers. compute_ms: of each, instead of equal times."""
    rows, begin = [], 0.0
    for compute in compute_ms or (engine.compute_ms,) * QUERIES:
        enqueued, ended = begin + engine.enqueue_ms, begin + compute
        values = (begin, enqueued, begin, begin, begin, ended, ended, ended, 0.0, compute, 0.0, compute)
        rows.append(dict(zip(_TIMES, values, strict=True)))
        begin = max(ended, enqueued)
    return rows


def timing_bytes(rows: Sequence[Mapping[str, float]], mark: str = "simulated") -> bytes:
    lines = []
    for row in rows:
        pairs = ", ".join(f'"{key}" : {value:.9g}' for key, value in row.items())
        lines.append(f'{{ {pairs}, "{mark}" : 1 }}')
    return _listed(lines)


def build_metadata(engine: SimulatedEngine) -> bytes:
    sections = {
        "model_options": {"Format": "ONNX", "Model": engine.model},
        "build_options": {
            "Precision": "Strongly Typed" if engine.strongly_typed else _precision(engine),
            "Profiling verbosity": "2",
        },
    }
    return _metadata(engine, sections)


def run_metadata(engine: SimulatedEngine, rows: Sequence[Mapping[str, float]]) -> bytes:
    columns = {
        "Latency": [row["latencyMs"] for row in rows],
        "Enqueue Time": [row["endEnqMs"] - row["startEnqMs"] for row in rows],
        "H2D Latency": [row["h2dMs"] for row in rows],
        "GPU Compute Time": [row["computeMs"] for row in rows],
        "D2H Latency": [row["d2hMs"] for row in rows],
    }
    release = _release(engine)
    wall_s = (rows[-1]["endD2hMs"] - rows[0]["startEnqMs"]) / 1000.0
    shapes = ",".join(f"{name}={'x'.join(map(str, shape))}" for name, shape in engine.shapes.items())
    sections = {
        "performance_summary": {
            "Throughput": _six(len(rows) / wall_s) if wall_s else 0.0,
            **{name: _statistics(values, release) for name, values in columns.items()},
            "Total Host Walltime": _six(wall_s),
            "Total GPU Compute Time": _six(sum(columns["GPU Compute Time"]) / 1000.0),
        },
        "inference_options": {
            "Batch": "Explicit",
            "Input inference shapes" if release.major >= 10 else "Input inference shape": shapes or "model",
            "Iterations": str(len(rows)),
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "CUDA Graph": "Enabled" if engine.cuda_graph else "Disabled",
            "Separate profiling": "Enabled",
        },
    }
    return _metadata(engine, sections)


def _metadata(engine: SimulatedEngine, sections: dict[str, Any]) -> bytes:
    document = {
        engine.mark: {
            "statement": engine.statement,
            "predicted_by": simulator_version(),
            "model": engine.model,
            "model_sha256": engine.model_sha256,
            "device": engine.device.get("Selected Device", ""),
            "compute_ms": engine.compute_ms,
            "expected_from_ms": engine.low_ms,
            "expected_to_ms": engine.high_ms,
            "validated_engines": engine.validated_engines,
            "unjudged": {kind: _six(share) for kind, share in engine.unjudged.items()},
            **({KEY: dict(engine.unknown_work)} if engine.unknown_work else {}),
        },
        **sections,
        "device_information": dict(engine.device),
        "tensorrt_version": engine.release,
    }
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode()


def _statistics(values: Sequence[float], release: Release) -> list[float]:
    """Minimum, maximum, mean, median and percentiles (99; from 8.5: 90, 95, 99), in trtexec's order."""
    ordered = sorted(values)
    percentiles = (90, 95, 99) if release.pair >= (8, 5) else (99,)
    ranks = [ordered[min(len(ordered) - 1, len(ordered) * percentile // 100)] for percentile in percentiles]
    return [_six(value) for value in (ordered[0], ordered[-1], fmean(ordered), median(ordered), *ranks)]


def _precision(engine: SimulatedEngine) -> str:
    return "+".join(dict.fromkeys(("FP32", *engine.allowed)))


def _release(engine: SimulatedEngine) -> Release:
    return release_from_text(engine.release) or DEFAULT_RELEASE


def _six(value: float) -> float:
    """To six significant digits, as trtexec prints."""
    return float(f"{value:.6g}")


def _listed(lines: Sequence[str]) -> bytes:
    return ("[\n  " + "\n, ".join(lines) + "\n]\n").encode("utf-8", "surrogatepass")


def _line(value: Any) -> str:
    return json.dumps(value, separators=(", ", ": "))


SPREAD = 0.004
LATE_SHARE, LATE_BY = 0.01, 0.02

Samples = tuple[float, ...]


def engine_samples(engine: SimulatedEngine, seed: str) -> tuple[list[Samples] | None, Samples]:
    """(samples of each layer, of GPU compute) in milliseconds; (None, equal samples) without a seed."""
    if not seed:
        return None, (engine.compute_ms,) * QUERIES
    layers = [samples(ms or 0.0, f"{seed} {index}", QUERIES) for index, ms in enumerate(engine.layer_ms)]
    return layers, samples(engine.compute_ms, seed, QUERIES)


def samples(ms: float, seed: int | str, queries: int) -> Samples:
    """That many durations in milliseconds; the same seed gives the same samples on every run."""
    random = Random(f"{seed}")
    return tuple([ms * _factor(random) for _ in range(queries)])


def _factor(random: Random) -> float:
    body = 1 + max(-3.0, min(3.0, random.gauss(0.0, 1.0))) * SPREAD
    return body + random.expovariate(1 / LATE_BY) if random.random() < LATE_SHARE else body
