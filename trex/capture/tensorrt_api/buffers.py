"""Memory for an engine's inputs and outputs, and the values of inputs."""

from __future__ import annotations

import ctypes
import os
import random
import struct
from array import array
from typing import Any, Sequence

from trex.capture.tensorrt_api.cuda_common import fill_host
from trex.capture.tensorrt_api.errors import FAILED, CollectorError

BITS = {"FLOAT": 32, "HALF": 16, "INT8": 8, "INT32": 32, "BOOL": 8, "UINT8": 8, "FP8": 8, "BF16": 16, "INT64": 64,
        "INT4": 4, "FP4": 4, "E8M0": 8}  # fmt: skip
_BLOCK = 4096  # random values; longer inputs repeat them
_ONES = {"INT8": b"\1", "UINT8": b"\1", "BOOL": b"\1", "INT32": struct.pack("<i", 1), "INT64": struct.pack("<q", 1),
         "FP8": b"\x38", "INT4": b"\x11", "FP4": b"\x22", "E8M0": b"\x7f"}  # fmt: skip


class Buffer:
    """One input or output. device: its address, 0 for one that TensorRT reads on the host. host: page-locked."""

    def __init__(self, name: str, is_input: bool, size: int, device: int, host: int) -> None:
        self.name = name
        self.is_input = is_input
        self.size = size
        self.device = device
        self.host = host


def buffer_bytes(engine: Any, name: str, shape: Sequence[int]) -> int:
    """Bytes of a tensor as stored, with padded vectors. Raises CollectorError for an unknown element type."""
    kind = type_name(engine, name)
    if kind not in BITS:
        raise CollectorError(f"{name} has the element type {kind}, whose size is unknown", "", FAILED)
    sizes = list(shape)
    vector, axis = engine.get_tensor_components_per_element(name), engine.get_tensor_vectorized_dim(name)
    if vector > 1 and 0 <= axis < len(sizes):
        sizes[axis] = -(-sizes[axis] // vector) * vector
    volume = 1
    for size in sizes:
        volume *= size
    return max(1, -(-volume * BITS[kind] // 8))


def type_name(engine: Any, name: str) -> str:
    kind = engine.get_tensor_dtype(name)
    return str(getattr(kind, "name", kind)).rpartition(".")[2]


def input_bytes(kind: str, size: int, seed: str) -> bytes:
    """The same random numbers between -1 and 1 in every run for floats; ones for integers, which are often indices."""
    if kind in _ONES:
        one = _ONES[kind]
        return (one * (-(-size // len(one))))[:size]
    numbers = random.Random(seed)
    values = array("f", (numbers.uniform(-1.0, 1.0) for _ in range(_BLOCK)))
    block = values.tobytes()
    if kind == "HALF":
        block = struct.pack("<%de" % _BLOCK, *values)
    elif kind == "BF16":  # the upper half of a float
        block = b"".join(block[start + 2 : start + 4] for start in range(0, len(block), 4))
    return (block * (-(-size // len(block))))[:size]


def shape_values(kind: str, values: Sequence[int]) -> Any:
    """A shape tensor's values on the host; keep the array while TensorRT reads it."""
    number = ctypes.c_int64 if kind == "INT64" else ctypes.c_int32
    return (number * max(1, len(values)))(*values)


def loaded_inputs(text: str) -> dict[str, bytes]:
    """``x:FILE,y:FILE`` → {x: bytes}."""
    inputs = {}
    for part in filter(None, text.split(",")):
        name, colon, path = part.partition(":")
        if not colon:
            raise CollectorError(f"{part!r} names no file for an input", "write NAME:FILE")
        if os.path.exists(path) and not os.path.isfile(path):
            raise CollectorError(f"the input file {path} is a folder, a device or a pipe", "save its content to a file")
        try:
            with open(path, "rb") as file:
                inputs[name.strip("'")] = file.read()
        except OSError as error:
            raise CollectorError(f"the input file {path} cannot be read: {error.strerror}") from None
    return inputs


def fill_inputs(cuda: Any, engine: Any, buffers: list[Buffer], given: dict[str, bytes], stream: Any) -> None:
    names = [buffer.name for buffer in buffers if buffer.is_input]
    for name in given:
        if name not in names:
            raise CollectorError(f"the engine has no input {name}", "its inputs: {}".format(", ".join(names)))
    for buffer in buffers:
        if not buffer.is_input or not buffer.device:
            continue
        data = given.get(buffer.name)
        if data is None:
            data = input_bytes(type_name(engine, buffer.name), buffer.size, buffer.name)
        elif len(data) != buffer.size:
            raise CollectorError("the file for %s has %d bytes, not %d" % (buffer.name, len(data), buffer.size))
        fill_host(buffer.host, data)
        cuda.copy_in(buffer.device, buffer.host, buffer.size, stream)
    cuda.finish(stream)


def tensor_role(engine: Any, trt: Any, name: str) -> tuple[bool, bool]:
    """(is an input, is on the host)."""
    is_input = engine.get_tensor_mode(name) == trt.TensorIOMode.INPUT
    return is_input, engine.get_tensor_location(name) == trt.TensorLocation.HOST
