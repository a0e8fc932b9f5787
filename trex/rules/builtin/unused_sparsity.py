"""Sparse weights that no sparse kernel uses.

What it finds: layers whose weights are 2:4 sparse (``HasSparseWeights``) but whose kernel is dense; engines built with
sparsity enabled in which no layer has such weights; build logs that list many more layers eligible for sparse kernels
than layers that have one.
Why it matters: sparsity halves the MACs of tensor cores from compute capability 8.0 on. TensorRT times both kernels and
takes the faster; pruning without a sparse kernel loses accuracy for nothing.
What to try: sparse weights where they pay: convolutions of 256 channels and more in and out (fewer for 3×3 windows),
one group, FP16 or INT8. Q/DQ between the stored weights and the layer hides the sparsity: prune before quantizing, and
check the sparsity of the quantized weights.
Does not apply: GPUs before compute capability 8.0, which have no sparse tensor cores; layers whose dense kernel was
faster, which is most small ones: they are listed without savings, and are a note where the log counts some sparse ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.layer import Layer
from trex.plan.gemm import groups_of
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import cost, names_of

SPARSE_SINCE = 80
_DOCUMENTATION = (
    "TensorRT Developer Guide: Sparsity",
    "NVIDIA/TensorRT issues 3849 (sparse kernels win above 256 channels in and out), 4056, 4065",
    "NVIDIA Technical Blog: Accelerating Inference with Sparsity Using the NVIDIA Ampere Architecture and TensorRT",
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    yield from _in_log(engine, limits["share"])
    sparse = [p for p, layer in enumerate(engine.layers) if layer.raw.get("HasSparseWeights") in (1, True)]
    if not sparse:
        if _is_enabled(engine) and any("HasSparseWeights" in layer.raw for layer in engine.layers):
            yield Finding(
                "The engine was built with sparsity enabled, but no layer has 2:4 sparse weights",
                evidence=(Evidence("layers with sparse weights", 0),),
                fix=(
                    "prune 2:4 along the input channels (NVIDIA ASP, Model Optimizer) and fine-tune before exporting",
                    "remove Q/DQ or transpositions between the stored weights and the layer",
                ),
                documentation=_DOCUMENTATION,
                how_to_check="the build log lists layers after '(Sparsity) Layers eligible for sparse math'",
            )
        return
    groups: dict[str, list[int]] = {}
    unknown = []
    for position in sparse:
        layer = engine.layers[position]
        if engine.kernels[position].sparse:
            continue
        if layer.tactic:
            groups.setdefault(_why(layer, engine.capability, limits["channels"]), []).append(position)
        else:
            unknown.append(position)
    for why, positions in groups.items():
        yield _finding(engine, why, positions, len(sparse))
    if unknown:
        yield Unchecked(
            f"{len(unknown):,} layers with sparse weights do not name their kernel",
            "the verbose build log lists the layers after: TRT inference plan picked sparse implementation for layers",
            engine.indexes(unknown),
        )


def _in_log(engine: AnalyzedEngine, share: float) -> Iterator[Finding | Unchecked]:
    """The layers that the build log counts as eligible for sparse kernels, and those that have one."""
    milestones = engine.plan.milestones
    eligible, picked = milestones.get("sparsity_eligible_layers"), milestones.get("sparsity_picked_layers")
    if eligible and picked is None:
        reason = f"the log ends before it reports how many of {eligible:,.0f} eligible layers use sparse kernels"
        yield Unchecked(reason, "keep the whole build log")
    elif eligible and picked is not None and picked < share / 100.0 * eligible:
        yield Finding(
            f"{eligible:,.0f} layers are eligible for sparse kernels, {picked:,.0f} of them use one",
            evidence=(Evidence("eligible layers", int(eligible)), Evidence("layers with sparse kernels", int(picked))),
            fix=(
                "prune where it pays: GEMMs of more than 256 channels in and out",
                "check what the hardware can do: --sparsity=force (wrong results, right times)",
                "keep Q/DQ between the stored weights and the layer from changing zeros",
            ),
            documentation=_DOCUMENTATION,
            how_to_check="the log lists the layers after 'TRT inference plan picked sparse implementation for layers'",
            confidence=0.9,
            severity=Severity.NOTE if picked else None,
        )


def _is_enabled(engine: AnalyzedEngine) -> bool:
    value = str(engine.plan.builder_cfg.get("Sparsity", "")).strip().lower()
    return value in ("enabled", "enable", "forced", "force")


def _channels(layer: Layer) -> tuple[int | None, int | None]:
    shapes = [tensors[0].shape if tensors else None for tensors in (layer.inputs, layer.outputs)]
    source, output = (shape[1] if shape is not None and len(shape) > 2 else None for shape in shapes)
    return source, output


def _why(layer: Layer, capability: int | None, least_channels: float) -> str:
    """Why the builder took the dense kernel, "" if unknown."""
    if capability is not None and capability < SPARSE_SINCE:
        return "the GPU has no sparse tensor cores"
    if groups_of(layer) not in (1, None):
        return "grouped convolutions have no sparse kernels"
    channels, maps = _channels(layer)
    if channels is None or maps is None:
        return "their number of channels is unknown"
    if channels < least_channels or maps < least_channels:
        return f"with less than {least_channels:.0f} channels in or out the dense kernel is faster"
    return ""


def _finding(engine: AnalyzedEngine, why: str, positions: list[int], all_sparse: int) -> Finding:
    sum_ms = sum(engine.savings(positions).values())
    savings = {} if why else engine.savings(positions, 0.5)
    reason = why or "for an unknown reason: TensorRT measured the dense kernel to be faster, or had no sparse one"
    time = f", {cost(sum_ms, engine)}" if sum_ms else ""
    return Finding(
        f"{len(positions):,} of {all_sparse:,} layers with 2:4 sparse weights run dense kernels{time}: {reason}: "
        f"{names_of(positions, engine)}",
        layers=engine.indexes(positions),
        savings=savings,
        formula="time / 2, as tensor cores do half of the MACs; only if C and K are large enough" if savings else "",
        evidence=(
            Evidence("layers with sparse weights", all_sparse),
            Evidence("dense kernels among them", len(positions)),
        ),
        fix=(
            ("leave these layers dense and fine-tune their weights: accuracy at the same speed",)
            if why
            else (
                "trtexec --builderOptimizationLevel=5, at the batch in use"
                if _is_enabled(engine)
                else "trtexec --sparsity=enable --builderOptimizationLevel=5, at the batch in use",
                "compare with a build in FP16 without Q/DQ: if it uses the sparse kernel, Q/DQ prevents it",
            )
        ),
        documentation=_DOCUMENTATION,
        how_to_check="the kernel's name contains sp or sparse, and the layer's time falls",
        confidence=0.6 if why else 0.3,
        severity=Severity.NOTE if why else None,
    )


RULE = Rule(
    "SPARSE001",
    "sparse weights on dense kernels",
    Severity.WARNING,
    check,
    {
        "channels": RuleLimit(256.0, "", "least number of channels in and out for which sparse kernels pay"),
        "share": RuleLimit(50.0, "%", "least share of eligible layers with sparse kernels, in the build log"),
    },
)
