"""Graph JSON → Engine: typed layers, bindings, and Notes on what was not understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import orjson

from trex.core.collector import collector_paused
from trex.core.counted import counted
from trex.core.data_type import DataType
from trex.core.engine import Engine
from trex.core.errors import TrexError
from trex.core.layer import Layer, Role, Weights
from trex.core.note import Note
from trex.core.provenance import rtx_release
from trex.core.shape import Shape
from trex.core.tensor import Binding, Tensor, of_binding
from trex.core.tensor_format import UNKNOWN_FORMAT, TensorFormat
from trex.ingest.graph_contradictions import graph_contradictions
from trex.ingest.lenient_json import parse
from trex.ingest.quirk import run_quirks
from trex.ingest.raw_engine import RawEngine, RawLayer
from trex.ingest.spelling.layer_names import parse_name
from trex.ingest.spelling.origins import module_of, split_origins
from trex.ingest.spelling.precision import fill_from_neighbors, precision_of
from trex.ingest.spelling.printable import printable_name, with_separators
from trex.ingest.spelling.shapes import read_dim, read_shape
from trex.ingest.spelling.tensor_formats import parse_format
from trex.ingest.spelling.weights import UNKNOWN_WEIGHTS, hides_weights, is_unread, read_weights, weight_keys
from trex.ingest.stride_contradictions import stride_contradictions

NO_LAYERS_HINT = "export the graph with: trtexec --loadEngine=MODEL.engine --exportLayerInfo=MODEL.graph.json"
SHAPES_HINT = "export it from a run with shapes set: trtexec --loadEngine=MODEL.engine --shapes=… --exportLayerInfo=…"
_ABSENT = object()
_ONE_SHAPE_HINT = "build it for one shape: equal minShapes, optShapes and maxShapes"


def read_graph(data: bytes, where: str = "") -> Engine:
    """The engine in the bytes of a graph JSON file (any spelling of TensorRT 8.2 to 11.x).

    Raises TrexError, with the position, if the bytes contain no engine.
    """
    with collector_paused():
        parsed = parse(data, where)
        return engine_from_documents(parsed.documents, where, parsed.notes)


def engine_from_records(records: Iterable[Any]) -> Engine:
    """The engine of layer records from Python; they are copied, tuples and NumPy's values as lists and numbers.

    Raises TrexError if JSON cannot represent them (keys that are not text, numbers beyond 64 bits, bytes …).
    """
    try:
        data = orjson.dumps({"Layers": list(records)}, option=orjson.OPT_SERIALIZE_NUMPY)
    except orjson.JSONEncodeError as error:
        raise TrexError(
            f"JSON cannot represent the layer records: {error}", "give what json.load returns for a graph file"
        ) from error
    return read_graph(data)


def layers_from_raw(records: Iterable[dict[str, Any]]) -> tuple[Layer, ...]:
    """Typed layers of raw records, read as one engine."""
    return engine_from_documents([{"Layers": list(records)}], require_layers=False).layers


def engine_from_documents(
    documents: list[Any],
    where: str = "",
    notes: Iterable[Note] = (),
    *,
    verbosity: str = "detailed",
    require_layers: bool = True,
) -> Engine:
    """The engine in parsed JSON documents, which it keeps as records: they must not be changed later.

    Raises TrexError if there are no layers and ``require_layers`` is true.
    """
    raw = RawEngine(documents=list(documents), source=where, verbosity=verbosity, notes=list(notes))
    run_quirks(raw)
    if not raw.layers and require_layers:
        raise _no_layers(raw, where)
    return EngineReader(raw).engine()


def _no_layers(raw: RawEngine, where: str) -> TrexError:
    """The error for a file without layers; damage to its text is the likely reason."""
    message = "the file contains no engine layers"
    damage = next((note for note in raw.notes if note.severity == "problem"), None)
    if damage is None:
        return TrexError(message, NO_LAYERS_HINT, where)
    return TrexError(f"{message}: {damage.message}", damage.hint or NO_LAYERS_HINT, damage.where or where)


class EngineReader:
    """Raw engine → Engine, with caches of what repeats."""

    def __init__(self, raw: RawEngine) -> None:
        self.raw = raw
        self.weight_keys = weight_keys(layer.record for layer in raw.layers)
        self._facts: dict[Any, tuple[Shape | None, DataType, TensorFormat, int | None]] = {}
        self._fact_keys = tuple(dict.fromkeys(key for reader in raw.type_readers for key in reader.keys))
        self._tensors: dict[str, Tensor] = {}
        self._hidden = 0

    def engine(self) -> Engine:
        """The engine. If a layer alone does not determine its precision, its neighbors do."""
        occurrences: dict[tuple[int, str], int] = {}
        layers = []
        for index, raw_layer in enumerate(self.raw.layers):
            key = (raw_layer.profile or 0, raw_layer.name)
            occurrence = occurrences.get(key, 0)
            occurrences[key] = occurrence + 1
            layers.append(self._layer(index, raw_layer, occurrence))
        layers = self._with_neighbors(layers)
        bindings = self._bindings(layers)
        raw = self.raw
        is_complete = raw.lists_border and raw.verbosity in ("detailed", "log")
        raw.notes.extend(graph_contradictions(layers, bindings if is_complete else (), raw.source))
        raw.notes.extend(stride_contradictions(layers, raw.source))
        self._note_unknowns(layers)
        return Engine(
            layers=tuple(layers),
            bindings=bindings,
            source=raw.source,
            verbosity=raw.verbosity,
            tensorrt_version=raw.tensorrt_version or rtx_release(str(raw.extra.get("BuiltOnCPU", ""))),
            notes=tuple(raw.notes),
            extra=raw.extra,
        )

    def _layer(self, index: int, raw: RawLayer, occurrence: int) -> Layer:
        record = raw.record
        get = record.get
        inputs = self._tensors_of(raw.inputs)
        outputs = self._tensors_of(raw.outputs)
        weights = read_weights(record, self.weight_keys) if self.weight_keys else ()
        if raw.unwritten:
            inputs, stored = self._unwritten(raw, inputs)
            weights += stored
        weights_type = next((w.data_type for w in weights if w.kind != "bias"), None)
        lists_none = raw.role is Role.KERNEL and all(stored.kind == "bias" for stored in weights)
        if lists_none and hides_weights(raw.subtype, record, self.raw.verbosity, inputs):
            weights += (UNKNOWN_WEIGHTS,)
            self._hidden += 1
        tactic = get("TacticName")
        tactic = printable_name(tactic) if type(tactic) is str else ""
        origin = get("Origin")
        metadata = get("Metadata")
        origins = split_origins(with_separators(metadata)) if type(metadata) is str and metadata else ()
        # The separators of fused names are part of the grammar; printable names do not have them.
        written = get("Name")
        if type(written) is str and not written.isprintable():
            parts = parse_name(with_separators(written))
        else:
            parts = parse_name(raw.name)
        return Layer(
            index=index,
            name=raw.name,
            occurrence=occurrence,
            type=raw.type,
            subtype=raw.subtype,
            role=raw.role,
            inputs=inputs,
            outputs=outputs,
            weights=weights,
            compute=precision_of(
                raw.type,
                raw.subtype,
                tuple([tensor.data_type for tensor in inputs]),
                tuple([tensor.data_type for tensor in outputs]),
                weights_type,
                tactic,
                origin if type(origin) is str else "",
            ),
            tactic=tactic,
            tactic_value=_tactic_value(get("TacticValue")),
            stream=read_dim(get("StreamId")),
            profile=raw.profile or 0,
            origins=origins,
            name_parts=parts,
            module=module_of(origins, parts),
            raw=record,
        )

    def _tensors_of(self, records: list[Any]) -> tuple[Tensor, ...]:
        tensors = []
        known_as = self._tensors.get
        for record in records:
            if type(record) is dict:
                written = record.get("Name")
                known = known_as(written) if type(written) is str else None
                if known is None or known.raw != record:
                    known = self._new_tensor(record, written)
                tensors.append(known)
        return tuple(tensors)

    def _new_tensor(self, record: dict[str, Any], written: Any) -> Tensor:
        is_named = type(written) is str
        name = self.raw.tensor_names.get(written, written) if is_named else ""
        shape, data_type, layout, size = self._tensor_facts(record)
        location = record.get("Location")
        tensor = Tensor(name, shape, data_type, layout, size, location if type(location) is str else "", record)
        if is_named:
            self._tensors[written] = tensor
        return tensor

    def _tensor_facts(self, record: dict[str, Any]) -> tuple[Shape | None, DataType, TensorFormat, int | None]:
        written, dims = record.get("Format/Datatype"), record.get("Dimensions")
        if type(dims) is not list:
            return self._read_facts(record, written, dims)
        key = (written, len(dims), *dims, *[record.get(key, _ABSENT) for key in self._fact_keys])
        try:
            facts = self._facts.get(key)
        except TypeError:  # a dimension or another value that is itself a list cannot be a key
            return self._read_facts(record, written, dims)
        if facts is None:
            facts = self._facts[key] = self._read_facts(record, written, dims)
        return facts

    def _read_facts(
        self, record: dict[str, Any], written: Any, dims: Any
    ) -> tuple[Shape | None, DataType, TensorFormat, int | None]:
        answer: tuple[DataType, TensorFormat] | None = None
        for reader in self.raw.type_readers:
            answer = answer or reader.read(record)
        if answer is None and type(written) is str:
            answer = parse_format(written)
        data_type, layout = answer or (DataType.UNKNOWN, UNKNOWN_FORMAT)
        shape = read_shape(dims)
        return shape, data_type, layout, data_type.size_bytes(layout.padded_volume(shape))

    @staticmethod
    def _unwritten(raw: RawLayer, inputs: tuple[Tensor, ...]) -> tuple[tuple[Tensor, ...], tuple[Weights, ...]]:
        """Inputs that a layer writes, and the others as weights, each name once."""
        kept: list[Tensor] = []
        weights: dict[str, Weights] = {}
        unwritten = frozenset(raw.unwritten)
        indexes = [index for index, record in enumerate(raw.inputs) if type(record) is dict]
        for index, tensor in zip(indexes, inputs):
            if index in unwritten:
                name = tensor.name
                weights[name] = Weights("input", tensor.data_type, tensor.volume, tensor.size_bytes, name)
            else:
                kept.append(tensor)
        return tuple(kept), tuple(weights.values())

    def _with_neighbors(self, layers: list[Layer]) -> list[Layer]:
        if all(layer.compute.data_type is not DataType.UNKNOWN or layer.role is not Role.KERNEL for layer in layers):
            return layers
        precisions, notes = fill_from_neighbors(layers)
        self.raw.notes.extend(notes)
        return [
            replace(layer, compute=precisions[layer.index]) if layer.index in precisions else layer for layer in layers
        ]

    def _bindings(self, layers: list[Layer]) -> tuple[Binding, ...]:
        first_read: dict[str, Tensor] = {}
        last_written: dict[str, Tensor] = {}
        for layer in layers:
            for read in layer.inputs:
                first_read.setdefault(read.name, read)
            last_written.update((written.name, written) for written in layer.outputs)
        bindings = []
        for raw in self.raw.bindings or ():
            is_input = raw.is_input
            if is_input is None:
                is_input = False if raw.name in last_written else True if raw.name in first_read else None
            seen = (first_read if is_input else last_written).get(raw.name)
            own = self._tensor_facts(raw.record)[0] if raw.record else None
            tensor = None if seen is None else of_binding(own, seen)
            if tensor is None:
                tensor = next(iter(self._tensors_of([raw.record] if raw.record else [])), None)
            bindings.append(Binding(raw.name, is_input, tensor, raw.profiles))
        return tuple(bindings)

    def _note_unknowns(self, layers: list[Layer]) -> None:
        tensors = {id(t): t for layer in layers for group in (layer.inputs, layer.outputs) for t in group}
        unknown: Counter[str] = Counter()
        dynamic = unlaid = shapeless = 0
        for tensor in tensors.values():
            if tensor.data_type is DataType.UNKNOWN:
                unknown[_written_type(tensor.raw)] += 1
            elif not tensor.format.is_known and tensor.shape is not None and "Strides" not in tensor.raw:
                unlaid += 1
            if tensor.shape is not None and None in tensor.shape:
                dynamic += 1
            elif tensor.format.padded_volume(tensor.shape) is None:
                shapeless += 1
        note = self.raw.note
        if unknown:
            examples = ", ".join(repr(text) for text, _ in unknown.most_common(3))
            note(
                "unknown-data-type",
                f"{counted(sum(unknown.values()), 'tensor')} of unknown data type ({examples}): sizes unknown",
                SHAPES_HINT if any("dynamic" in text for text in unknown) else "",
            )
        if dynamic:
            note(
                "dynamic-dimensions",
                f"{counted(dynamic, 'tensor')} with dimensions known only at run time: sizes unknown",
                _ONE_SHAPE_HINT if "BuiltOnCPU" in self.raw.extra else SHAPES_HINT,
            )
        if shapeless:
            note(
                "unknown-shape", f"{counted(shapeless, 'tensor')} with too few or unreadable dimensions: sizes unknown"
            )
        if self._hidden and self.raw.verbosity == "detailed":
            is_usual = all("ParameterType" not in layer.raw for layer in layers if UNKNOWN_WEIGHTS in layer.weights)
            why = " (Myelin does not report its constants)" if is_usual else ""
            note(
                "weights-not-reported",
                f"the weights of {counted(self._hidden, 'layer')} are not in the file{why}: sizes unknown",
                severity="info",
            )
        if unlaid:
            note(
                "layout-not-reported",
                f"the memory layout of {counted(unlaid, 'tensor')} is not in the file: sizes are without vector "
                "padding",
                severity="info",
            )
        unread = [layer.name for layer in layers for weights in layer.weights if is_unread(weights)]
        if unread:
            what = counted(len(unread), "weights entry has", "weights entries have")
            note("unreadable-weights", f"{what} no usable count or type, first in layer {unread[0]!r}: sizes unknown")


def _written_type(record: dict[str, Any]) -> str:
    for key in ("Format/Datatype", "Datatype", "DataType", "Format"):
        value = record.get(key)
        if isinstance(value, str):
            return value[:80]
    return ""


def _tactic_value(value: Any) -> int | None:
    """A tactic id as an unsigned 64-bit number; files have hexadecimal or (before 8.4) signed decimal text."""
    if type(value) is str:
        try:
            value = int(value[:40], 0)
        except ValueError:
            return None
    return value % 2**64 if type(value) is int else None
