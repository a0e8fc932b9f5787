"""Figures of trex validate, fitted constants and docstrings of passes → the page of the simulated builder."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from trex.simulator.builder import passes_in_order
from trex.simulator.timing import tile
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.intervals import COMPUTE, DISTANCES, OTHER, SAME_ARCHITECTURE, SAME_GPU, TOTAL
from trex.simulator.validation import goal_lines, kept_figures
from trex.views.validation import validation_table

_INTRODUCTION = """\
`trex process model.onnx out --backend simulated --device A100 fp16` predicts the engine that TensorRT would build from
an ONNX model and how long it would take, without a GPU and without TensorRT, and writes the files that a real run
writes. Nothing is built or measured, and every view of such an engine says *simulated*. `trex explain-build` tells each
decision with its rule, `trex whatif` tries other GPUs, batches and quantizers, and `trex validate` makes the figures
of this page. It is a means to learn which layers fuse, where copies come from and what an idea may be worth: where
milliseconds count, measure.
"""
_MEANINGS = """\
Each engine is predicted from the model it was built of, as far as `trex.examples` can rebuild that.

- **layers**: those that launch kernels, predicted of real ones. **type distance**: of the histograms of layer types;
  0 is the same, 1 nothing in common.
- **groups equal**: fused groups that are the same sets of ONNX operations. **copies**: Reformat layers, predicted of
  real ones; **copies equal**: those that serve the same layer from the same side. A copy at the other end of the same
  tensor does not count as equal.
- **rank correlation** (Spearman) of layer times, matched by the operations they hold; **sum of layers** and **GPU
  compute**: predicted over measured. All with constants fitted without the engine; no time is judged where nothing
  tells the GPU.
- **as expected**: whether the measured GPU compute time lies between the bounds that would have been told, bounds
  made without the engine, too.
"""
_HONEST = """\
The times are blind: no constant was fitted to the engine that it is judged by, nor were the error bars. The fusions are
not as blind: the rules are NVIDIA's published ones, as each pass says, but they were worked out with these engines in
view, so that other networks may be predicted less well. All networks judged are convolutional; fusions of transformers
follow what is published of Myelin, and no real engine with a model that can be rebuilt judges them.
"""
_BARS = """\
Every prediction is told with the times between which it is expected: in `trex summary` and the reports, in
`trex whatif`, and in the engine's metadata (`simulated`: `expected_from_ms`, `expected_to_ms`). They are the extremes
by which sums of real engines were missed, by constants that had not seen them, at the same distance: with other engines
of the same GPU among those fitted to, with none of the GPU but some of its compute capability, with none of its compute
capability.
Layers whose work is not told (plugins, loops), engines of many short kernels on a GPU that no engine tells of, and
parts held back by their power widen them. For single layers they hold eight of ten. Engines are few: the bars are what
these have shown, not a promise.

`trex compare` of simulated engines tells the speed-up between the ends of both bars that are furthest apart, as errors
of two predictions need not cancel: an engine that is predicted a few percent faster may be the slower one. Samples and
`--noise` play no role in it. [How engines are compared](comparison.md#is-it-real) has the rule.
"""
_LEFT_OUT = """\
- TensorRT itself: no kernel is timed, so that where two are nearly as fast another one, another layout or another copy
  may be taken than TensorRT takes. Kernels' names (`sim_…`) are invented.
- Weights: they are not read, so sparsity, constant values and accuracy play no role; INT8 comes from Q/DQ nodes only,
  calibration is not simulated.
- Plugins, loops, conditions and operators of other domains stay layers of their own, with a Note; their times are the
  least that their tensors take.
- Several optimization profiles, streams side by side, DLA, refitting, weight streaming, timing caches, and shapes
  beside those that are asked for.
- Memory of the engine beside its tensors, time of the build, clocks under load, temperature, other work on the GPU.
- Noise: samples are all alike unless `--noise SEED` asks for some, which is made, not predicted.
"""


def simulated_page() -> str:
    parts = ["# The simulated builder\n", _INTRODUCTION, "## How far it holds\n", *_figures(), _MEANINGS, _HONEST]
    parts += ["## Error bars\n", _BARS, *_intervals(), "## Times\n", *_times(), "## Passes\n", *_passes()]
    return "\n".join([*parts, "## What is not simulated\n", _LEFT_OUT])


def _figures() -> Iterator[str]:
    document = kept_figures()
    yield f"Judged on {document['judged']} by `trex validate`.\n"
    table = validation_table(document)
    yield "| " + " | ".join(column.heading for column in table.columns) + " |"
    yield "|" + "|".join(" ---: " if column.is_number else " --- " for column in table.columns) + "|"
    for row in table.rows:
        yield "| " + " | ".join(column.cell(value) for column, value in zip(table.columns, row)) + " |"
    yield "\nWhat was aimed at:\n"
    yield from (f"- {line}" for line in goal_lines(document))
    yield ""


def _intervals() -> Iterator[str]:
    intervals = fitted().document["intervals"]
    words = {
        SAME_GPU: "engines of the same GPU are known",
        SAME_ARCHITECTURE: "of its compute capability",
        OTHER: "of neither",
    }
    yield "Measured over predicted time:\n"
    yield "| what is known | sum of layers | GPU compute | engines | eight of ten layers |"
    yield "| --- | --- | --- | ---: | --- |"
    for distance in DISTANCES:
        cells = [_factors(intervals[whole].get(distance)) for whole in (TOTAL, COMPUTE)]
        engines = intervals[TOTAL].get(distance, {}).get("engines", "–")
        layers = _factors(intervals["layer"].get(distance, {}).get("all kinds"))
        yield f"| {words[distance]} | {' | '.join(cells)} | {engines} | {layers} |"
    yield ""


def _factors(entry: Mapping[str, Any] | None) -> str:
    return "–" if entry is None else f"× {entry['low']:.2f} to × {entry['high']:.2f}"


def _times() -> Iterator[str]:
    document = fitted().document
    names = sorted({f"{each['device']} ({each['compute_capability']})" for each in document["engines"]})
    yield (
        "A roofline: a layer takes as long as the slower of its products and its bytes at the published rates, over\n"
        "an efficiency of its kind, with a launch, a start and the steps over K that wait for their operands. The\n"
        f"shares below were fitted on {document['fitted']} to the layers of {len(document['engines'])} engines on\n"
        f"{', '.join(names)}.\n"
    )
    yield (tile.__doc__ or "").partition("\n\n")[2].replace("``", "`").strip() + "\n"
    yield "| constant | value | unit | when one is left out | before any fit | layers |"
    yield "| --- | ---: | --- | --- | --- | ---: |"
    for name, entry in document["constants"].items():
        low, high = entry["spread"] or ("–", "–")
        prior = "–" if "prior" not in entry else f"{entry['prior']:g}: {entry['prior_source']}"
        value, unit, layers = f"{entry['value']:g}", entry["unit"], entry.get("layers", "–")
        yield f"| {name} | {value} | {unit} | {low} to {high} | {prior} | {layers} |"
    yield "\nWhere no layer met a constant, it is what it was before any fit.\n"


def _passes() -> Iterator[str]:
    yield (
        "In this order, each a file in `trex/simulator/passes/`; `trex explain-build` tells what each of them\ndid.\n"
    )
    for plug in passes_in_order():
        text = re.sub(r"/\n(?=\w)", "/", plug.doc.partition("\n\n")[2])
        text = (
            re.sub(r"(?m)^(What it does|The rule|What it leaves out): ", r"\n**\1:** ", text).strip().replace("``", "`")
        )
        yield f"### {plug.value.title}\n\n`{plug.name}`: {plug.summary.replace('``', '`')}\n\n{text}\n"
