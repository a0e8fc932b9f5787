"""RawEngine: an engine's records before they become an Engine; quirks edit it in stages."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.core.layer import Role
from trex.core.note import Note
from trex.core.tensor import ShapeRange
from trex.core.tensor_format import TensorFormat

MAX_LAYERS = 200_000
"""Or bindings. Ten times the largest engines known; each takes about a kilobyte, however short its text."""


BINDINGS_INFERRED = "bindings-inferred"
"""Code of the Note on bindings that no file lists."""


@dataclass(frozen=True, slots=True)
class TypeReader:
    """Reads the type and format of a tensor's record; None for records that are not its own.

    keys: of the record, on which alone the answer depends.
    """

    keys: tuple[str, ...]
    read: Callable[[dict[str, Any]], tuple[DataType, TensorFormat] | None]


class RawLayer:
    """One layer's record (verbatim), and the fields that quirks correct: name, types, role, profile, tensors."""

    __slots__ = ("inputs", "name", "outputs", "profile", "record", "role", "subtype", "type", "unwritten")

    def __init__(self, record: dict[str, Any]) -> None:
        self.record = record
        get = record.get
        name = get("Name")
        self.name: str = name if type(name) is str else "" if name is None else str(name)
        subtype = get("LayerType")
        self.subtype: str = subtype if type(subtype) is str and subtype else "Unknown"
        kind = get("ParameterType")
        self.type: str = kind if type(kind) is str and kind else self.subtype
        inputs, outputs = get("Inputs"), get("Outputs")
        self.inputs: list[dict[str, Any]] = inputs if type(inputs) is list else []
        self.outputs: list[dict[str, Any]] = outputs if type(outputs) is list else []
        self.role: Role = Role.KERNEL
        self.profile: int | None = None
        self.unwritten: tuple[int, ...] = ()


@dataclass
class RawBinding:
    """An input or output of the engine. is_input: None until known. inferred: not in a list of the file."""

    name: str
    is_input: bool | None = None
    profiles: tuple[ShapeRange, ...] = ()
    record: dict[str, Any] = field(default_factory=dict)
    inferred: bool = False


@dataclass
class RawEngine:
    """Working state between the parser and the Engine.

    documents: of the file, until stage DOCUMENT finds the layers. layers, bindings: set by ``open``; bindings is None
    if the file has no list of them. named: layers that are only a name in the file.
    type_readers: of tensor records without ``Format/Datatype``; quirks add them, the first result counts.
    tensor_names: written name → name, for names that quirks change.
    """

    documents: list[Any]
    source: str = ""
    verbosity: str = "detailed"
    notes: list[Note] = field(default_factory=list)
    layers: list[RawLayer] = field(default_factory=list)
    named: list[RawLayer] = field(default_factory=list)
    bindings: list[RawBinding] | None = None
    extra: dict[str, Any] = field(default_factory=dict)
    type_readers: list[TypeReader] = field(default_factory=list)
    tensor_names: dict[str, str] = field(default_factory=dict)
    tensorrt_version: str = ""

    @property
    def lists_border(self) -> bool:
        """True if the file has a complete list of the engine's inputs and outputs: none cut off, none inferred."""
        cut = any(note.code == "truncated" for note in self.notes)
        return bool(self.bindings) and not cut and not any(binding.inferred for binding in self.bindings or ())

    @property
    def document(self) -> Any:
        """The one document, after stage DOCUMENT has joined them."""
        return self.documents[0] if self.documents else {}

    def note(self, code: str, message: str, hint: str = "", where: str = "", severity: str = "warning") -> None:
        self.notes.append(Note(code, message, hint, where or self.source, severity))

    def open(self) -> None:
        """Takes the layers, bindings and other keys out of the document. Raises TrexError beyond ``MAX_LAYERS``."""
        document = self.document
        records = document.get("Layers") if isinstance(document, dict) else None
        if not isinstance(records, list):
            records = []
        bindings = document.get("Bindings") if isinstance(document, dict) else None
        for items, what in ((records, "layers"), (bindings, "bindings")):
            if isinstance(items, list) and len(items) > MAX_LAYERS:
                message = f"the file has {len(items):,} {what}, more than the {MAX_LAYERS:,} read at most"
                raise TrexError(message, "check that this is the export of one engine", self.source)
        for record in records:
            if type(record) is dict:
                self.layers.append(RawLayer(record))
            elif type(record) is str:
                self.layers.append(RawLayer({"Name": record}))
                self.named.append(self.layers[-1])
        if len(self.layers) < len(records):
            self.note(
                "layer-not-an-object",
                f"{len(records) - len(self.layers)} of {counted(len(records), 'entry', 'entries')} of Layers left "
                "out: neither records nor names",
                severity="problem",
            )
        if isinstance(bindings, list):
            names = dict.fromkeys(name for name in bindings if isinstance(name, str) and name)
            self.bindings = [RawBinding(name) for name in names]
        if isinstance(document, dict):
            self.extra = {key: value for key, value in document.items() if key not in ("Layers", "Bindings")}

    @property
    def tensor_keys(self) -> frozenset[str]:
        """All keys of tensor records."""
        return self._survey[0]

    @property
    def names_read(self) -> tuple[str, ...]:
        """The names of the layers' inputs as written, each once, in order."""
        return self._survey[1]

    @property
    def names_written(self) -> tuple[str, ...]:
        """The names of the layers' outputs as written, each once, in order."""
        return self._survey[2]

    @cached_property
    def _survey(self) -> tuple[frozenset[str], tuple[str, ...], tuple[str, ...]]:
        keys: set[str] = set()
        read: dict[str, None] = {}
        written: dict[str, None] = {}
        for layer in self.layers:
            for records, names in ((layer.inputs, read), (layer.outputs, written)):
                for record in records:
                    if type(record) is dict:
                        keys.update(record)
                        name = record.get("Name")
                        if type(name) is str:
                            names[name] = None
        return frozenset(keys), tuple(read), tuple(written)

    @cached_property
    def subtypes(self) -> frozenset[str]:
        """All LayerTypes, for use after stage SCHEMA."""
        return frozenset(layer.subtype for layer in self.layers)
