"""Figures of trex validate, fitted constants and docstrings of passes → the page on the simulated builder."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trex.simulator.builder import passes_in_order
from trex.simulator.published import family_goal_lines, family_rows, source_lines
from trex.simulator.structure import kept_structure
from trex.simulator.timing import tile
from trex.simulator.timing.constants import fitted
from trex.simulator.timing.intervals import (
    COMPUTE,
    DISTANCES,
    LEAST_ENGINES,
    OTHER,
    SAME_ARCHITECTURE,
    SAME_GPU,
    UNJUDGED,
    UNJUDGED_DEVIATION,
)
from trex.simulator.validation import goal_lines, kept_figures
from trex.views.document import Text
from trex.views.table import Table
from trex.views.validation import published_table, structure_section, validation_table

_INTRODUCTION = """\
`trex process model.onnx out --backend simulated --device A100 fp16` predicts the engine that TensorRT would build
from an ONNX model and how long it would take, without a GPU and without TensorRT, and writes the files that a real
run writes. Nothing is built or measured, and every view of such an engine says *simulated*. `trex explain-build`
prints each decision with its rule, `trex whatif` tries other GPUs, batches and quantizers, and `trex validate`
computes the figures on this page. Use it to learn which layers fuse, what causes reformats and what an idea may save.
Where milliseconds matter, measure.
"""
_MEANINGS = """\
Each engine is predicted from the model it was built from, where `trex.examples` can rebuild that model.

- **layers**: predicted and real layers that launch kernels. **type distance**: between the histograms of layer types;
  0 means equal, 1 means nothing in common.
- **groups equal**: fused groups with the same set of ONNX operations. **copies**: predicted and real Reformat layers;
  **copies equal**: those on the same side of the same layer. A reformat at the other end of the same tensor does not
  count as equal.
- **rank correlation** (Spearman): of layer times, matched by the operations they contain. **sum of layers** and **GPU
  compute**: predicted over measured time. The constants are fitted without the engine. Times are not judged where the
  GPU is unknown.
- **as expected**: whether the measured GPU compute time lies within the predicted error bar, which is also computed
  without the engine.
"""
_HONEST = """\
Times and error bars are held out: no constant is fitted to the engine that judges it. Fusions are less independent:
the rules are published by NVIDIA, as each pass says, but they were worked out with these engines at hand, so other
networks may be predicted less well. All networks in this table are convolutional. Transformers of TensorRT 8 to 10 have
no real engine with a model to judge them: their kernels follow what is published and what TensorRT for RTX builds.

`trex validate ENGINE --onnx MODEL` compares an engine of your own with its prediction.
"""
_STRUCTURE = """\
TensorRT for RTX builds without a GPU, so the kernels that trex simulates for TensorRT 11 can be compared with real
builds of many networks: the example networks in all their precisions, building blocks that trex writes, and what the
package `onnx` brings: published networks and every tenth of its operator tests. `trex validate --backend tensorrt-rtx`
repeats it in a few minutes. The rules were not adjusted to a third of the networks, chosen by a checksum of their
names; some of their builds were seen before the rules were written. *groups equal*: kernels with the same set of ONNX
nodes, of the larger number of both sides. Before these rules, 31 % of the groups were equal.

Weakest are loops, conditions and recurrent layers, which stay one layer here, and small operator graphs that compute
shapes at run time. Times of such engines were never measured: kernels are chosen on the GPU.
"""
_PUBLISHED = """\
Others publish times of networks that `trex.examples` can write. They have no times of layers, so constants are fitted
to their sums, where they are times of the GPU and of the kernels that the network has. Each family of networks is
predicted as if trex had never met it: constants, judged kinds of work and error bars come from the engines and figures
of other families (leave-one-family-out). *By all engines* is the median with the measured engines of the family, too.
The form of the model was chosen with these figures at hand: the clock of parts that are held to a low power, and
depthwise convolutions on the CUDA cores.
"""
_BARS = f"""\
Every prediction has an error bar: in `trex summary` and the reports, in `trex whatif`, and in the engine's metadata
(`simulated`: `expected_from_ms`, `expected_to_ms`). It is meant to contain nine of ten engines, and has three parts, by
the share of the predicted time in each. `unjudged` in the metadata, and a note, name the kinds of work of the second:

- **Work that measured engines have judged**, from the errors of predictions of real engines by constants that were
  fitted without them, and of published times. There are three cases: the constants were fitted to other engines on the
  same GPU, to none on this GPU but some of its compute capability, or to none of its compute capability. Engines of one
  network family on one GPU count as one group; few groups have a wide interval (Student).
- **Kinds of work that no measured engine has judged**, such as GEMMs, attention, and depthwise convolutions in FP16:
  × {UNJUDGED[0]:.2f} to × {UNJUDGED[1]:.2f}, nine tenths of a distribution whose logarithm has a standard deviation of
  {UNJUDGED_DEVIATION:g}: the looseness of the time model's own constants before any fit. A kind is judged by the
  measured layers of at least {LEAST_ENGINES} engines; convolutions, GEMMs and attention by those of the same precision.
- **Layers of unknown work** (plugins, loops).

Some parts cannot keep their boost clock under matrix work. Those whose base clock is known (T4, A10, L4) are predicted
near it; others that are held back by their power limit widen the bar further. The number of engines is small: the bars
show what these engines measured, and are no guarantee.

For simulated engines, `trex compare` prints the speed-up between the ends of both bars that are furthest apart, because
the errors of two predictions may not cancel: an engine that is predicted a few percent faster may be the slower one.
Samples and `--noise` play no role in it. [How engines are compared](comparison.md#is-it-faster) describes the rule.
"""
_LEFT_OUT = """\
- TensorRT itself: no kernel is timed. Where two kernels are about equally fast, TensorRT may choose another kernel,
  layout or reformat. Kernel names (`sim_…`) are invented.
- Weights: they are not read, so sparsity, constant values and accuracy play no role. INT8 comes from Q/DQ nodes only;
  calibration is not simulated.
- Plugins, loops, conditions and operators of other domains: each stays a layer of its own, with a note; its time is the
  least that its tensors take. A gate is inconclusive about two models with such layers.
- Several optimization profiles, concurrent streams, DLA, refitting, weight streaming, timing caches, and shapes other
  than the requested ones.
- Transfers between host and device, engine memory other than tensors, build time, clocks under load, temperature,
  other work on the GPU.
- Noise: all samples are equal unless `--noise SEED` adds some, which is generated, not predicted.
"""


def simulated_page() -> str:
    parts = [
        "# The simulated builder\n",
        _INTRODUCTION,
        "## How accurate are predictions?\n",
        *_figures(),
        _MEANINGS,
        _HONEST,
        "## How equal are kernels?\n",
        _STRUCTURE,
        *_structure(),
    ]
    parts += ["### Published times\n", _PUBLISHED, *_published()]
    parts += ["## Error bars\n", _BARS, *_intervals(), "## Times\n", *_times(), "## Passes\n", *_passes()]
    return "\n".join([*parts, "## What is not simulated\n", _LEFT_OUT])


def _figures() -> Iterator[str]:
    document = kept_figures()
    yield f"Judged on {document['judged']} by `trex validate`.\n"
    yield from _table(validation_table(document))
    yield "\nGoals:\n"
    yield from (f"- {line}" for line in goal_lines(document))
    yield ""


def _structure() -> Iterator[str]:
    for block in structure_section(kept_structure()).blocks:
        if isinstance(block, Table):
            yield from _table(block)
            yield ""
        elif isinstance(block, Text):
            yield from (f"- {line}" for line in block.lines)
    yield ""


def _table(table: Table) -> Iterator[str]:
    yield "| " + " | ".join(column.heading for column in table.columns) + " |"
    yield "|" + "|".join(" ---: " if column.is_number else " --- " for column in table.columns) + "|"
    for row in table.rows:
        yield "| " + " | ".join(column.cell(value) for column, value in zip(table.columns, row)) + " |"


def _published() -> Iterator[str]:
    entries = kept_figures()["published"]
    yield from _table(published_table(family_rows(entries)))
    yield "\nGoals:\n"
    yield from (f"- {line}" for line in family_goal_lines(entries))
    yield "\nSources:\n"
    yield from (f"- {line}" for line in source_lines())
    yield ""


def _intervals() -> Iterator[str]:
    intervals = fitted().document["intervals"]
    words = {
        SAME_GPU: "the same GPU",
        SAME_ARCHITECTURE: "its compute capability",
        OTHER: "neither",
    }
    yield "Measured over predicted time, of judged work:\n"
    yield "| fitted to engines of | GPU compute | groups | engines and published times |"
    yield "| --- | --- | ---: | ---: |"
    for distance in DISTANCES:
        entry = intervals[COMPUTE][distance]
        low, high = entry["low"], entry["high"]
        yield f"| {words[distance]} | × {low:.2f} to × {high:.2f} | {entry['groups']} | {entry['engines']} |"
    yield ""


def _times() -> Iterator[str]:
    document = fitted().document
    names = sorted({f"{engine['device']} ({engine['compute_capability']})" for engine in document["engines"]})
    yield (
        "A roofline: the time of a layer is the larger of its MACs and its bytes at the published rates, divided by\n"
        "the efficiency of its kind, plus a launch, a start and the steps over K that wait for their operands. The\n"
        f"shares below were fitted on {document['fitted']} to the layers of {len(document['engines'])} engines on\n"
        f"{', '.join(names)},\n"
        f"and to {sum(group['figures'] for group in document['published'])} published times.\n"
    )
    yield (tile.__doc__ or "").partition("\n\n")[2].replace("``", "`").strip() + "\n"
    yield "| constant | value | unit | with some left out | before fitting | layers | published times |"
    yield "| --- | ---: | --- | --- | --- | ---: | ---: |"
    for name, entry in document["constants"].items():
        low, high = entry["spread"] or ("–", "–")
        prior = "–" if "prior" not in entry else f"{entry['prior']:g}: {entry['prior_source']}"
        value, unit, layers = f"{entry['value']:g}", entry["unit"], entry.get("layers", "–")
        yield f"| {name} | {value} | {unit} | {low} to {high} | {prior} | {layers} | {entry.get('figures', '–')} |"
    yield "\nA constant without either keeps its value from before fitting.\n"


def _passes() -> Iterator[str]:
    yield ("In this order. Each pass is a file in `trex/simulator/passes/`; `trex explain-build` prints what it did.\n")
    for plug in passes_in_order():
        text = re.sub(r"/\n(?=\w)", "/", plug.doc.partition("\n\n")[2])
        text = (
            re.sub(r"(?m)^(What it does|The rule|What it leaves out): ", r"\n**\1:** ", text).strip().replace("``", "`")
        )
        yield f"### {plug.value.title}\n\n`{plug.name}`: {plug.summary.replace('``', '`')}\n\n{text}\n"
