"""Reformats at the engine's inputs and outputs.

What it finds: kernels that change type or layout of the application's inputs or outputs and take more than a few
percent of the time, with the paddings, transposes and quantizations of an input that follow before anything else reads
it.
Why it matters: applications mostly hold FP32 in row-major order, so one such kernel is expected. In a short engine with
large inputs the application can save its time.
What to try: pass the data as the first layer reads them: ``--inputIOFormats``, ``--outputIOFormats`` (in Python
``tensor.allowed_formats`` and ``tensor.dtype``), and let the preprocessing write that layout; for a network that starts
with QuantizeLinear, quantize in the preprocessing and cut QuantizeLinear off the model.
Does not apply: if the application cannot write another layout; without times, or below the limit.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from trex.core.data_type import DataType
from trex.core.shape import shape_text
from trex.core.tensor import Tensor
from trex.rules.analyzed_engine import AnalyzedEngine
from trex.rules.data_movement import MOVING_TYPES, input_chain
from trex.rules.finding import Evidence, Finding, Severity
from trex.rules.rule import Rule, RuleLimit
from trex.rules.type_flow import FLOATS, QUANTIZED
from trex.rules.wording import cost_of, layer_name, listed, names_of, percent, type_and_layout

_FORMAT_WORDS = {
    "NCHW": "chw",
    "NC/2HW2": "chw2",
    "NC/4HW4": "chw4",
    "NC/16HW16": "chw16",
    "NC/32HW32": "chw32",
    "NHWC": "hwc",
    "NHWC8": "hwc8",
    "NHWC16": "hwc16",
    "NDHWC": "dhwc",
    "NDHWC8": "dhwc8",
}
"""Layouts by their names in trtexec; the others have none."""

_IMAGE_RANK, _MOST_IMAGE_CHANNELS = 4, 4
_CUT = (
    "quantize the input in the preprocessing (image bytes are 8 bits already) and cut the first QuantizeLinear off the "
    "ONNX model"
)


def check(engine: AnalyzedEngine, limits: Mapping[str, float]) -> Iterator[Finding]:
    flow = engine.flow
    groups: dict[tuple[bool, str, str], list[tuple[int, ...]]] = {}
    for position, layer in enumerate(engine.layers):
        if not flow.is_at_binding(position) or not len(layer.inputs) == len(layer.outputs) == 1:
            continue
        chain = input_chain(engine, position) or ((position,) if flow.is_copy(position) else ())
        if chain and not _is_of_a_part(engine, chain):
            formats = type_and_layout(layer.inputs[0]), type_and_layout(engine.layers[chain[-1]].outputs[0])
            groups.setdefault((flow.reads_binding(position), *formats), []).append(chain)
    for (is_input, _, _), chains in groups.items():
        if engine.takes_share(engine.sum_ms(position for chain in chains for position in chain), limits["share"]):
            yield _finding(engine, chains, is_input)


def _is_of_a_part(engine: AnalyzedEngine, chain: tuple[int, ...]) -> bool:
    """Whether it moves many channels of one type: the caller of a part of a network, measured alone, writes them so."""
    source, output = engine.layers[chain[0]].inputs[0], engine.layers[chain[-1]].outputs[0]
    channels = source.shape[1] if source.shape is not None and len(source.shape) == _IMAGE_RANK else None
    return source.data_type is output.data_type and (channels or 0) > _MOST_IMAGE_CHANNELS


def io_format(tensor: Tensor) -> str:
    """``fp16:hwc8`` as trtexec's flags spell it; "" for a type or layout without a name there."""
    word = _FORMAT_WORDS.get(tensor.format.label, "")
    return f"{tensor.precision.lower()}:{word}" if word and tensor.data_type is not DataType.UNKNOWN else ""


def _finding(engine: AnalyzedEngine, chains: list[tuple[int, ...]], is_input: bool) -> Finding:
    positions = [position for chain in chains for position in chain]
    source, output = engine.layers[chains[0][0]].inputs[0], engine.layers[chains[0][-1]].outputs[0]
    ends = [engine.layers[chain[0]].inputs[0] if is_input else engine.layers[chain[-1]].outputs[0] for chain in chains]
    bindings = [tensor.name for tensor in ends]
    before, after = _written(source), _written(output)
    quantizes = source.data_type in FLOATS and output.data_type in QUANTIZED
    moves = any(not engine.flow.is_copy(position) for position in positions)
    verb, names = "quantizes" if quantizes else "converts", names_of(positions, engine)
    if moves:
        s = "s" if len(positions) == 1 else ""
        verb = f"{'quantize' if quantizes else 'convert'}{s} and move{s}"
        names = listed(layer_name(engine.layers[position]) for position in positions)
    what = (
        f"{verb} {before} to {after}"
        if before != after
        else f"only {'moves' if len(positions) == 1 else 'move'} {before}"
    )
    side = "input" if is_input else "output"
    return Finding(
        f"{names} at the {side} {listed(bindings)} {what}: {cost_of(positions, engine)}",
        layers=engine.indexes(positions),
        savings=engine.savings(positions),
        formula=f"time of the reformats, if the application {'writes' if is_input else 'reads'} the other format",
        evidence=(
            Evidence("side", side),
            Evidence("from", before),
            Evidence("to", after),
            Evidence("time", engine.sum_ms(positions), "ms"),
            Evidence("share of the time", percent(engine.sum_ms(positions), engine.total_ms)),
        ),
        fix=_fix_of_moves(engine, positions, quantizes, output) if moves else _fix(is_input, source, output),
        documentation=("TensorRT Developer Guide: I/O Formats", "NVIDIA/TensorRT issues 2136, 3438"),
        how_to_check=f"an engine built with other {side} formats has no reformat there",
        confidence=0.4,
        tensors=tuple(bindings),
    )


def _written(tensor: Tensor) -> str:
    """``FP16 NHWC8``; ``FP32 32x224x224x3`` for a linear tensor whose axes have another or an unknown order.

    TensorRT calls the model's own order linear; only a shape such as N×3×H×W or N×C×56×56 shows that it is NCHW.
    """
    shape = tensor.shape
    if tensor.format.label != "NCHW" or shape is None:
        return type_and_layout(tensor)
    _, channels, height, width = shape if len(shape) == _IMAGE_RANK else (None,) * _IMAGE_RANK
    is_image = channels is not None and channels <= _MOST_IMAGE_CHANNELS < (width or 0)
    is_square = height is not None and channels != height == width
    return type_and_layout(tensor) if is_image or is_square else f"{tensor.precision} {shape_text(shape)}"


def _fix_of_moves(engine: AnalyzedEngine, positions: list[int], quantizes: bool, output: Tensor) -> tuple[str, ...]:
    own = any(engine.layers[position].type in MOVING_TYPES for position in positions)
    cut = (f"{_CUT} so that it starts with DequantizeLinear",) if quantizes else ()
    wanted, shape = _written(output), "" if output.shape is None else shape_text(output.shape)
    if shape not in wanted:
        wanted += f", {shape}"
    return (
        *cut,
        *(
            ("transpose and pad in the preprocessing, or let the first convolution pad (its attribute pads)",)
            if own
            else ()
        ),
        f"pass the input as the first layer reads it ({wanted})",
    )


def _fix(is_input: bool, source: Tensor, output: Tensor) -> tuple[str, ...]:
    side, wanted = ("input", output) if is_input else ("output", source)
    flag = f"--{side}IOFormats"
    words = io_format(wanted)
    if is_input and source.data_type in FLOATS and output.data_type in QUANTIZED:
        cut = f"{_CUT} so that it starts with DequantizeLinear"
        # An engine with FP8 is strongly typed, and the flag has no word for it.
        return (f"{cut}; build with {flag}={words or 'int8:chw'}" if output.data_type is DataType.INT8 else cut,)
    if not words:
        return (f"try {flag}=fp16:hwc8 or fp16:chw: there is no word for {wanted.format.label}",)
    typed = f"TensorRT 11: {flag}={words.partition(':')[2]}, with the model's type"
    return (f"build with {flag}={words} ({typed}), one entry for each {side}",)


RULE = Rule(
    "REF003",
    "reformats at inputs and outputs",
    Severity.NOTE,
    check,
    {"share": RuleLimit(3.0, "%", "least share of the reformats of one kind in the engine's time")},
)
