"""Sparse weights that no sparse kernel makes use of.

What it finds: layers whose weights are 2:4 sparse (``HasSparseWeights``) but whose kernel is dense; engines built with
sparsity enabled in which no layer has such weights.
Why it matters: sparsity halves the products of the matrix units from compute capability 8.0 on. TensorRT times both
kernels and takes the faster; a network pruned for nothing has lost accuracy for nothing.
What to try: sparse weights where they pay: convolutions of 256 channels and more in and out (3×3 windows from less on),
one group, FP16 or INT8. Q/DQ between the stored weights and the layer keeps them from being recognized: prune before
quantizing, and check the sparsity of the quantized weights.
Does not apply: to GPUs before compute capability 8.0, whose units are dense; to layers for which the dense kernel was
measured to be faster, which is most small ones: they are named, and have no price.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from trex.core.layer import Layer
from trex.rules.analyzed_engine import Inspected
from trex.rules.finding import CannotTell, Evidence, Finding, Severity
from trex.rules.operations import capability_of
from trex.rules.rule import Limit, Rule
from trex.rules.wording import listed, main_operation, priced

SPARSE_SINCE = 80
_HALF = 0.5
_FORMULA = "time / 2, as the matrix units do half of the products; only where C and K are large enough"
_DOCUMENTATION = (
    "TensorRT Developer Guide: Sparsity",
    "NVIDIA/TensorRT issue 3849: sparse kernels win above 256 channels in and out",
    "NVIDIA Technical Blog: Accelerating Inference with Sparsity Using the NVIDIA Ampere Architecture and TensorRT",
)


def check(seen: Inspected, limits: Mapping[str, float]) -> Iterable[Finding | CannotTell]:
    sparse = [place for place, layer in enumerate(seen.layers) if layer.raw.get("HasSparseWeights") in (1, True)]
    if not sparse:
        if _is_enabled(seen) and any("HasSparseWeights" in layer.raw for layer in seen.layers):
            yield Finding(
                "the engine was built with sparsity enabled, but no layer has 2:4 sparse weights",
                evidence=(Evidence("layers with sparse weights", 0),),
                advice=(
                    "prune 2:4 along the input channels (NVIDIA ASP, Model Optimizer) and fine-tune before exporting",
                    "check that no Q/DQ or transposition stands between the stored weights and the layer",
                ),
                documentation=_DOCUMENTATION,
                proof="the build log lists layers after (Sparsity) Layers eligible for sparse math",
            )
        return
    dense = [place for place in sparse if not seen.kernels[place].sparse]
    untold = [place for place in dense if not seen.layers[place].tactic]
    dense = [place for place in dense if seen.layers[place].tactic]
    capability = capability_of(seen)
    groups: dict[str, list[int]] = {}
    for place in dense:
        groups.setdefault(_why(seen.layers[place], capability, limits["channels"]), []).append(place)
    for why, places in groups.items():
        yield _finding(seen, why, places, len(sparse))
    if untold:
        yield CannotTell(
            f"{len(untold):,} layers with sparse weights do not name their kernel",
            "the verbose build log lists the layers after: TRT inference plan picked sparse implementation for layers",
            tuple(seen.layers[place].index for place in untold),
        )


def _is_enabled(seen: Inspected) -> bool:
    value = str(seen.plan.builder_cfg.get("Sparsity", "")).strip().lower()
    return value in ("enabled", "enable", "forced", "force")


def _channels(layer: Layer) -> tuple[int | None, int | None]:
    shapes = [tensors[0].shape if tensors else None for tensors in (layer.inputs, layer.outputs)]
    source, output = (shape[1] if shape is not None and len(shape) > 2 else None for shape in shapes)
    return source, output


def _why(layer: Layer, capability: int | None, enough: float) -> str:
    """Why the dense kernel was taken, "" where no reason is to be seen."""
    if capability is not None and capability < SPARSE_SINCE:
        return "the GPU has no sparse matrix units"
    groups = layer.raw.get("Groups", 1)
    if groups not in (1, None):
        return "grouped convolutions have no sparse kernels"
    channels, maps = _channels(layer)
    if channels is None or maps is None:
        return "how many channels they have is not told"
    if channels < enough or maps < enough:
        return f"with less than {enough:.0f} channels in or out the dense kernel is faster"
    return ""


def _finding(seen: Inspected, why: str, places: list[int], all_sparse: int) -> Finding:
    names = listed(main_operation(seen.layers[place]) for place in places)
    sum_ms = sum(seen.stake(places).values())
    at_stake = {} if why else seen.stake(places, _HALF)
    reason = why or "no reason is to be seen: TensorRT measured the dense kernel to be faster, or had no sparse one"
    priced_words = f" ({priced(sum_ms, seen.total_ms)})" if sum_ms else ""
    return Finding(
        f"{len(places):,} of {all_sparse:,} layers with 2:4 sparse weights run dense kernels{priced_words}: {reason}: "
        f"{names}",
        tuple(seen.layers[place].index for place in places),
        at_stake,
        _FORMULA if at_stake else "",
        (Evidence("layers with sparse weights", all_sparse), Evidence("of them on dense kernels", len(places))),
        (
            ("leave these layers dense and fine-tune with their weights: accuracy without loss of speed",)
            if why
            else (
                "trtexec --sparsity=enable --builderOptimizationLevel=5, at the batch that is to run",
                "compare with a build in FP16 without Q/DQ: if the sparse kernel is taken there, Q/DQ blocks it",
            )
        ),
        _DOCUMENTATION,
        "the kernel's name holds sp or sparse, and the layer's time falls",
        0.6 if why else 0.3,
        Severity.NOTE if why else None,
    )


RULE = Rule(
    "SPARSE001",
    "sparse weights on dense kernels",
    Severity.WARNING,
    check,
    {"channels": Limit(256.0, "", "channels in and out from which sparse kernels pay")},
)
