"""SimulatedEngine ↔ NAME.engine: what a simulated build leaves in place of an engine; no TensorRT can load it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from trex.core.errors import TrexError
from trex.core.whole_file import write_whole

SCHEMA = "trex.simulated-engine/1"


@dataclass(frozen=True, slots=True)
class SimulatedEngine:
    """statement: says in words that nothing was built. model: name of the ONNX file, with its SHA-256. device,
    release: what was assumed; allowed: types, by label. graph: the engine's JSON. layer_ms: one for each of its layers,
    None where a layer is not timed. compute_ms, enqueue_ms, h2d_ms, d2h_ms: of one inference; low_ms, high_ms: between
    which compute_ms is expected. decisions: of the passes.
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
    h2d_ms: float
    d2h_ms: float
    decisions: tuple[Mapping[str, Any], ...] = field(default_factory=tuple)


def write_engine(engine: SimulatedEngine, path: Path) -> Path:
    """Whole or not at all."""
    document = {"schema": SCHEMA, **asdict(engine)}
    return write_whole(path, (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode())


def read_engine(path: Path) -> SimulatedEngine:
    """Raises TrexError for a file that is none, such as a real engine."""
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise TrexError(f"the engine cannot be read: {error.strerror}", "check the path", str(path)) from None
    except (ValueError, RecursionError):
        document = None
    if not isinstance(document, dict) or document.pop("schema", None) != SCHEMA:
        raise TrexError(
            "this is no simulated engine",
            "build one first: trex process MODEL.onnx OUTDIR --backend simulated --device A100",
            str(path),
        )
    try:
        return SimulatedEngine(**document)
    except TypeError:
        raise TrexError("this simulated engine is of another trex", "build it again", str(path)) from None
