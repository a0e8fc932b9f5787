"""Description: an engine as its maker means it, from which every file and every expected answer is derived.

Nothing here comes from ``trex``: what a test expects must not be computed by what it tests. All names are made up
from public architectures; every kernel name begins with ``synthetic_``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from hashlib import blake2b
from typing import Any

BITS = {
    "FP64": 64, "FP32": 32, "FP16": 16, "BF16": 16, "FP8": 8, "FP4": 4, "E8M0": 8,
    "INT64": 64, "INT32": 32, "INT16": 16, "INT8": 8, "INT4": 4, "UINT8": 8, "BOOL": 8,
}  # fmt: skip

# layout → (axis of the channels, their padding)
PADDING = {
    "linear": (1, 1), "hwc": (1, 1), "hwc4": (1, 4), "hwc8": (1, 8), "hwc16": (1, 16),
    "chw2": (1, 2), "chw4": (1, 4), "chw16": (1, 16), "chw32": (1, 32), "dhwc8": (1, 8), "cdhw32": (1, 32),
}  # fmt: skip

KERNEL, NOOP, CONSTANT, SYNC, SHAPE, TRAIN_STATION = "kernel", "noop", "constant", "sync", "shape", "train station"


@dataclass(frozen=True, slots=True)
class Region:
    """A tensor at one moment: its name may be used again later for other data. A dimension of -1 is dynamic."""

    name: str
    dims: tuple[int, ...]
    type: str = "FP16"
    layout: str = "linear"
    location: str = "Device"

    @property
    def elements(self) -> int | None:
        """Number of values, None when a dimension is dynamic."""
        product = 1
        for dim in self.dims:
            product *= dim
        return None if any(dim < 0 for dim in self.dims) else product

    @property
    def stored_bytes(self) -> int | None:
        """Bytes in memory: channels padded to the layout's vector, types below a byte packed and rounded up."""
        axis, vector = PADDING[self.layout]
        dims = list(self.dims)
        if axis < len(dims):
            dims[axis] = -(-dims[axis] // vector) * vector
        padded = Region("", tuple(dims), self.type).elements if self.elements is not None else None
        return None if padded is None else -(-padded * BITS[self.type] // 8)

    def renamed(self, name: str) -> Region:
        return Region(name, self.dims, self.type, self.layout, self.location)


@dataclass(frozen=True, slots=True)
class Step:
    """One layer: what it is called, reads, writes, and what its maker knows of its cost.

    parameters: the inspector's keys between Outputs and TacticName, in order. tactic: None when the inspector prints
    no TacticName. compute: label of the type it computes in, "" where that is a matter of definition.
    separator: what joins its ONNX origins in Metadata. milliseconds: overrides the cost model.
    """

    name: str
    layer_type: str
    inputs: tuple[Region, ...]
    outputs: tuple[Region, ...]
    role: str = KERNEL
    parameters: dict[str, Any] = field(default_factory=dict)
    tactic: str | None = None
    stream: int = 0
    origins: tuple[str, ...] = ()
    separator: str = "\x1e"
    compute: str = ""
    operations: float = 0.0
    weight_bytes: int = 0
    myelin: bool = False
    profile: int = 0
    milliseconds: float | None = None

    @property
    def tactic_value(self) -> str:
        """A made-up identifier, the same for the same kernel name."""
        return "0x0000000000000000" if not self.tactic else "0x" + hex_digits(self.tactic, 16)

    @property
    def metadata(self) -> str:
        return self.separator.join(f"[ONNX Layer: {origin}]" for origin in self.origins)


@dataclass(frozen=True)
class Description:
    """A whole engine: its layers in execution order, and which tensors are its inputs and outputs."""

    name: str
    steps: tuple[Step, ...]
    inputs: tuple[Region, ...]
    outputs: tuple[Region, ...]
    subject: str = ""
    onnx: str = "model.onnx"

    @property
    def bindings(self) -> tuple[Region, ...]:
        return (*self.inputs, *self.outputs)

    @property
    def roles(self) -> dict[str, int]:
        counts: dict[str, int] = {}
        for step in self.steps:
            counts[step.role] = counts.get(step.role, 0) + 1
        return counts

    @property
    def precisions(self) -> dict[str, str]:
        """Layer name → label of the type it computes in, for the layers where that is beyond dispute."""
        return {step.name: step.compute for step in self.steps if step.compute and step.role == KERNEL}

    @property
    def sizes(self) -> dict[str, int | None]:
        """Activation's name → stored bytes, for names that are used for one kind of data only."""
        found: dict[str, set[int | None]] = {}
        for region in self.regions():
            found.setdefault(region.name, set()).add(region.stored_bytes)
        stored = {region.name for region in self.stored}
        return {name: next(iter(sizes)) for name, sizes in found.items() if len(sizes) == 1 and name not in stored}

    @property
    def stored(self) -> tuple[Region, ...]:
        """Tensors that come from nowhere: the weights that Myelin's layers read as if they were activations."""
        known = {region.name for region in self.inputs}
        for step in self.steps:
            known.update(region.name for region in step.outputs)
        distinct = {r.name: r for step in self.steps if step.myelin for r in step.inputs if r.name not in known}
        return tuple(distinct.values())

    @property
    def weights_bytes(self) -> int:
        """Bytes of all weights, biases and constants."""
        return sum(step.weight_bytes for step in self.steps) + sum(r.stored_bytes or 0 for r in self.stored)

    def regions(self) -> Iterator[Region]:
        for step in self.steps:
            yield from step.inputs
            yield from step.outputs


def hex_digits(text: str, count: int) -> str:
    """``count`` hexadecimal digits that follow from ``text``: a stand-in for what only a build could give."""
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=count // 2).hexdigest()
