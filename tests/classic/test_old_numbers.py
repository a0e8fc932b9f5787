"""The numbers that TREx's documented formulas give, computed here from the files alone, and those of the plan.

TREx cannot be run here. The formulas are those of its documentation: a tensor's size is the product of its dimensions
and the bytes of its type, a layer's precision is the type of its first input, weights count without biases, shape calls
are no layers. A number of ours that differs does so for a reason that has a row on the migration page, and the recipe
of that row gives the number computed here.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

import trex
from tests.classic.conftest import SHARED_ENGINES
from trex.plan.loading import find_plans

pytestmark = pytest.mark.slow

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "migrating-from-trex.md").read_text("utf-8")
BYTES = {"INT8": 1, "FP16": 2, "FP32": 4, "INT32": 4}
TYPES = {"Int8": "INT8", "Half": "FP16", "FP16": "FP16", "Float": "FP32", "FP32": "FP32", "Int32": "INT32"}
NO_ROWS = ("NoOp", "Constant", "shape_call", "signal", "wait")
TIMES = {"time": "timeMs", "avg_time": "averageMs", "median_time": "medianMs", "pct_time": "percentage"}
MIB = 2**20
# {why a number differs: how its row of the migration page begins}
REASONS = {
    "padding": "bytes of padded formats",
    "bias": "`weights_size` of a layer",
    "other keys": "weights under other keys",
    "Myelin": "GEMMs of Myelin",
    "unknown": "unknown types and sizes",
    "shape call": "shape calls that take time",
    "weights": "`summary_dict`: Weights",
    "activations": "`summary_dict`: Activations",
    "groups": "grouped convolutions",
    "no time": "no profile",
}


@dataclass
class Old:
    """One engine: its plan, and TREx's row of each layer of the file."""

    plan: trex.EnginePlan
    records: list[dict[str, Any]]
    profile: Sequence[dict[str, Any]] | None
    why: Counter[str] = field(default_factory=Counter)

    def rows(self) -> Iterator[tuple[trex.Layer, Any, dict[str, Any]]]:
        """(layer, row of ``plan.df``, TREx's row) of those that both have."""
        ours = list(zip(self.plan.layers, self.plan.df.to_dict("records"), strict=True))
        self.why["shape call"] = sum(layer.subtype == "shape_call" for layer, _ in ours)
        kept = [pair for pair in ours if pair[0].subtype != "shape_call"]
        for (layer, row), record in zip(kept, self.records, strict=True):
            yield layer, row, old_row(record)


def type_of(tensor: dict[str, Any]) -> str:
    return next(TYPES[word] for word in tensor["Format/Datatype"].split() if word in TYPES)


def size_of(tensor: dict[str, Any]) -> int:
    return math.prod(tensor["Dimensions"]) * BYTES[type_of(tensor)]


def old_row(record: dict[str, Any]) -> dict[str, Any]:
    inputs, outputs, weights = record["Inputs"], record["Outputs"], record.get("Weights") or {}
    io = sum(map(size_of, (*inputs, *outputs)))
    stored = weights.get("Count", 0) and weights["Count"] * BYTES[TYPES[weights["Type"]]]
    return {
        "Name": record["Name"].replace("\x1e", "+").replace("\x1f", "+"),
        "subtype": record["LayerType"],
        "type": record.get("ParameterType", record["LayerType"]),
        "tactic": record.get("TacticName", "TensorRT"),
        "precision": type_of(inputs[0]),
        "output_precision": type_of(outputs[0]),
        "total_io_size_bytes": io,
        "weights_size": stored,
        "total_footprint_bytes": io + stored,
    }


def graphs() -> list[Any]:
    """(graph, profile) of every shared engine whose graph lists layers with their tensors."""
    listed = []
    for folder in SHARED_ENGINES:
        for files in find_plans(folder):
            if files.graph and files.graph.endswith(".json") and "names-only" not in folder.name:
                listed.append(pytest.param((files.graph, files.profile), id=folder.name))
    return listed or [pytest.param(None, marks=pytest.mark.skip(reason="../shared is absent"))]


@pytest.fixture(params=graphs())
def old(request: pytest.FixtureRequest) -> Iterator[Old]:
    graph, profile = request.param
    records = json.loads(Path(graph).read_text("utf-8"))["Layers"]
    times = trex.read_profiling_file(profile) if profile else None
    engine = Old(trex.EnginePlan(graph, profile), [row for row in records if row["LayerType"] not in NO_ROWS], times)
    yield engine
    for reason in +engine.why:
        assert f"\n| {REASONS[reason]}" in PAGE, reason


def unpadded(tensor: trex.Activation) -> float:
    """The page's recipe."""
    return tensor.volume * tensor.data_size


def stored(layer: trex.Layer, kind: str) -> float:
    """Bytes of the layer's weights of one kind, as in the page's recipes."""
    return sum(weights.size_bytes or 0 for weights in layer.weights if weights.kind == kind)


def test_names_types_and_tactics(old: Old) -> None:
    for _, row, classic in old.rows():
        for column in ("Name", "subtype", "type", "tactic", "precision", "output_precision"):
            assert row[column] == classic[column], (classic["Name"], column)


def test_sizes(old: Old) -> None:
    for layer, row, classic in old.rows():
        tensors = (*layer.inputs, *layer.outputs)
        io, inputs = sum(map(unpadded, tensors)), stored(layer, "input")
        assert io + inputs == classic["total_io_size_bytes"], layer.name
        old.why["Myelin"] += inputs > 0
        if any(tensor.size_bytes != unpadded(tensor) for tensor in tensors):
            old.why["padding"] += 1
        else:
            assert row["total_io_size_bytes"] == io, layer.name
        if layer.weights_size is None:
            old.why["unknown"] += 1
            assert classic["weights_size"] == 0 and math.isnan(row["weights_size"])
            continue
        if inputs or (layer.weights_size and "Weights" not in layer.raw_dict):
            old.why["other keys"] += not inputs
            assert classic["weights_size"] == 0 < row["weights_size"]
            continue
        assert layer.weights_size - layer.bias_size == classic["weights_size"], layer.name
        assert row["weights_size"] == classic["weights_size"] + layer.bias_size
        old.why["bias"] += layer.bias_size > 0
        assert row["total_footprint_bytes"] == row["total_io_size_bytes"] + row["weights_size"]


def test_times(old: Old) -> None:
    for key, name in TIMES.items():
        column = old.plan.df[f"latency.{key}"]
        if old.profile is None:
            old.why["no time"] += int(column.isna().all())
            assert column.isna().all()
            continue
        if name in old.profile[0]:
            assert list(column) == pytest.approx(_in_order(old, name), rel=1e-3 if key == "pct_time" else 1e-9), key


def _in_order(old: Old, name: str) -> Sequence[float]:
    """The profile's values in the order of the rows: names may repeat."""
    values: dict[str, list[float]] = {}
    for record in old.profile or ():
        clean = record["name"].replace("\x1e", "+").replace("\x1f", "+")
        values.setdefault(clean, []).append(record.get(name, math.nan))
    return [values[layer.name].pop(0) for layer in old.plan.layers]


def test_convolutions(old: Old) -> None:
    convs = {row["Name"]: row for row in old.plan.get_layers_by_type("Convolution").to_dict("records")}
    for layer, row, _ in old.rows():
        if layer.type != "Convolution":
            continue
        conv, record = convs[layer.name], layer.raw_dict
        (batch, channels, *_), out = layer.inputs[0].shape, layer.outputs[0].shape
        taps = math.prod(record["Kernel"])
        assert (conv["attr.M"], conv["attr.N"]) == (batch * math.prod(out[2:]), record["OutMaps"]), layer.name
        assert conv["attr.K"] * conv["attr.groups"] == channels * taps, layer.name
        old.why["groups"] += conv["attr.groups"] > 1
        macs = math.prod(out) * channels * taps // record["Groups"]
        assert conv["attr.macs"] == macs, layer.name
        for name, amount in (("compute", macs), ("memory", row["total_footprint_bytes"])):
            expected = amount / row["latency.avg_time"]
            assert conv[f"attr.{name}_efficiency"] == pytest.approx(expected, nan_ok=True), (layer.name, name)


def test_the_summary(old: Old) -> None:
    plan, facts = old.plan, trex.summary_dict(old.plan)
    rows = list(old.rows())
    assert int(facts["Layers"]) == len(rows) + old.why["shape call"]
    if old.profile is not None:
        total = sum(record["averageMs"] for record in old.profile)
        assert facts["Average time"] == f"{total:.3f} ms"
    activations = sum(map(unpadded, (t for layer in plan.layers for t in (*layer.inputs, *layer.outputs))))
    inputs = sum(stored(layer, "input") for layer in plan.layers)
    assert activations + inputs == sum(classic["total_io_size_bytes"] for _, _, classic in rows)
    weights = sum(stored(layer, "weights") for layer in plan.layers)
    other = sum(stored(layer, "weights") for layer in plan.layers if "Weights" not in layer.raw_dict)
    assert weights == other + sum(classic["weights_size"] for _, _, classic in rows)
    old.why["activations"] += facts["Activations"] != f"{activations / MIB:.1f} MB"
    old.why["weights"] += facts["Weights"] != f"{weights / MIB:.1f} MB"


def test_linters(old: Old) -> None:
    types = {layer.name: (type_of(record["Inputs"][0]), type_of(record["Outputs"][0])) for (layer, _, _), record in
             zip(old.rows(), old.records, strict=True)}  # fmt: skip
    mixed = {layer.name for layer, _, _ in old.rows() if layer.type == "Convolution" and len({*types[layer.name]}) > 1}
    assert set(trex.ConvLinter(old.plan).mixed_precision_lint()) == mixed
    table = trex.ReformatLinter(old.plan).lint()
    words = {"INT8": "Int8"}
    for name, conversion in zip(table["name"], table["type conversion"], strict=True):
        before, after = (words.get(kind, kind) for kind in types[name])
        assert conversion == (f"{before} -> {after}" if before != after else "")
    converted = {layer.name for layer, _, _ in old.rows() if layer.type == "Reformat" and len({*types[layer.name]}) > 1}
    assert converted == set(table["name"][table["type conversion"] != ""])
