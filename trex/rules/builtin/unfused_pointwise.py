"""Adjacent pointwise kernels that did not fuse.

What it finds: chains of pointwise kernels (additions, activations, scales), each the only reader of the one before.
Why it matters: memory bounds such kernels: each reads and writes the whole tensor for a few operations. One kernel for
the chain does both once.
What to try: the same type and layout in the whole chain (a reformat, a cast or another precision between them prevents
fusion); one ONNX operator instead of several (Gelu, HardSwish, Mish); broadcasts as constants of full rank; no plugin
and no tensor marked as an output between them.
Does not apply: results that other layers read too, or that are outputs of the engine; kernels on different streams;
kernels whose tensors differ in shape (broadcasts), which TensorRT may keep apart on purpose.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import ONE_PASS_FORMULA, AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import cost, layer_name, listed, type_and_layout


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    least_ms = engine.total_ms * limits["share"] / 100 if engine.is_timed else 0.0
    small: list[list[int]] = []
    for chain in _chains(engine):
        if _gain(engine, chain) < least_ms:
            small.append(chain)
        else:
            yield _finding(engine, [chain])
    if small and sum(_gain(engine, chain) for chain in small) >= least_ms:
        yield _finding(engine, small)


def _gain(engine: AnalyzedEngine, chain: list[int]) -> float:
    return sum(engine.one_pass_savings(chain).values())


def _chains(engine: AnalyzedEngine) -> Iterator[list[int]]:
    """Longest chains of pointwise kernels, each the only reader of the one before."""
    following = _following(engine)
    for start in sorted(set(following) - set(following.values())):
        chain = [start]
        while chain[-1] in following:
            chain.append(following[chain[-1]])
        yield chain


def _following(engine: AnalyzedEngine) -> dict[int, int]:
    """{pointwise kernel: the pointwise kernel that is its only reader}, each reader once."""
    following: dict[int, int] = {}
    taken: set[int] = set()
    for position, layer in enumerate(engine.layers):
        if not engine.operations.is_pointwise(position):
            continue
        after = engine.after(position)
        if len(after) != 1 or after[0] in taken or not engine.operations.is_pointwise(after[0]):
            continue
        reader = engine.layers[after[0]]
        if any(tensor.name in engine.outputs for tensor in layer.outputs) or layer.stream != reader.stream:
            continue
        shape = layer.outputs[0].shape if layer.outputs else None
        if shape is not None and reader.outputs and reader.outputs[0].shape == shape:
            following[position] = after[0]
            taken.add(after[0])
    return following


def _finding(engine: AnalyzedEngine, chains: list[list[int]]) -> Finding:
    positions = [position for chain in chains for position in chain]
    layers = [engine.layers[position] for position in positions]
    formats = list(dict.fromkeys(type_and_layout(tensor) for layer in layers for tensor in layer.outputs[:1]))
    savings = {index: ms for chain in chains for index, ms in engine.one_pass_savings(chain).items()}
    time_ms = sum(engine.savings(positions).values())
    between = [tensor.size_bytes for c in chains for p in c[:-1] for tensor in engine.layers[p].outputs[:1]]
    fixes = ["write them as one operator or one expression of the same type, without reshapes or casts between"]
    if not engine.is_for_rtx:
        fixes.append("trtexec --builderOptimizationLevel=5")
    if len(formats) > 1 and len(chains) == 1:
        fixes.insert(0, f"use one type and layout: they write {' and '.join(formats)}")
    if any(layer.type == "Scale" for layer in layers):
        fixes.insert(0, "fold the Scale (a batch normalization or an affine part) into the layer before it")
    time = f", {cost(time_ms, engine)}" if time_ms else ""
    subject = f"{len(layers)} adjacent pointwise kernels did not fuse"
    if len(chains) > 1:
        subject = f"{counted(len(chains), 'short chain')} of adjacent pointwise kernels, {len(layers):,} in total"
    return Finding(
        f"{subject}{time}: {listed(layer_name(layer) for layer in layers)}",
        layers=engine.indexes(positions),
        savings=savings,
        formula=ONE_PASS_FORMULA if savings else "",
        evidence=(
            Evidence("chains", len(chains)),
            Evidence("kernels", len(layers)),
            Evidence("types and layouts", ", ".join(formats)),
            Evidence("bytes between them", None if None in between else sum(size or 0 for size in between), "bytes"),
        ),
        fix=tuple(fixes),
        documentation=(
            "TensorRT Developer Guide: Pointwise Fusion",
            "TensorRT Developer Guide: Layer Fusion",
        ),
        how_to_check="the new engine has one layer for all of a chain",
        confidence=0.6 if len(formats) == 1 else 0.4,
    )


RULE = Rule(
    "FUSE001",
    "adjacent pointwise kernels",
    Severity.WARNING,
    check,
    {"share": RuleLimit(0.5, "%", "least share of the engine's time that could be saved")},
)
