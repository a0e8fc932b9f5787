"""Generated kernel: what Myelin, TensorRT's graph compiler, fused into one kernel, as far as its name tells.

Formula: other operations = V · Σ(operations per value of the name's tokens), where V is the number of values the kernel
goes over: of its largest tensor where the name has a reduction, else of its outputs. Multiply-adds are 0 only where the
name lists every operation and none is a product; where it has one product and two operands whose shapes fit the
output's, they are batch · M · N · K; a multiplication followed by a sum, made from a matrix product, is one of a matrix
and a vector. Bytes: inputs, stored operands and outputs once; of a kernel that slices or gathers, and sums up nothing,
no input is read further than there are values to write.

Source: the tokens' meaning was read off real engines by comparing kernels with the ONNX nodes in their metadata.

Does not hold for: operations on the few values that a reduction leaves, counted as if on all (an upper bound), and
kernels whose name says less than they do.
"""

from __future__ import annotations

from trex.core.layer import Layer
from trex.core.shape import Shape
from trex.perf.work.hidden_operand import hidden_bytes
from trex.perf.work.kind import WorkKind
from trex.perf.work.made import AS_TOLD, made
from trex.perf.work.named_operations import concatenation_in_names, product_in_names
from trex.perf.work.tokens import Reading, read_tokens
from trex.perf.work.work import Work
from trex.plan.gemm import Gemm, matmul

NAME = "generated-kernel"
_HIDDEN = "a product of a vector and a stored matrix that is not told: its size as K·N values of the vector's type"
FORMULA = "other operations = V·Σ(operations of the tokens), V = values the kernel goes over"


def work(layer: Layer) -> Work:
    tokens = layer.name_parts.tokens
    reading = read_tokens(tokens, concatenation_in_names(layer.origins) if "Con" in tokens else False)
    read, stored, partial = _bytes_read(layer, reading)
    if not tokens or reading.unknown:
        what = f"tokens that are not known ({', '.join(reading.unknown)})" if tokens else "a name without tokens"
        reason = f"a kernel with {what} may hold products"
        return made(NAME, layer, None, None, FORMULA, confidence=0.5, reason=reason, read=read, stored=stored)
    confidence, reason = (0.5, "operations counted as if all went over the largest tensor")
    if not reading.reductions:
        confidence, reason = 0.8, "operations were read from the kernel's name"
    product, told, why = _product(layer, reading)
    values = _values(layer, reading)
    each = reading.elementwise + reading.reductions - (2 if product and reading.sum_of_products else 0)
    if product is not None and not reading.products:
        values, confidence, reason = product.m * product.n * product.batch, 0.8, why
    elif why:
        confidence, reason = 0.5, why
    if partial:
        confidence, reason = 0.5, _and(reason, "inputs that are cut counted as far as the outputs have values")
    if why == _HIDDEN and product is not None:
        confidence, stored = 0.5, hidden_bytes(layer, product)
    elif not told and len(layer.inputs) + len(layer.weights) < 2:
        read = None
        reason = _and(reason, "nor is its other operand")
    if reading.uncounted:
        reason = _and(reason, "how many comparisons a selection makes depends on the data")
    return made(
        NAME,
        layer,
        (product.macs if product else 0) if told else None,
        None if values is None or reading.uncounted else values * each,
        FORMULA,
        (("V", values), ("operations per value", each), ("tokens", " ".join(tokens))),
        product=product,
        confidence=confidence,
        reason=reason,
        read=read,
        stored=stored,
    )


def _values(layer: Layer, reading: Reading) -> int | None:
    outputs = [tensor.volume for tensor in layer.outputs]
    read = [tensor.volume for tensor in layer.inputs]
    read += [weights.count for weights in layer.weights if weights.kind == "input"]
    if not outputs or None in outputs or (reading.reductions and None in read):
        return None
    most = max((*outputs, *(volume for volume in read if volume is not None)))  # type: ignore[type-var]
    return most if reading.reductions else min(most, sum(outputs))  # type: ignore[type-var, arg-type, return-value]


def _product(layer: Layer, reading: Reading) -> tuple[Gemm | None, bool, str]:
    """(the product inside or None, whether the multiply-adds are known, why not or how)."""
    named = product_in_names(layer.origins) if reading.sum_of_products and not reading.products else ""
    if not reading.products and not named:
        return None, True, ""
    operands = [(tensor.shape, tensor.volume) for tensor in layer.inputs]
    operands += [(_stored_shape(layer, weights.name), weights.count) for weights in layer.weights]
    operands = [operand for operand in operands if operand[1] != 1]
    output = layer.outputs[0] if len(layer.outputs) == 1 else None
    if output is not None and output.volume and named:
        for _, vector in operands:
            for _, matrix in operands:
                if vector and matrix and matrix == vector * output.volume:
                    product = Gemm(1, output.volume, vector)
                    return product, True, "a product of matrix and vector, computed as multiplication and sum"
        if len(layer.inputs) == len(operands) == 1 and _is_vector(operands[0][0]):
            return Gemm(1, output.volume, operands[0][1] or 0), True, _HIDDEN
    if len(reading.products) == 1 and reading.products[0] in ("Gemm", "gemm", "Fc") and len(operands) == 2 and output:
        product_found = matmul([operands[0][0], operands[1][0]], output.shape) or matmul(
            [operands[1][0], operands[0][0]], output.shape
        )
        if product_found is not None:
            return product_found, True, "the product's sizes were inferred from the operands' shapes"
    inside = " ".join(reading.products) or f"made from {named}"
    return None, False, f"the kernel holds products ({inside}) whose sizes the file does not tell"


def _is_vector(shape: Shape | None) -> bool:
    return shape is not None and None not in shape and sum(extent != 1 for extent in shape) == 1


def _stored_shape(layer: Layer, name: str) -> Shape | None:
    """Shape of a stored operand, as the layer's record lists it."""
    records = layer.raw.get("Inputs")
    for record in records if isinstance(records, list) else ():
        if isinstance(record, dict) and record.get("Name") == name:
            dims = record.get("Dimensions")
            if isinstance(dims, list) and all(type(dim) is int and dim >= 0 for dim in dims):
                return tuple(dims)
    return None


def _bytes_read(layer: Layer, reading: Reading) -> tuple[int | None, int | None, bool]:
    """(bytes of inputs, of stored operands, whether some were cut): AS_TOLD where nothing is cut."""
    if not reading.partial or reading.reductions or reading.products or reading.unknown:
        return AS_TOLD, AS_TOLD, False
    volumes = [tensor.volume for tensor in layer.outputs]
    if None in volumes or not volumes:
        return AS_TOLD, AS_TOLD, False
    most = sum(volumes)  # type: ignore[arg-type]
    cut = False
    inputs: dict[object, int | None] = {}
    for place, tensor in enumerate(layer.inputs):
        size = tensor.size_bytes
        if tensor.volume is not None and tensor.volume > most and size is not None:
            size, cut = min(size, tensor.data_type.size_bytes(most) or size), True
        inputs[tensor.name or place] = size
    stored: list[int | None] = []
    for weights in layer.weights:
        size = weights.size_bytes
        if weights.count is not None and weights.count > most and size is not None:
            size, cut = min(size, weights.data_type.size_bytes(most) or size), True
        stored.append(size)
    if not cut:
        return AS_TOLD, AS_TOLD, False
    return _sum(list(inputs.values())), _sum(stored), True


def _sum(sizes: list[int | None]) -> int | None:
    return None if None in sizes else sum(sizes)  # type: ignore[arg-type]


def _and(first: str, second: str) -> str:
    return f"{first}; {second}" if first else second


KIND = WorkKind(frozenset({"kgen", "fusion", "generated", "kernel"}), work)
