"""Activations that did not fuse with their convolution or GEMM.

What it finds: pointwise kernels (activations, scales) that read the result of one convolution or GEMM, which nothing
else reads.
Why it matters: a convolution can apply an activation to its results before it writes them, at no cost. A kernel of its
own reads and writes the whole tensor again.
What to try: the convolution's type for the activation too, without a cast between them; an activation that fuses. In
TensorRT for RTX 1.7 Clip, Elu, Gelu, HardSwish, LeakyRelu, Relu, SiLU and Tanh fuse with FP16 convolutions; Mish,
PRelu, Softplus and Sin do not (engines built for this rule). A newer TensorRT fuses more: SiLU after FP32 convolutions
is a kernel of its own in 8.6.
Does not apply: results that other layers read too, or that are outputs of the engine; kernels on different streams;
kernels that quantize or only cast; kernels of Myelin's INT8 and FP8 convolutions and GEMMs, which TensorRT for RTX 1.7
never fuses with them.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping
from operator import attrgetter

from trex.core.counted import counted
from trex.core.layer import Layer, Role
from trex.core.shape import volume
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.operators import is_quantization, operations_of, operator_word
from trex.rules.rule import Rule, RuleLimit
from trex.rules.type_flow import QUANTIZED
from trex.rules.wording import cost_of, listed, names_of

_RARE = frozenset({"where", "log", "isin", "sin", "cos", "pow", "mish", "prelu", "softplus", "snake"})
"""Operators of activations that TensorRT for RTX 1.7 does not fuse with convolutions."""
_INDEX = attrgetter("index")
_FOLD = "fold scale and shift (a batch normalization, a separate bias) into the weights before the export"
_OTHER = (
    "an activation that fuses, if accuracy allows: Relu, Clip, SiLU, HardSwish, Gelu or LeakyRelu, as one ONNX "
    "operator or in its usual form"
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    writers = {position: writer for position in range(len(engine.layers)) if (writer := _writer(engine, position)) >= 0}
    savings = engine.savings(writers)
    if not writers or (engine.is_timed and not engine.takes_share(sum(savings.values()), limits["share"])):
        return
    ordered = engine.slowest_first(writers)
    scaled = [p for p in ordered if len({tensor.name for tensor in engine.layers[p].inputs}) > 1]
    kinds = Counter(_kind(engine.layers[position]) for position in ordered)
    casts = sum(_is_cast_between(engine, writers[position], position) for position in ordered)
    sizes = [tensor.size_bytes for position in ordered for tensor in engine.layers[position].outputs[:1]]
    number = counted(len(ordered), "activation runs as a kernel of its own", "activations run as kernels of their own")
    yield Finding(
        f"{number} ({listed(kinds, 4)}) right after the convolution or GEMM: {cost_of(ordered, engine)}; the slowest "
        f"after {names_of((writers[position] for position in ordered), engine, 3)}",
        layers=engine.indexes((*ordered, *(writers[position] for position in ordered))),
        main_layers=engine.indexes(ordered),
        savings=savings,
        formula="time of these kernels: a fused activation reads and writes no memory of its own" if savings else "",
        evidence=(
            *(Evidence(f"kernels of {kind}", count) for kind, count in kinds.most_common(4)),
            Evidence("kernels with a cast in or before them", casts),
            Evidence("bytes that they write", None if None in sizes else sum(filter(None, sizes)), "bytes"),
        ),
        fix=(
            *(("compute the activation in the type of the convolution: no cast between them",) if casts else ()),
            *((_FOLD,) if scaled else ()),
            *((_OTHER,) if any(not _RARE.isdisjoint(engine.operations.words[p]) for p in ordered) else ()),
            "a newer TensorRT, which fuses more activations",
        ),
        documentation=("TensorRT Developer Guide: Layer Fusion, supported layer fusions",),
        how_to_check="the new engine has no kernel between these layers and their readers",
        confidence=0.5,
    )


def _writer(engine: AnalyzedEngine, position: int) -> int:
    """The convolution or GEMM whose result this kernel alone reads and transforms value by value; -1 for none."""
    before = engine.before(position)
    if len(before) != 1 or not engine.operations.is_pointwise(position) or not engine.operations.is_gemm(before[0]):
        return -1
    writer, flow = before[0], engine.flow
    layer, source = engine.layers[position], engine.layers[writer]
    if engine.after(writer) != (position,) or layer.stream != source.stream or not (layer.outputs and source.outputs):
        return -1
    if any(tensor.name in engine.outputs for tensor in source.outputs) or flow.writes_sums(writer):
        return -1
    quantizes = flow.writes[position] in QUANTIZED or any(map(is_quantization, operations_of(layer)))
    if quantizes or _only_casts(layer):
        return -1
    count = volume(layer.outputs[0].shape)
    return writer if count is not None and count == volume(source.outputs[0].shape) else -1


def _is_cast_between(engine: AnalyzedEngine, writer: int, position: int) -> bool:
    """In the kernel, or as a layer that became a view (``Forced Cast … from FLOAT to FLOAT`` of Torch-TensorRT).

    Names of tensors are reused: only readers between the two layers read what this writer wrote.
    """
    if "cast" in engine.operations.words[position]:
        return True
    source, end = engine.layers[writer], engine.layers[position].index
    readers = engine.plan.engine.consumers.get(source.outputs[0].name, ())
    between = readers[bisect_right(readers, source.index, key=_INDEX) : bisect_left(readers, end, key=_INDEX)]
    return any(reader.role is Role.NOOP and "cast" in reader.name.lower() for reader in between)


def _only_casts(layer: Layer) -> bool:
    tokens = layer.name_parts.tokens
    return bool(tokens) and {token.lower() for token in tokens} <= {"cas", "cast"}


def _kind(layer: Layer) -> str:
    """``MaxMin`` for a generated kernel, ``sigmoid mul`` by ONNX operators, else the layer's type."""
    tokens = layer.name_parts.tokens
    if tokens:
        return "".join(tokens)
    words = dict.fromkeys(map(operator_word, operations_of(layer)))
    return " ".join(word for word in words if word.isidentifier() and "rhs" not in word) or layer.type


RULE = Rule(
    "FUSE002",
    "activation not fused with its convolution",
    Severity.WARNING,
    check,
    {"share": RuleLimit(1.0, "%", "least share of the engine's time that could be saved")},
)
