"""Whether a log is of another engine: layers, inputs, outputs, sizes, options or names are not those of the graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from pathlib import PurePath
from typing import Any

from trex.core.counted import counted
from trex.core.engine import Engine
from trex.core.layer import Layer
from trex.core.metadata import Metadata
from trex.core.shape import Shape, shape_text
from trex.core.tensor import ShapeRange
from trex.ingest.differing_facts import are_other_shapes
from trex.ingest.finding.file_names import engine_words
from trex.ingest.graph_json import engine_from_documents
from trex.ingest.logs.inspector_text import LayerRecord, inspector_document
from trex.ingest.logs.log_run import LogRun
from trex.ingest.spelling.layer_names import FOREIGN_OPENING, REGION_NUMBER, profile_suffix
from trex.ingest.spelling.shape_options import build_ranges, run_shapes

LEAST_SHARED = 0.5
"""Of the layers that a log lists, and of the types of those in the graph. Our choice: an engine's own log has all."""
LEAST_TIMED = 0.05
"""Of the layers of the side with fewer, if the log only times them: profile and graph may name regions in two ways."""
MOST_SHARED = 0.95
"""Of the layers of the side with fewer, from which a log that nothing else names is of the engine. Our choice."""
LEAST_LAYERS = 3
"""With fewer layers their names prove nothing."""
LEAST_WEIGHTS = 1.6
"""Times an engine's size. Our choice: FP32 weights are 2 times those in FP16, and equal weights may be stored once."""

_MIB = 2**20
_STRIPPED = ("Strip weights", "Strip All Weights", "Weight Streaming", "Weight streaming budget")
_FILE = re.compile(r"--(?:onnx|saveEngine|loadEngine|exportLayerInfo|exportProfile|exportTimes)=(\S+)")
_WORD = re.compile(r"([a-z]{3,})([0-9]*)")
_GENERIC_WORDS = (
    "model models net network module onnx engine plan trt tensorrt trtexec graph layer layers profile timing build "
    "test tests sample example demo best last final latest new old out output outputs export exported converted "
    "sim simplified simp opt optimized dynamic static batch fixed folded float half int fp bf qat ptq quant "
    "quantized calibrated calib run runs base baseline log logs tmp temp data file main default foo bar"
)
_GENERIC = frozenset(_GENERIC_WORDS.split())
_LEAST_PREFIX = 4


def contradiction(
    engine: Engine, run: LogRun, names: Iterable[str] = (), log_name: str = "", build: Metadata | None = None
) -> str:
    """Why the run is of another engine than the graph; "" if it may be of this one.

    Layers decide, by their names, the shapes they are built for and their types; where one side has fewer than three,
    what else both sides state: inputs and outputs, their shapes, the bytes of weights, the release, the precisions of
    the build, and last the names of files. names: of the engine's files, and of its model. log_name: of the log's file.
    build: of the build, from files other than logs.
    """
    layers, own_layers = _layers_of(run), _own_layers(engine)
    compared = layers if run.raw_layers else {name for name in layers if name in own_layers or not _is_myelin(name)}
    fewer = min(len(compared), len(own_layers))
    if fewer >= LEAST_LAYERS:
        shared, is_listed = len(compared & own_layers), bool(_records(run))
        of = len(compared) if is_listed and _is_whole(engine, run) else fewer
        if shared >= (LEAST_SHARED if is_listed else LEAST_TIMED) * of:
            return _other_facts(engine, run) or next(_run_shapes(engine, run), "")
        where = "" if compared == layers else " outside Myelin's regions"
        return f"{shared} of its {counted(len(compared), 'layer')}{where} are in the graph"
    ends = _names(run.bindings) or {tensor.name for tensor in run.io_tensors}
    own_ends = {binding.name for binding in engine.bindings}
    if ends and own_ends and not ends & own_ends:
        return f"its inputs and outputs are {_listed(ends)}, the engine's {_listed(own_ends)}"
    reasons = (
        *_shapes(engine, run),
        *_run_shapes(engine, run),
        *_releases(engine, run),
        *_sizes(engine, run),
        *_precisions(run, build),
        *(() if ends & own_ends else _models(run, names, log_name)),
    )
    return next(iter(reasons), "")


def confirmation(engine: Engine, run: LogRun) -> str:
    """Why the run is certainly of the engine; "" if it may be of another one."""
    layers, own_layers = _layers_of(run), _own_layers(engine)
    fewer = min(len(layers), len(own_layers))
    shared = len(layers & own_layers)
    is_same = fewer >= LEAST_LAYERS and shared >= MOST_SHARED * fewer and not _other_facts(engine, run)
    return f"{shared} of its {counted(len(layers), 'layer')} are in the graph" if is_same else ""


def _records(run: LogRun) -> list[LayerRecord] | list[dict[str, Any]]:
    """The inspector's layers, else the builder's."""
    return run.raw_layers or run.layer_rows or []


def _layers_of(run: LogRun) -> set[str]:
    times = run.layer_times.records if run.layer_times else ()
    return set(map(_same_in_all, _names(_records(run)) or {record.name for record in times}))


def _own_layers(engine: Engine) -> set[str]:
    names = {layer.name for layer in engine.layers} | _names(layer.raw for layer in engine.layers)
    return set(map(_same_in_all, names))


def _same_in_all(name: str) -> str:
    """A layer's name without what distinguishes its copies for other optimization profiles."""
    return REGION_NUMBER.sub("_myl", profile_suffix(name)[0])


def _is_myelin(name: str) -> bool:
    """Builder and inspector name the parts of a region in two ways."""
    return name.startswith(FOREIGN_OPENING) or "_myl" in name or "__mye" in name


def _is_whole(engine: Engine, run: LogRun) -> bool:
    """Whether neither the graph nor the log's list of layers may lack some, or have another engine's, too."""
    is_damaged = any(note.severity == "problem" for note in engine.notes)
    return not is_damaged and all(note.severity == "info" for note in run.notes)


def _other_facts(engine: Engine, run: LogRun) -> str:
    """What the log lists of layers, inputs and outputs of the same names, but not with the same facts."""
    if not _records(run) or not _is_whole(engine, run):
        return ""
    document = inspector_document(_records(run), run.bindings)
    listed = engine_from_documents([document], verbosity="detailed" if run.raw_layers else "log", require_layers=False)
    return next(iter((*_ranges(engine, listed), *_types(engine, listed))), "")


def _ranges(engine: Engine, listed: Engine) -> Iterator[str]:
    """Inputs built for other shapes."""
    for binding in listed.bindings:
        own = engine.binding_by_name.get(binding.name)
        for limits, other in zip(own.profiles if own else (), binding.profiles):
            if limits != other and _span(limits) and _span(other):
                yield f"its {binding.name!r} is built for {_span(other)}, the engine's for {_span(limits)}"


def _span(limits: ShapeRange) -> str:
    """Empty if not all of it is known."""
    low, best, high = limits.minimum, limits.optimum, limits.maximum
    if low is None or best is None or high is None:
        return ""
    if low == high:
        return shape_text(low)
    return f"{shape_text(low)} to {shape_text(high)}, best {shape_text(best)}"


def _types(engine: Engine, listed: Engine) -> Iterator[str]:
    """Layers whose outputs are of other types."""
    own, others = _by_name(engine), _by_name(listed)
    pairs = [
        [
            (a.data_type, b.data_type)
            for a, b in zip(own[name].outputs, others[name].outputs)
            if a.data_type.is_known and b.data_type.is_known
        ]
        for name in own.keys() & others.keys()
    ]
    known = sum(map(bool, pairs))
    same = sum(bool(types) and all(a is b for a, b in types) for types in pairs)
    if known >= LEAST_LAYERS and same < LEAST_SHARED * known:
        yield f"{known - same} of the {counted(known, 'layer')} in both have outputs of other types"


def _by_name(engine: Engine) -> dict[tuple[str, int], Layer]:
    """The layers of the first optimization profile that has the name."""
    return {(_same_in_all(layer.name), layer.occurrence): layer for layer in reversed(engine.layers)}


def _shapes(engine: Engine, run: LogRun) -> Iterator[str]:
    """Inputs and outputs of the same name with another rank, or without any dimension in common but the batch."""
    for tensor in run.io_tensors:
        binding = engine.binding_by_name.get(tensor.name)
        own = binding.tensor.shape if binding is not None and binding.tensor is not None else None
        if own is not None and tensor.shape is not None and not _may_be_equal(own, tensor.shape):
            yield f"its {tensor.name!r} is {shape_text(tensor.shape)}, the engine's {shape_text(own)}"


def _run_shapes(engine: Engine, run: LogRun) -> Iterator[str]:
    """Inputs that ran at another shape, where no option says at which: the engine has one shape, and so has its run."""
    if run_shapes(run.metadata) or build_ranges(run.metadata):
        return
    for tensor in run.io_tensors:
        binding = engine.binding_by_name.get(tensor.name)
        own = binding.tensor.shape if binding is not None and binding.is_input and binding.tensor is not None else None
        if own is None or tensor.shape is None or not len(own) == len(tensor.shape) > 1:
            continue
        if are_other_shapes(own, tensor.shape):
            yield f"its {tensor.name!r} ran at {shape_text(tensor.shape)}, the engine's is {shape_text(own)}"


def _may_be_equal(own: Shape, other: Shape) -> bool:
    """Of a dynamic engine one side may have other images or longer texts, so one equal dimension is enough."""
    known = [(a, b) for a, b in list(zip(own, other))[1:] if a is not None and b is not None]
    return len(own) == len(other) and (len(known) < 2 or any(a == b for a, b in known))


def _releases(engine: Engine, run: LogRun) -> Iterator[str]:
    """Layer information exists since TensorRT 8.2."""
    if engine.source and any(note.code == "tensorrt-7-log" for note in run.metadata.notes):
        yield "it is of TensorRT 7, which exports no layers"


def _sizes(engine: Engine, run: LogRun) -> Iterator[str]:
    """An engine smaller than the graph's weights by LEAST_WEIGHTS, unless it was built without them."""
    options = run.metadata.build_options
    if any(str(options.get(key, "Disabled")).lower() not in ("disabled", "", "0") for key in _STRIPPED):
        return
    milestones = run.metadata.milestones
    in_mib = milestones.get("engine_size_mib", milestones.get("loaded_engine_mib"))
    size = run.metadata.memory.get("weights_bytes") if in_mib is None else (in_mib + 1) * _MIB  # printed without digits
    own = _weights_bytes(engine)
    if size is not None and LEAST_WEIGHTS * size < own and own - size > _MIB:
        what = "weights take" if in_mib is None else "engine takes"
        shown = size / _MIB if in_mib is None else in_mib
        yield f"its {what} {shown:.1f} MiB, the graph's weights {own / _MIB:.1f} MiB"


def _weights_bytes(engine: Engine) -> int:
    """Known bytes of the weights of the first optimization profile's layers, named ones once."""
    profile = engine.profiles[0] if engine.profiles else 0
    weights = [item for layer in engine.layers if layer.profile == profile for item in layer.weights]
    named = {item.name: item.size_bytes or 0 for item in weights if item.name}
    return sum(named.values()) + sum(item.size_bytes or 0 for item in weights if not item.name)


def _precisions(run: LogRun, build: Metadata | None) -> Iterator[str]:
    own = build.build_options.get("Precision") if build is not None else None
    other = run.metadata.build_options.get("Precision")
    if own and other and own != other:
        yield f"it builds for {other}, the engine's metadata says {own}"


def _models(run: LogRun, names: Iterable[str], log_name: str) -> Iterator[str]:
    """Names of models and engines without a word in common, or with other numbers: resnet18 and resnet50."""
    model = str(run.metadata.model_options.get("Model") or "")
    mentioned = [name for name in (model, *_FILE.findall(run.metadata.command_line)) if name]
    own, other = _words(names), _words([*mentioned, log_name])
    if not mentioned or not own or not _words(mentioned):
        return
    if not any(_are_similar(a, b) for a in own for b in other):
        files = _listed({PurePath(name).name for name in names})
        yield f"it names {PurePath(mentioned[0]).name!r}, the engine's files are {files}"


def _words(names: Iterable[str]) -> set[tuple[str, str]]:
    """{(letters, the number after them)} of the words that distinguish models."""
    words = (word for name in names for word in engine_words(PurePath(name.replace("\\", "/")).name))
    pairs = (match.groups() for word in words for match in _WORD.finditer(word))
    return {(letters, number) for letters, number in pairs if letters not in _GENERIC}


def _are_similar(first: tuple[str, str], second: tuple[str, str]) -> bool:
    """Whether two words may be of one model: equal letters, or the beginning of the other's, and no other number."""
    (a, x), (b, y) = sorted((first, second), key=lambda word: len(word[0]))
    is_beginning = a == b or (len(a) >= _LEAST_PREFIX and b.startswith(a))
    return is_beginning and (not x or not y or x == y)


def _names(records: Iterable[Any]) -> set[str]:
    """Of records, or of names alone."""
    named = (record.get("Name") if isinstance(record, dict) else record for record in records)
    return {name for name in named if isinstance(name, str) and name}


def _listed(names: set[str]) -> str:
    first = sorted(names)[:3]
    return ", ".join(map(repr, first)) + (" …" if len(names) > len(first) else "")
