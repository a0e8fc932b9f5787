"""Description → made-up measurements: layer profile, per-query times and metadata in trtexec's own layouts.

The times come from a stated formula, not from a device: for each kernel the larger of operations ÷ (half of the peak
rate of its type) and bytes ÷ (three quarters of the memory rate), plus 2 µs, times a seeded factor within ±3 %. The
rates are NVIDIA's published ones for an A100 40 GB: FP16 312, INT8 624, FP32 19.5 (TF32 156) Tera-operations/s, and
1555 GB/s.
"""

from __future__ import annotations

import json
from random import Random
from statistics import median
from typing import Any

from tests.synthetic.description import KERNEL, Description, Step
from tests.synthetic.spellings import number

PEAK_TERA = {"INT8": 624.0, "INT4": 1248.0, "FP8": 624.0, "FP16": 312.0, "BF16": 312.0, "FP32": 156.0}
OTHER_PEAK_TERA = 19.5
BYTES_PER_MS = 1555e6
COMPUTE_EFFICIENCY, MEMORY_EFFICIENCY, FIXED_MS, NOISE = 0.5, 0.75, 0.002, 0.03
DEVICE = "Synthetic A100-like device"
STATEMENT = (
    "Made by a script, measured on no device. Layer time = max(operations / (0.5 x peak of the type), "
    "bytes / (0.75 x 1555 GB/s)) + 2 us, times a seeded factor within 3 %; peaks: FP16 312, INT8 624, TF32 156 "
    "Tera-operations/s."
)

Row = tuple[str, float, float]  # name, average ms, median ms


def layer_ms(step: Step) -> float:
    """What the formula gives for one layer, without noise."""
    if step.milliseconds is not None:
        return step.milliseconds
    if step.role != KERNEL:
        return 0.0
    distinct = {region.name: region.stored_bytes or 0 for region in (*step.inputs, *step.outputs)}
    moved = sum(distinct.values()) + step.weight_bytes
    peak = PEAK_TERA.get(step.compute, OTHER_PEAK_TERA) if step.layer_type != "PointWiseV2" else OTHER_PEAK_TERA
    compute = step.operations / (peak * 1e9 * COMPUTE_EFFICIENCY)
    memory = moved / (BYTES_PER_MS * MEMORY_EFFICIENCY)
    return max(compute, memory) + FIXED_MS


def profile_rows(description: Description, seed: int = 0) -> list[Row]:
    """(name, average, median) in milliseconds for every layer but constants, in execution order."""
    random = Random(f"profile {description.name} {seed}")
    rows = []
    for step in description.steps:
        if step.role == "constant":
            continue
        average = six(layer_ms(step) * (1 + NOISE * (2 * random.random() - 1)))
        rows.append((step.name, average, six(average * (1 - 0.004 * random.random()))))
    return rows


def six(value: float) -> float:
    """Rounded to the six significant digits that trtexec prints."""
    return float(f"{value:.6g}")


def profile_bytes(rows: list[Row], *, count: int | None = 400, medians: bool = True, escape: bool = True) -> bytes:
    """A profile as trtexec writes it: a count, then one record a line. ``escape``: False keeps names as they are."""
    total = sum(average for _, average, _ in rows) or 1.0
    times = count or 1
    lines = [] if count is None else [f'{{ "count" : {count} }}']
    for name, average, middle in rows:
        quoted = json.dumps(name, ensure_ascii=False) if escape else f'"{name}"'
        median_part = f'"medianMs" : {middle:.6g}, ' if medians else ""
        lines.append(
            f'{{ "name" : {quoted}, "timeMs" : {average * times:.6g}, "averageMs" : {average:.6g}, '
            f'{median_part}"percentage" : {average / total * 100:.6g} }}'
        )
    return ("[\n  " + "\n, ".join(lines) + "\n]\n").encode("utf-8", "surrogatepass")


def per_iteration_bytes(rows: list[Row], iterations: int = 10, seed: int = 0) -> bytes:
    """A dictionary name → list of milliseconds, as a hand-written profiler leaves it. Sums to the rows' averages."""
    random = Random(f"iterations {seed}")
    samples: dict[str, list[float]] = {}
    for name, average, _ in rows:
        wobble = [random.random() - 0.5 for _ in range(iterations)]
        mean = sum(wobble) / iterations
        samples[name] = [average * (1 + 0.05 * (w - mean)) for w in wobble]
    return json.dumps(samples, indent=1).encode()


TIMING_KEYS = (
    "startEnqMs", "endEnqMs", "startH2dMs", "endH2dMs", "startComputeMs", "endComputeMs", "startD2hMs", "endD2hMs",
    "h2dMs", "computeMs", "d2hMs", "latencyMs",
)  # fmt: skip


def query_times(
    description: Description, queries: int = 256, seed: int = 0, warm_up: int = 0
) -> list[dict[str, float]]:
    """One row per inference: launched as one graph, so a little under the sum of the layers; one in fifty is slow.
    warm_up: rows that start in the 200 ms of warm-up.
    """
    random = Random(f"queries {description.name} {seed}")
    base = 0.93 * sum(average for _, average, _ in profile_rows(description, seed))
    rows, device = [], 200.0 - warm_up * (1.06 * base + 0.0025)
    drift = 0.0
    for query in range(queries):
        device = 200.0 if query == warm_up else device
        drift = 0.9 * drift + 0.0008 * (random.random() - 0.5)
        noise = 0.003 * (sum(random.random() for _ in range(6)) - 3)
        slow = 0.02 * random.random() if random.random() < 0.02 else 0.0
        cold = 0.05 if query < warm_up else 0.0
        compute = six(base * (1 + noise + drift + slow + cold))
        start = six(device)
        end = six(device + compute)
        enqueue = six(device - base * 0.8)
        values = (
            enqueue,
            six(enqueue + 0.004 + 0.006 * random.random()),
            start,
            start,
            start,
            end,
            end,
            end,
            0.0,
            compute,
            0.0,
            compute,
        )
        rows.append(dict(zip(TIMING_KEYS, values, strict=True)))
        device += compute + 0.0025
    return rows


def timing_bytes(rows: list[dict[str, float]], version: str = "10.4") -> bytes:
    """Per-query times as trtexec writes them; 8.2 adds ``endToEndMs``."""
    lines = []
    for row in rows:
        pairs = [f'"{key}" : {value:.6g}' for key, value in row.items()]
        if number(version) <= (8, 2):
            pairs.append(f'"endToEndMs" : {row["latencyMs"] * 1.9:.6g}')
        lines.append("{ " + ", ".join(pairs) + " }")
    return ("[\n  " + "\n, ".join(lines) + "\n]\n").encode()


def statistics(values: list[float], version: str) -> list[float]:
    """Minimum, maximum, mean, median and percentiles (99; from 8.5: 90, 95, 99), nearest rank."""
    ordered = sorted(values)
    percentiles = (90, 95, 99) if number(version) >= (8, 5) else (99,)
    picked = [ordered[min(len(ordered) - 1, len(ordered) * p // 100)] for p in percentiles]
    return [six(v) for v in (ordered[0], ordered[-1], sum(ordered) / len(ordered), median(ordered), *picked)]


def synthetic_section(description: Description, generator: str) -> dict[str, Any]:
    return {"is_synthetic": True, "generator": generator, "subject": description.subject, "statement": STATEMENT}


def device_information(version: str) -> dict[str, Any]:
    """An invented device with an A100's public figures; from 8.6 the clocks are called application clocks."""
    head: dict[str, Any] = {"Selected Device": DEVICE, "Compute Capability": 8.0, "SMs": 108.0}
    if number(version) >= (9, 1):
        head = {"Available Devices": "", "Selected Device": DEVICE, "Selected Device ID": "0"} | head
    application = "Application " if number(version) >= (8, 6) else ""
    clock, memory = f"{application}Compute Clock Rate", f"{application}Memory Clock Rate"
    if number(version) >= (10, 0):
        widths: dict[str, Any] = {"Memory Bus Width": "5120 bits (ECC enabled)", clock: "1.41 GHz", memory: "1.215 GHz"}
    else:
        widths = {"Memory Bus Width": 5120.0, clock: 1.41, memory: 1.215}
    return head | {"Device Global Memory": "40536 MiB", "Shared Memory per SM": "164 KiB"} | widths


def run_metadata(
    description: Description, rows: list[dict[str, float]], version: str, generator: str
) -> dict[str, Any]:
    """What process_engine.py keeps of the profiling run, its performance summary computed from ``rows``."""
    compute = [row["computeMs"] for row in rows]
    enqueue = [row["endEnqMs"] - row["startEnqMs"] for row in rows]
    nothing = [0.0] * len(statistics(compute, version))
    wall = (rows[-1]["endComputeMs"] - rows[0]["startComputeMs"]) / 1000 if rows else 0.0
    shapes = ",".join(f"{r.name}={'x'.join(map(str, r.dims))}" for r in description.inputs)
    streams = "Inference Streams" if number(version) >= (8, 6) else "Streams"
    return {
        "synthetic": synthetic_section(description, generator),
        "performance_summary": {
            "Throughput": six(len(rows) / wall) if wall else 0.0,
            "Latency": statistics(compute, version),
            "Enqueue Time": statistics(enqueue, version),
            "H2D Latency": nothing,
            "GPU Compute Time": statistics(compute, version),
            "D2H Latency": nothing,
            "Total Host Walltime": six(wall),
            "Total GPU Compute Time": six(sum(compute) / 1000),
        },
        "inference_options": {
            "Batch": "Explicit",
            "Input inference shape": shapes,
            "Iterations": "10",
            "Duration": "3s (+ 200ms warm up)",
            streams: "1",
            "Data transfers": "Disabled",
            "Spin-wait": "Enabled",
            "CUDA Graph": "Enabled",
            "Separate profiling": "Enabled",
        },
        "device_information": device_information(version),
    }


def build_metadata(description: Description, version: str, generator: str) -> dict[str, Any]:
    """What process_engine.py keeps of the build."""
    types = {step.compute for step in description.steps}
    precision = "FP32" + "".join(f"+{label}" for label in ("FP16", "BF16", "INT8", "FP8") if label in types)
    return {
        "synthetic": synthetic_section(description, generator),
        "model_options": {"Format": "ONNX", "Model": description.onnx},
        "build_options": {
            "Memory Pools": "workspace: default, dlaSRAM: default, dlaLocalDRAM: default, dlaGlobalDRAM: default",
            "avgTiming": "8",
            "Precision": "Strongly Typed" if number(version) >= (11, 0) else precision,
            "Refit": "Disabled",
            "Sparsity": "Disabled",
            "Profiling verbosity": "2",
        },
        "device_information": device_information(version),
    }
