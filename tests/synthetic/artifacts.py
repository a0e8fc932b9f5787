"""Description → the set of files process_engine.py leaves beside an engine, as names and bytes."""

from __future__ import annotations

import json
from typing import Any

from tests.synthetic.cnn import cnn
from tests.synthetic.description import Description
from tests.synthetic.measurements import (
    STATEMENT,
    build_metadata,
    profile_bytes,
    profile_rows,
    query_times,
    run_metadata,
    timing_bytes,
)
from tests.synthetic.spellings import number, spell_graph, to_bytes
from tests.synthetic.transformer import transformer

GENERATOR = "tests/synthetic"

GRAPH, PROFILE, TIMING = ".graph.json", ".profile.json", ".timing.json"
RUN_METADATA, BUILD_METADATA = ".profile.metadata.json", ".build.metadata.json"


def artifacts(
    description: Description,
    version: str = "10.4",
    *,
    seed: int = 0,
    queries: int = 64,
    generator: str = GENERATOR,
    stem: str = "",
) -> dict[str, bytes]:
    """All five files of one engine, ``<stem>.graph.json`` …; each that has room says it is synthetic."""
    stem = stem or description.name
    document = spell_graph(description, version)
    document["Synthetic"] = f"{description.subject}. {STATEMENT}"
    warm_up = 8 if number(version) <= (8, 4) else 0
    rows = query_times(description, queries + warm_up, seed, warm_up)
    measured = rows[warm_up:]
    return {
        stem + GRAPH: to_bytes(document),
        stem + PROFILE: profile_bytes(profile_rows(description, seed), medians=number(version) >= (8, 4)),
        stem + TIMING: timing_bytes(rows, version),
        stem + RUN_METADATA: _indented(run_metadata(description, measured, version, generator)),
        stem + BUILD_METADATA: _indented(build_metadata(description, version, generator)),
    }


def _indented(document: Any) -> bytes:
    return (json.dumps(document, indent=1) + "\n").encode()


def make_cnn(layers: int, version: str = "8.4", seed: int = 0, type_: str = "FP16") -> dict[str, bytes]:
    """Files of a convolutional engine of exactly ``layers`` layers, in the spelling of ``version``."""
    return artifacts(cnn(layers, type_, seed), version, seed=seed)


def make_transformer(layers: int, version: str = "10.4", seed: int = 0, type_: str = "FP16") -> dict[str, bytes]:
    """Files of a Myelin-style engine of exactly ``layers`` layers, in the spelling of ``version``."""
    return artifacts(transformer(layers, type_, seed), version, seed=seed)
