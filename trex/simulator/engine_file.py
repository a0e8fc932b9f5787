"""SimulatedEngine ↔ NAME.engine: the result of a simulated build in place of an engine; TensorRT cannot load it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.regular_file import read_record
from trex.core.whole_file import write_whole

SCHEMA = "trex.simulated-engine/1"


@dataclass(frozen=True, slots=True)
class SimulatedEngine:
    """statement: says that nothing was built. model: name of the ONNX file, with its SHA-256. device, release: assumed;
    allowed: types, by label. graph: the engine's JSON. layer_ms: one per layer, None for an untimed layer. compute_ms,
    enqueue_ms: of one inference; low_ms, high_ms: error bar of compute_ms, validated_engines: number of real engines
    behind it; unjudged: share of the time in each kind of work that none of them has judged; unknown_work: number and
    share of layers of unknown work, {} without any. decisions: of the passes. mark: the key that marks its files,
    ``built_on_cpu`` if only its times are predicted. cuda_graph: whether the times are of kernels that are launched as
    one graph.
    """

    statement: str
    model: str
    model_sha256: str
    device: Mapping[str, Any]
    release: str
    allowed: tuple[str, ...]
    strongly_typed: bool
    shapes: Mapping[str, tuple[int, ...]]
    graph: Mapping[str, Any]
    layer_ms: tuple[float | None, ...]
    compute_ms: float
    low_ms: float
    high_ms: float
    enqueue_ms: float
    validated_engines: int = 0
    unjudged: Mapping[str, float] = field(default_factory=dict)
    unknown_work: Mapping[str, float] = field(default_factory=dict)
    decisions: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)
    mark: str = "simulated"
    cuda_graph: bool = True


_MOST_BYTES = 256 << 20


def write_engine(engine: SimulatedEngine, path: Path) -> Path:
    """All or nothing."""
    document = {"schema": SCHEMA, **asdict(engine)}
    return write_whole(path, (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode())


def read_engine(path: Path) -> SimulatedEngine:
    """Raises TrexError for another file, such as a real engine."""
    try:
        document = read_record(path, _MOST_BYTES)
    except OSError as error:
        raise TrexError(f"can't read the engine: {error.strerror}", "check the path", str(path)) from None
    except ValueError:
        document = None
    if not isinstance(document, dict) or document.pop("schema", None) != SCHEMA:
        raise TrexError(
            "no simulated engine",
            "build one first: trex process MODEL.onnx OUTDIR --backend simulated --device A100",
            str(path),
        )
    try:
        engine = SimulatedEngine(**document)
        if not _is_typed(engine):
            raise TypeError
        return engine
    except (TypeError, AttributeError):
        raise TrexError("simulated engine of another trex version", "build it again", str(path)) from None


def _is_typed(engine: SimulatedEngine) -> bool:
    """Whether every field has the JSON of its type: the file may be anyone's."""
    texts = (engine.statement, engine.model, engine.model_sha256, engine.release, engine.mark, *engine.allowed)
    objects = (engine.device, engine.shapes, engine.graph, engine.unjudged, engine.unknown_work)
    shares = (*engine.unjudged.values(), *engine.unknown_work.values())
    times = (engine.compute_ms, engine.low_ms, engine.high_ms, engine.enqueue_ms, engine.validated_engines, *shares)
    dimensions = (size for shape in engine.shapes.values() for size in shape)
    return (
        all(isinstance(text, str) for text in texts)
        and all(isinstance(value, dict) for value in (*objects, *engine.decisions))
        and all(map(_is_number, times))
        and all(ms is None or _is_number(ms) for ms in engine.layer_ms)
        and all(type(size) is int for size in dimensions)
        and all(isinstance(value, list) for value in (engine.allowed, engine.layer_ms, engine.decisions))
        and type(engine.strongly_typed) is type(engine.cuda_graph) is bool
    )


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
