"""How fast: answers of ``trex mcp`` about an engine of 100,000 layers.

Run ``python -m tests.benchmarks --only agents`` (four minutes).

How it measures
    A real engine is replicated (``tests/benchmarks/replicated.py``). Each tool is asked in this process as a server
    asks it, in this order, in one session: the first answer includes reading the engine. Every answer is one sample.

Targets
    An answer within the server's own limit of 120 s, and within its budget of tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from time import perf_counter
from typing import Any

from tests.benchmarks.replicated import write_replicated
from tests.benchmarks.table import Line, Part
from trex.agents.answer import MOST_TOKENS, text_of
from trex.agents.inert import tokens_of
from trex.agents.server import TIME_LIMIT_S, answered
from trex.agents.session import Session

LAYERS, ENGINE = 100_000, "built resnet18"


def parts(folder: Path, layers: int) -> list[Part]:
    """What is measured, in order."""
    return [("agents", partial(answering, folder, layers))]


def answering(folder: Path, layers: int) -> Iterator[Line]:
    graph, _ = write_replicated(folder, ENGINE, layers)
    session = Session([folder])
    questions: tuple[tuple[str, str, dict[str, Any]], ...] = (
        ("layers, first", "layers", {"path": graph}),
        ("layers, another page", "layers", {"path": graph, "query": "type == 'correlation'", "offset": layers // 20}),
        ("inspect", "inspect", {"path": graph}),
        ("findings", "findings", {"path": graph}),
        ("compare", "compare", {"base": graph, "new": graph}),
    )
    for what, tool, arguments in questions:
        start = perf_counter()
        answer = answered(session, tool, arguments, MOST_TOKENS)
        seconds = perf_counter() - start
        aside = f"{tokens_of(text_of(answer)):,} tokens"
        yield Line(f"answer of {layers:,} layers: {what}", seconds, "s", TIME_LIMIT_S, aside, (seconds,))
