"""Generated kernel: operations that Myelin, TensorRT's graph compiler, fused into one kernel, as its name lists them.

Formula: other operations = V · Σ(operations per value of the name's tokens), where V is the number of values the kernel
iterates over: those of its largest tensor if the name has a reduction, else those of its outputs. MACs are 0 only if
the name lists every operation and none is a GEMM; with one GEMM and two operands whose shapes fit the output's, they
are batch · M · N · K; a multiplication followed by a sum that comes from a matrix gemm is a GEMV, unless the record
lists all operands and none has more values than the output. Bytes: inputs, stored operands and outputs once; a kernel
that slices or gathers reads at most as many values of a stored operand (a table of embeddings) as it writes, and of an
input if it has no reduction.

Source: the tokens' meaning was inferred from real engines by comparing kernels with the ONNX nodes in their metadata.

Does not hold for: operations on the few values that a reduction leaves, counted as if on all (an upper bound), and
kernels that do more than their name lists.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.perf.work.kind import WorkKind
from trex.perf.work.layer_work import FROM_TENSORS, joined, layer_work, sum_of
from trex.perf.work.named_operations import concatenation_in_names, gemm_in_names
from trex.perf.work.stored_operands import hidden_bytes
from trex.perf.work.tokens import TokenOperations, token_operations
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm, matmul
from trex.plan.listed_operands import CONSTANTS

NAME = "generated-kernel"
_HIDDEN = "a GEMV whose stored matrix is not listed: counted as K·N values of the vector's type"
FORMULA = "other operations = V·Σ(operations of the tokens), V = values the kernel iterates over"


def work(layer: Layer) -> Work:
    tokens = layer.name_parts.tokens
    reading = token_operations(tokens, concatenation_in_names(layer.origins) if "Con" in tokens else False)
    read, stored, partial = _bytes_read(layer, reading)
    if not tokens or reading.unknown:
        what = f"unknown tokens ({', '.join(reading.unknown)})" if tokens else "a name without tokens"
        reason = f"a kernel with {what} may contain GEMMs"
        return layer_work(NAME, layer, None, None, FORMULA, confidence=0.5, reason=reason, read=read, stored=stored)
    confidence, reason = (0.5, "operations counted as if all iterated over the largest tensor")
    if not reading.reductions:
        confidence, reason = 0.8, "operations inferred from the kernel's name"
    gemm, is_known, why = _gemm(layer, reading)
    values = _values(layer, reading)
    per_value = reading.elementwise + reading.reductions - (2 if gemm and reading.is_gemv else 0)
    if gemm is not None and not reading.gemms:
        values, confidence, reason = gemm.m * gemm.n * gemm.batch, 0.8, why
    elif why:
        confidence, reason = 0.5, why
    if partial:
        confidence, reason = 0.5, joined(reason, "sliced inputs counted with as many values as the outputs")
    if why == _HIDDEN and gemm is not None:
        confidence, stored = 0.5, hidden_bytes(layer, gemm)
    elif not is_known and len(layer.inputs) + len(layer.weights) < 2:
        read = None
        reason = joined(reason, "unknown second operand")
    if reading.uncounted:
        reason = joined(reason, reading.uncounted)
    return layer_work(
        NAME,
        layer,
        (gemm.macs if gemm else 0) if is_known else None,
        None if values is None or reading.uncounted else values * per_value,
        FORMULA,
        (("V", values), ("operations per value", per_value), ("tokens", " ".join(tokens))),
        gemm=gemm,
        confidence=confidence,
        reason=reason,
        read=read,
        stored=stored,
    )


def _values(layer: Layer, reading: TokenOperations) -> int | None:
    outputs = [tensor.volume for tensor in layer.outputs]
    read = [tensor.volume for tensor in layer.inputs]
    read += [weights.count for weights in layer.weights if weights.kind == "input"]
    if not outputs or None in outputs or (reading.reductions and None in read):
        return None
    if reading.partial and not reading.gemms:  # a table is not iterated over
        tables = {weights.count for weights in layer.weights if (weights.count or 0) > sum(outputs)}  # type: ignore[arg-type]
        read = [volume for volume in read if volume not in tables]
    most = max([volume for volume in outputs + read if volume is not None])
    return most if reading.reductions else min(most, sum(outputs))  # type: ignore[arg-type]


def _gemm(layer: Layer, reading: TokenOperations) -> tuple[Gemm | None, bool, str]:
    """(the kernel's GEMM or None, whether the MACs are known, the reason or method)."""
    named = gemm_in_names(layer.origins) if reading.is_gemv and not reading.gemms else ""
    if not reading.gemms and not named:
        return None, True, ""
    operands = [(tensor.shape, tensor.volume) for tensor in layer.inputs]
    shapes = _stored_shapes(layer) if layer.weights else {}
    operands += [(shapes.get(weights.name), weights.count) for weights in layer.weights]
    operands = [operand for operand in operands if operand[1] != 1]
    if named and not _may_hold_matrix(layer, operands):
        return None, True, ""
    output = layer.outputs[0] if len(layer.outputs) == 1 else None
    if output is not None and output.volume and named:
        for _, vector in operands:
            for _, matrix in operands:
                if vector and matrix and matrix == vector * output.volume:
                    gemm = Gemm(1, output.volume, vector)
                    return gemm, True, "a GEMV, computed as multiplication and sum"
        if len(layer.inputs) == len(operands) == 1 and _is_vector(operands[0][0]):
            return Gemm(1, output.volume, operands[0][1] or 0), True, _HIDDEN
    if len(reading.gemms) == 1 and reading.gemms[0] in ("Gemm", "gemm", "Fc") and len(operands) == 2 and output:
        gemm_found = matmul(operands[0][0], operands[1][0], output.shape) or matmul(
            operands[1][0], operands[0][0], output.shape
        )
        if gemm_found is not None:
            return gemm_found, True, "GEMM sizes inferred from the operands' shapes"
    inside = " ".join(reading.gemms) or f"from {named}"
    return None, False, f"unknown sizes of the kernel's GEMMs ({inside})"


def _may_hold_matrix(layer: Layer, operands: list[tuple[Shape | None, int | None]]) -> bool:
    """False if the record lists all operands and none can be a GEMV's matrix, of more values than the result."""
    if CONSTANTS not in layer.raw:
        return True
    written = sum_of(tensor.volume for tensor in layer.outputs)
    return written is None or any(count is None or count > written for _, count in operands)


def _is_vector(shape: Shape | None) -> bool:
    return shape is not None and None not in shape and sum(extent != 1 for extent in shape) == 1


def _stored_shapes(layer: Layer) -> dict[str, Shape]:
    """Shapes of the operands in the layer's record, by name."""
    shapes: dict[str, Shape] = {}
    for key in ("Inputs", CONSTANTS):
        records = layer.raw.get(key)
        for record in records if isinstance(records, list) else ():
            if isinstance(record, dict) and isinstance(name := record.get("Name"), str):
                dims = record.get("Dimensions")
                if isinstance(dims, list) and all(type(dim) is int and dim >= 0 for dim in dims):
                    shapes.setdefault(name, tuple(dims))
    return shapes


def _bytes_read(layer: Layer, reading: TokenOperations) -> tuple[int | None, int | None, bool]:
    """(bytes of inputs, of stored operands, whether some are sliced): FROM_TENSORS if none is sliced."""
    if not reading.partial or reading.gemms or reading.unknown:
        return FROM_TENSORS, FROM_TENSORS, False
    volumes = [tensor.volume for tensor in layer.outputs]
    if None in volumes or not volumes:
        return FROM_TENSORS, FROM_TENSORS, False
    most = sum(volumes)  # type: ignore[arg-type]
    cut = False
    inputs: dict[object, int | None] = {}
    for index, tensor in enumerate(layer.inputs):
        size = tensor.size_bytes
        if not reading.reductions and tensor.volume is not None and tensor.volume > most and size is not None:
            size, cut = min(size, tensor.data_type.size_bytes(most) or size), True
        inputs[tensor.name or index] = size
    stored: list[int | None] = []
    for weights in layer.weights:
        size = weights.size_bytes
        if weights.count is not None and weights.count > most and size is not None:
            size, cut = min(size, weights.data_type.size_bytes(most) or size), True
        stored.append(size)
    if not cut:
        return FROM_TENSORS, FROM_TENSORS, False
    return sum_of(inputs.values()), sum_of(stored), True


_TYPES = frozenset({"kgen", "fusion", "generated", "kernel", "runtimefusion", "runtimefunction"})

KINDS = (WorkKind(_TYPES, work),)
