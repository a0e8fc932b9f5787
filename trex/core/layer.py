"""Layer: one step of an engine."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Any

from trex.core.data_type import DataType
from trex.core.frozen import frozen
from trex.core.tensor import Tensor

REFORMATS = frozenset(("Reformat", "MyelinReformat", "Cast", "reformat"))
"""Types of layers that only change the type or the layout of one tensor: what is counted as a reformat."""

DLA_PART = "DLA"
"""Type of a layer that stands for a part of the network on the DLA."""

JUMPS = frozenset(("jmp", "cjmp"))
"""Types of Myelin's jumps, by which the host skips or repeats layers."""

_HOST_COPIES = ("shapehosttodevice", "devicetoshapehost")
"""Parts of the types or names of layers that copy shapes between host and device, in any case."""

_PRINTABLE = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0))}
_PRINTABLE |= {code: f"\\u{code:04x}" for code in range(0xD800, 0xE000)}
_PRINTABLE |= {0x1E: "+", 0x1F: "+"}


class Role(Enum):
    """What a layer does when the engine runs.

    KERNEL runs work on the device. NOOP launches nothing (a view). CONSTANT provides stored data. SYNC is a
    signal or wait between streams. SHAPE computes shapes, loop counters and conditions on the host (``shape_call``) or
    jumps by them. TRAIN_STATION is Myelin's host-side synchronization point. Only KERNEL certainly takes device time;
    the others take what the profile says.
    """

    KERNEL = "kernel"
    NOOP = "noop"
    CONSTANT = "constant"
    SYNC = "sync"
    SHAPE = "shape"
    TRAIN_STATION = "train station"

    __hash__ = object.__hash__


@frozen
class Weights:
    """Stored parameters of a layer. kind: ``weights``, ``bias``, or ``input`` if the file lists them as an input.

    count, size_bytes: None if unknown. name: of the tensor that holds them, "" if the file has none.
    """

    kind: str
    data_type: DataType
    count: int | None
    size_bytes: int | None
    name: str = ""


@dataclass(frozen=True, slots=True)
class Precision:
    """The type in which a layer computes, derived from several kinds of evidence.

    confidence: 1.0 if the file says it, down to 0.0 if nothing is known (data_type is then UNKNOWN).
    evidence: in words ("weights Int8", "tactic name …f16f16…", "input and output tensors").
    """

    data_type: DataType
    confidence: float
    evidence: str


NO_PRECISION = Precision(DataType.UNKNOWN, 0.0, "nothing in the file says")


@frozen
class NameParts:
    """A layer's name, parsed by TensorRT's fusion grammar.

    operations: the operand names, outermost first (``conv + relu`` → two; ``{ForeignNode[a...b]}`` → its two ends).
    fusion: ``none``, ``vertical`` (+), ``horizontal`` (||), ``pointwise`` (PWN), ``foreign`` (ForeignNode),
        ``myelin`` (__myl_), ``reformat`` (Reformatting CopyNode) or several of them joined by ``+``.
    wraps: for a reformat, the layer it is for; else empty.
    tokens: operation tokens of a generated kernel (``__myl_MaxrSubExpSum`` → Maxr, Sub, Exp, Sum).
    region: Myelin region number, None outside Myelin.
    """

    operations: tuple[str, ...]
    fusion: str = "none"
    wraps: str = ""
    tokens: tuple[str, ...] = ()
    region: int | None = None


@frozen
class Layer:
    """One layer of an engine, in execution order.

    index: position in the engine's execution order, over all profiles. name: printable name, suffix and separators
    removed; may repeat. occurrence: how many earlier layers of the same profile have the same name.
    type: what it does (``Convolution``, ``Reformat``, ``kgen``): TREx's *type* column. subtype: the LayerType verbatim.
    tactic: kernel name, "" if not reported. tactic_value: its id, None if not reported.
    stream: None if not reported. profile: its optimization profile (0 if the engine has one).
    origins: names of its ONNX nodes, in the order of the file. module: its path in the module tree
    (``/layer1/0/conv1``), "" if the names have none. raw: its own record, verbatim.
    """

    index: int
    name: str
    occurrence: int
    type: str
    subtype: str
    role: Role
    inputs: tuple[Tensor, ...]
    outputs: tuple[Tensor, ...]
    weights: tuple[Weights, ...]
    compute: Precision
    tactic: str
    tactic_value: int | None
    stream: int | None
    profile: int
    origins: tuple[str, ...]
    name_parts: NameParts
    module: str
    raw: dict[str, Any]

    @property
    def precision(self) -> str:
        """Label of the type in which the layer computes, TREx's name. ``compute`` has the confidence."""
        return self.compute.data_type.label

    @property
    def key(self) -> tuple[str, int]:
        """(name, occurrence): the key by which profile records are joined."""
        return (self.name, self.occurrence)

    @property
    def metadata(self) -> str:
        """The Metadata string, "" if absent: TensorRT's separators 0x1E and 0x1F are ``+``, other control characters
        escapes. ``raw`` keeps them.
        """
        value = self.raw.get("Metadata")
        if not isinstance(value, str):
            return ""
        return value if value.isprintable() else value.translate(_PRINTABLE)

    @property
    def raw_dict(self) -> dict[str, Any]:
        """Classic name of ``raw``."""
        return self.raw

    @property
    def inputs_size_bytes(self) -> int | None:
        """Sum over inputs, of a tensor read twice the larger size; None if any is unknown or none is listed."""
        return _total_bytes(self.inputs) if self.inputs or "Inputs" in self.raw else None

    @property
    def outputs_size_bytes(self) -> int | None:
        return _total_bytes(self.outputs) if self.outputs or "Outputs" in self.raw else None

    @property
    def lacks_inputs(self) -> bool:
        """Whether it has weights to multiply its inputs by, and none is listed: the file has lost them."""
        return not self.inputs and bool(self.outputs) and isinstance(self.raw.get("Weights"), dict)

    @property
    def lists_tensors(self) -> bool:
        """False if the record lacks its inputs or outputs, so that their absence means nothing: some files have only
        names, and the last record of a file that was cut off ends anywhere.
        """
        return bool((self.inputs or "Inputs" in self.raw) and (self.outputs or "Outputs" in self.raw))

    @property
    def is_host_copy(self) -> bool:
        """Whether it copies a tensor between host and device: a shape (``[DeviceToShapeHostCopy]``)."""
        if any(mark in text.lower() for text in (self.type, self.subtype, self.name) for mark in _HOST_COPIES):
            return True
        sources, targets = ({one.location for one in side} - {""} for side in (self.inputs, self.outputs))
        return ("Device" in sources and "Host" in targets) or (sources == {"Host"} and "Device" in targets)

    @property
    def total_io_size_bytes(self) -> int | None:
        """Bytes of all inputs and outputs; None if any is unknown."""
        return _sum_known(self.inputs_size_bytes, self.outputs_size_bytes)

    @property
    def weights_size_bytes(self) -> int | None:
        """Bytes of weights, bias and constants; 0 without any, None if a size is unknown."""
        return _sum_known(*[w.size_bytes for w in self.weights]) if self.weights else 0

    @property
    def total_footprint_bytes(self) -> int | None:
        return _sum_known(self.total_io_size_bytes, self.weights_size_bytes)

    @property
    def weights_cnt(self) -> int | None:
        """Number of stored values except biases, 0 without any. TREx's name, like the next five."""
        return _sum_known(*[stored.count for stored in self._stored(bias=False)])

    @property
    def weights_type(self) -> str | None:
        """Label of their type (``INT8``), None without any."""
        return _labels(self._stored(bias=False))

    @property
    def weights_size(self) -> int | None:
        """TREx's name of ``weights_size_bytes``, biases included, as in the column ``weights_size``."""
        return self.weights_size_bytes

    @property
    def bias_cnt(self) -> int | None:
        return _sum_known(*[stored.count for stored in self._stored(bias=True)])

    @property
    def bias_type(self) -> str | None:
        return _labels(self._stored(bias=True))

    @property
    def bias_size(self) -> int | None:
        return _sum_known(*[stored.size_bytes for stored in self._stored(bias=True)])

    def tooltip(self) -> str:
        """The record's keys and values, sorted, one per line, without tensors."""
        shown = sorted((key, value) for key, value in self.raw.items() if key not in ("Inputs", "Outputs", "Name"))
        return "\n".join(f"{key}: {value}" for key, value in shown)

    def __str__(self) -> str:
        """``conv1 (Convolution, FP16): [x: 1x3x8x8 FP16 NCHW] -> [y: 1x8x8x8 FP16 NHWC8]``."""
        inputs, outputs = (", ".join(map(str, side)) for side in (self.inputs, self.outputs))
        return f"{self.name} ({self.type}, {self.precision}): [{inputs}] -> [{outputs}]"

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """For notebooks, alone or in a list."""
        printer.text(str(self))

    def _stored(self, *, bias: bool) -> list[Weights]:
        return [weights for weights in self.weights if (weights.kind == "bias") == bias]


def _labels(stored: list[Weights]) -> str | None:
    return ", ".join(dict.fromkeys(weights.data_type.label for weights in stored)) or None


def _sum_known(*sizes: int | None) -> int | None:
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total


def _total_bytes(tensors: tuple[Tensor, ...]) -> int | None:
    if len(tensors) == 1:
        return tensors[0].size_bytes
    if not tensors:
        return 0
    distinct: dict[str | int, int] = {}
    for index, tensor in enumerate(tensors):
        if tensor.size_bytes is None:
            return None
        key = tensor.name or index
        distinct[key] = max(tensor.size_bytes, distinct.get(key, 0))
    return sum(distinct.values())
