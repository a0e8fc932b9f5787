"""Copies for slices and concatenations.

What it finds: reformats and copies that the builder made for a slice, a split, a concatenation or the output of a fused
GEMM: by their origin (``SLICE``, ``CONCAT``), or by names that end in ``copy``; kernels of their own that only join,
split or pad, or that copy a tensor before a part of it is scattered; grouped by the tensor they split or join.
Why it matters: splitting and joining can be free, as a view of the memory; a copy reads and writes everything again.
What to try: concatenate along the first dimension after the batch in memory (channels in NCHW), with parts that are
multiples of the layout's vector; let one layer write each part; move a plugin or slice away from the concatenation;
split the weights of a GEMM instead of its result; let poolings and convolutions pad.
Does not apply: copies that also change the type, as clones of a QuantizeLinear do (QDQ001, REF005); kernels
that compute as well, or prepare an input of the engine (REF003); copies that take a
few microseconds in total, below the limit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.core.layer import REFORMATS, Layer
from trex.core.shape import volume
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.data_movement import GENERATED, MOVING
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import operations_of, operator_word
from trex.rules.plugins import is_plugin
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import PROFILE_HINT, cost, layer_name, listed, names_of, shortened

_ORIGINS = {"SLICE": "slice", "SPLIT": "slice", "CONCAT": "concatenation", "CONCATENATION": "concatenation"}
_COPY = re.compile(r"(?:[ _]copy(?:_(?:input|output)(?:_?\d+)?)?|[ _]clone(?:_\d+)?)$", re.IGNORECASE)
_COPYING = (*REFORMATS, "Copy", "copy")
_DONE = {
    "slice": "is split by {} instead of a view",
    "concatenation": "is joined by {} instead of a view",
    "copy": "is copied by {} instead of a view",
    "padding": "is padded by {}",
    "scatter": "is copied by {} before a part of it is written",
}
_FIXES = {
    "concatenation": "concatenate channels in multiples of the layout's vector, each part written by one layer only",
    "padding": "let the pooling or convolution pad (its attribute pads); before a max pooling, zeros of Pad equal it "
    "only after a ReLU",
    "scatter": "keep the tensor outside of the engine and return the new rows only, or update it in place (aliased "
    "input and output)",
}

_BEFORE = "slice or concatenate before the layout changes, along the outermost dimension after the batch"


def kind_of_copy(layer: Layer) -> str:
    """``slice``, ``concatenation`` or ``copy``; "" for a layer that is no such copy."""
    origin = layer.raw.get("Origin")
    if isinstance(origin, str) and origin.upper() in _ORIGINS:
        return _ORIGINS[origin.upper()]
    if not _COPY.search(layer.name):
        return ""
    name = layer.name.lower()
    return "concatenation" if "concat" in name else "slice" if "slice" in name or "split" in name else "copy"


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    groups: dict[tuple[str, str], list[int]] = {}
    for position in engine.of_type(*_COPYING):
        layer = engine.layers[position]
        kind = kind_of_copy(layer)
        if kind and not engine.flow.is_conversion(position):
            tensors = layer.outputs if kind == "concatenation" else layer.inputs
            groups.setdefault((kind, tensors[0].name if tensors else layer.name), []).append(position)
    if groups and not engine.is_timed:
        every = engine.indexes(position for positions in groups.values() for position in positions)
        yield Unchecked("the cost of these copies is unknown without a profile", PROFILE_HINT, every)
    for position in engine.of_type(*GENERATED, "Slice") if engine.is_timed else ():
        kind = _kind_of_kernel(engine, position)
        if kind:
            groups.setdefault((kind, _subject(engine, kind, position)), []).append(position)
    for (kind, tensor), positions in groups.items():
        if not engine.is_timed or engine.takes_share(engine.sum_ms(positions), limits["share"]):
            yield _finding(engine, kind, tensor, positions)


def _kind_of_kernel(engine: AnalyzedEngine, position: int) -> str:
    """As ``kind_of_copy``, of a kernel that is no reformat; also ``padding`` and ``scatter``, whose tensor it copies.

    Not of a kernel that computes as well, and not of one that prepares an input of the engine (REF003).
    """
    layer, words = engine.layers[position], engine.operations.tokens(position)
    if layer.type == "Slice":
        source, output = (tensors[0].shape if tensors else None for tensors in (layer.inputs, layer.outputs))
        grows = source is not None and output is not None and (volume(output) or 0) > (volume(source) or 0) > 0
        return "padding" if grows and not engine.flow.reads_binding(position) else ""
    if _is_copied_for_scatter(engine, position):
        return "scatter"
    if not words or not words <= MOVING | {"resize"} or not (layer.inputs and layer.outputs):
        return ""
    if engine.flow.writes_binding(position) and not engine.after(position):
        return ""  # the layout, or the padding that it drops, is the output's
    if ("concat" in words and len(layer.inputs) > 1) or (
        "transpose" in words and operator_word(layer.outputs[0].name.partition("_output_")[0]).startswith("concat")
    ):
        return "concatenation"
    return "slice" if "slice" in words and not engine.flow.reads_binding(position) else ""


def _is_copied_for_scatter(engine: AnalyzedEngine, position: int) -> bool:
    """Whether it copies a whole tensor into the one that a scatter then writes a part of."""
    layer, words = engine.layers[position], engine.operations.tokens(position)
    if not words or not words <= MOVING | {"gather"}:
        return False
    sources = {(tensor.shape, tensor.data_type) for tensor in layer.inputs if tensor.shape}
    copied = {t.name for t in layer.outputs if (t.shape, t.data_type) in sources and len(t.shape or ()) > 1}
    return any(
        "scatter" in engine.operations.tokens(reader) and not copied.isdisjoint(engine.flow.read_names(reader))
        for reader in engine.after(position)
    )


def _subject(engine: AnalyzedEngine, kind: str, position: int) -> str:
    """The operator that joins, else the joined tensor; of another kind, the tensor that is read."""
    layer = engine.layers[position]
    if kind != "concatenation":
        return layer.inputs[0].name
    named = (name for name in operations_of(layer) if operator_word(name).startswith("concat"))
    return next(named, layer.outputs[0].name)


def _finding(engine: AnalyzedEngine, kind: str, tensor: str, positions: list[int]) -> Finding:
    layers = [engine.layers[position] for position in positions]
    time_ms = engine.sum_ms(positions)
    sizes = [output.size_bytes for layer in layers for output in layer.outputs]
    copied = sum(size for size in sizes if size is not None) if sizes and None not in sizes else None
    sides = engine.before if kind in ("slice", "copy") else engine.after
    neighbors = list(dict.fromkeys(neighbor for position in positions for neighbor in sides(position)))
    around = f" ({names_of(neighbors, engine)})" if neighbors else ""
    is_of_product = any(map(engine.operations.is_gemm, neighbors))
    has_plugin = any(is_plugin(engine.layers[neighbor]) for neighbor in neighbors)
    return Finding(
        f"{shortened(tensor)} {_DONE[kind].format(counted(len(positions), 'copy', 'copies'))}{around}: "
        f"{cost(time_ms, engine)}",
        layers=engine.indexes(positions),
        savings=engine.savings(positions),
        formula="time of the copies",
        evidence=(
            Evidence("copies", listed((layer_name(layer) for layer in layers), 20)),
            Evidence("time of the copies", time_ms, "ms"),
            Evidence("bytes written", copied, "bytes"),
        ),
        fix=(
            *(("move the slice or concatenation into the plugin, which has the whole tensor",) if has_plugin else ()),
            *(
                (_FIXES[kind],)
                if kind in _FIXES
                else ("split the weights instead of the result: one GEMM per part writes where its reader reads",)
                if is_of_product
                else ()
            ),
            *((_BEFORE,) if kind not in ("padding", "scatter") else ()),
        ),
        documentation=("NVIDIA/TensorRT issues 1117, 2075, 4345",),
        how_to_check="the new engine has no layer of these names",
        confidence=0.6,
        tensors=(tensor,),
    )


RULE = Rule(
    "MOVE001",
    "copies for slices and concatenations",
    Severity.WARNING,
    check,
    {"share": RuleLimit(0.25, "%", "least share of one tensor's copies in the engine's time")},
)
