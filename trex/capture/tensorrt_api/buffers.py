"""Memory for an engine's inputs and outputs, and what inputs are filled with."""

from __future__ import annotations

import ctypes
import random
import struct
from array import array
from typing import Any, Sequence

from trex.capture.tensorrt_api.cuda_calls import fill_host
from trex.capture.tensorrt_api.fault import FAILED, Fault

BITS = {"FLOAT": 32, "HALF": 16, "INT8": 8, "INT32": 32, "BOOL": 8, "UINT8": 8, "FP8": 8, "BF16": 16, "INT64": 64,
        "INT4": 4, "FP4": 4, "E8M0": 8}  # fmt: skip
_BLOCK = 4096  # values; longer inputs repeat them
_ONES = {"INT8": b"\1", "UINT8": b"\1", "BOOL": b"\1", "INT32": struct.pack("<i", 1), "INT64": struct.pack("<q", 1),
         "FP8": b"\x38", "INT4": b"\x11", "FP4": b"\x22", "E8M0": b"\x7f"}  # fmt: skip


class Buffer:
    """One input or output. device: its address, 0 for what TensorRT reads on the host. host: page-locked."""

    def __init__(self, name: str, is_input: bool, size: int, device: int, host: int) -> None:
        self.name = name
        self.is_input = is_input
        self.size = size
        self.device = device
        self.host = host


def buffer_bytes(engine: Any, name: str, dims: Sequence[int]) -> int:
    """Bytes of a tensor as it is stored, vectors padded. Raises Fault for an element type that is not known."""
    kind = type_name(engine, name)
    if kind not in BITS:
        raise Fault(f"{name} has the element type {kind}, whose size the collector does not know", "", FAILED)
    sizes = list(dims)
    vector, place = engine.get_tensor_components_per_element(name), engine.get_tensor_vectorized_dim(name)
    if vector > 1 and 0 <= place < len(sizes):
        sizes[place] = -(-sizes[place] // vector) * vector
    volume = 1
    for size in sizes:
        volume *= size
    return max(1, -(-volume * BITS[kind] // 8))


def type_name(engine: Any, name: str) -> str:
    kind = engine.get_tensor_dtype(name)
    return str(getattr(kind, "name", kind)).rpartition(".")[2]


def input_bytes(kind: str, size: int, seed: str) -> bytes:
    """Numbers between -1 and 1 for floats, the same ones every time; ones for integers, which are often indices."""
    if kind in _ONES:
        one = _ONES[kind]
        return one * (-(-size // len(one)))
    numbers = random.Random(seed)
    values = array("f", (numbers.uniform(-1.0, 1.0) for _ in range(_BLOCK)))
    block = values.tobytes()
    if kind == "HALF":
        block = struct.pack("<%de" % _BLOCK, *values)
    elif kind == "BF16":  # the upper half of a float
        block = b"".join(block[place + 2 : place + 4] for place in range(0, len(block), 4))
    return (block * (-(-size // len(block))))[:size]


def shape_values(kind: str, values: Sequence[int]) -> Any:
    """A shape tensor's values on the host, as an array that must be kept while TensorRT reads it."""
    number = ctypes.c_int64 if kind == "INT64" else ctypes.c_int32
    return (number * max(1, len(values)))(*values)


def loaded_inputs(text: str) -> dict[str, bytes]:
    """``x:FILE,y:FILE`` → {x: bytes}."""
    found = {}
    for part in filter(None, text.split(",")):
        name, colon, path = part.partition(":")
        if not colon:
            raise Fault(f"{part!r} is no input's file", "write NAME:FILE")
        try:
            with open(path, "rb") as file:
                found[name.strip("'")] = file.read()
        except OSError as error:
            raise Fault(f"the input file {path} cannot be read: {error.strerror}") from None
    return found


def fill_inputs(cuda: Any, engine: Any, buffers: list[Buffer], given: dict[str, bytes], stream: Any) -> None:
    names = [buffer.name for buffer in buffers if buffer.is_input]
    for name in given:
        if name not in names:
            raise Fault(f"the engine has no input called {name}", "its inputs: {}".format(", ".join(names)))
    for buffer in buffers:
        if not buffer.is_input or not buffer.device:
            continue
        data = given.get(buffer.name)
        if data is None:
            data = input_bytes(type_name(engine, buffer.name), buffer.size, buffer.name)[: buffer.size]
        elif len(data) != buffer.size:
            raise Fault("the file for %s has %d bytes, not %d" % (buffer.name, len(data), buffer.size))
        fill_host(buffer.host, data)
        cuda.copy_in(buffer.device, buffer.host, buffer.size, stream)
    cuda.finish(stream)


def pair(engine: Any, trt: Any, name: str) -> tuple[bool, bool]:
    """(is an input, lies on the host)."""
    is_input = engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT
    return is_input, engine.get_tensor_location(name) == trt.TensorLocation.HOST
