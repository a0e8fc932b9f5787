"""Work on constants that is repeated at every inference.

What it finds: kernels that read nothing but stored constants, directly or through other such kernels: weights that are
quantized, dequantized, normalized, cast or transposed while the engine runs.
Why it matters: the result is the same at every inference, so all of the time is wasted; the weights are read, written
and read again instead of once.
What to try: store the result in the model. Fake-quantized weights: quantize the input of the same convolution or GEMM
too, so that TensorRT quantizes the weights once, at build time, or remove the Q/DQ of the weights where it runs in
floats. Everything else: fold the constants before the build (``polygraphy surgeon sanitize --fold-constants``, which
leaves Q/DQ alone), remove weight normalization before the export (``torch.nn.utils.remove_weight_norm``), and build
without refit, for which weights stay changeable.
Does not apply: kernels that only fill or copy a buffer; random numbers; what depends on a shape in an engine of dynamic
shapes; plugins; weights that are refitted on purpose. Files without the layers' tensors are reported as not checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.counted import counted
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.constant_work import constant_positions
from trex.rules.finding import Evidence, Finding, Severity, Unchecked
from trex.rules.operators import DEQUANTIZES, QUANTIZES
from trex.rules.rule import Rule, RuleLimit
from trex.rules.wording import DETAILED_HINT, cost_of, names_of

_QUANTIZATION = QUANTIZES | DEQUANTIZES | {"round", "roun", "rou"}


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding | Unchecked]:
    if engine.layers and not any(layer.lists_tensors for layer in engine.layers):
        yield Unchecked("the layers' tensors are unknown, so is which layers read only constants", DETAILED_HINT)
        return
    positions = constant_positions(engine)
    if positions and len(positions) == len(engine.layers):
        yield Unchecked("no layer reads an input of the engine: their tensors seem incomplete", DETAILED_HINT)
        return
    savings = engine.savings(positions)
    if not positions or (engine.is_timed and not engine.takes_share(sum(savings.values()), limits["share"])):
        return
    quantizing = [position for position in positions if not _QUANTIZATION.isdisjoint(engine.operations.words[position])]
    ordered = engine.slowest_first(positions)
    written = [tensor.size_bytes for position in positions for tensor in engine.layers[position].outputs]
    number = counted(len(positions), "kernel computes", "kernels compute")
    own = frozenset(positions)
    readers = dict.fromkeys(reader for position in ordered for reader in engine.after(position) if reader not in own)
    read_by = f", for {names_of(readers, engine)}" if readers else ""
    yield Finding(
        f"{number} on constants only, with the same result at every inference: {cost_of(positions, engine)}{read_by}",
        layers=engine.indexes((*ordered, *readers)),
        main_layers=engine.indexes(ordered),
        savings=savings,
        formula="time of these kernels: their results can be stored" if savings else "",
        evidence=(
            Evidence("kernels", len(positions)),
            Evidence("of them with quantization or rounding", len(quantizing)),
            Evidence("bytes that they write", None if None in written else sum(filter(None, written)), "bytes"),
        ),
        fix=_fixes(engine, bool(quantizing), len(quantizing) < len(positions)),
        documentation=(
            "TensorRT Developer Guide: Working with Quantized Types, Q/DQ Placement Recommendations",
            "Polygraphy: surgeon sanitize --fold-constants",
        ),
        how_to_check="in the new engine every kernel depends on an input",
        confidence=0.8,
    )


def _fixes(engine: AnalyzedEngine, quantizes: bool, computes: bool) -> tuple[str, ...]:
    fixes = []
    if quantizes:
        fixes += [
            "quantize the input of these convolutions and GEMMs too: their weights are then quantized once, by the "
            "builder; or remove the Q/DQ of weights that are multiplied in floats",
            "store the fake-quantized weights in the model (export after folding), not the operators that make them",
        ]
    if computes:
        fixes.append("fold constants before the build: polygraphy surgeon sanitize --fold-constants MODEL.onnx -o …")
    if not engine.is_for_rtx:
        fixes.append("build without --refit: refittable weights cannot be folded")
    return tuple(fixes)


RULE = Rule(
    "CONST001",
    "work on constants at run time",
    Severity.WARNING,
    check,
    {"share": RuleLimit(0.5, "%", "least share of the engine's time")},
)
