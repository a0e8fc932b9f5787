"""Speedscope: the time of one inference by module and layer, for www.speedscope.app, as a flame graph.

Layers have their average times and stand in execution order below their modules; a module that recurs is drawn again.
Format: speedscope's file format (its JSON schema), evented profiles in milliseconds.
"""

from __future__ import annotations

import json
from math import isfinite
from typing import Any

from trex.core.printable import printable
from trex.export.document import DocumentFormat, RenderStyle
from trex.plan.engine_plan import EnginePlan
from trex.views.document import Document

_SCHEMA = "https://www.speedscope.app/file-format-schema.json"


def render(document: Document, style: RenderStyle) -> str:
    plan = document.source.plan
    frames, events, end = _events(plan) if plan is not None else ([], [], 0.0)
    title = printable(document.title)
    profile = {
        "type": "evented",
        "name": "layers by average time",
        "unit": "milliseconds",
        "startValue": 0,
        "endValue": end,
        "events": events,
    }
    flames = {
        "$schema": _SCHEMA,
        "name": title if plan is None else plan.provenance.titled(title),
        "shared": {"frames": frames},
        "profiles": [profile],
    }
    return json.dumps(flames, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def _events(plan: EnginePlan) -> tuple[list[dict[str, str]], list[dict[str, Any]], float]:
    """Frames by name, events that open and close them in order, and the whole time in milliseconds."""
    numbers: dict[str, int] = {}
    events: list[dict[str, Any]] = []
    stack: list[int] = []
    time_ms = 0.0

    def close_to(depth: int) -> None:
        while len(stack) > depth:
            events.append({"type": "C", "frame": stack.pop(), "at": time_ms})

    for layer, time in zip(plan.layers, plan.times, strict=True):
        if time is None or time.average_ms is None or not isfinite(time.average_ms) or time.average_ms <= 0:
            continue
        steps = [step for step in layer.module.split("/") if step]
        path = ["/" + "/".join(steps[: depth + 1]) for depth in range(len(steps))]
        wanted = [numbers.setdefault(printable(module), len(numbers)) for module in path]
        same = 0
        while same < min(len(stack), len(wanted)) and stack[same] == wanted[same]:
            same += 1
        close_to(same)
        wanted.append(numbers.setdefault(f"{printable(layer.name)} ({printable(layer.type)})", len(numbers)))
        for frame in wanted[same:]:
            events.append({"type": "O", "frame": frame, "at": time_ms})
            stack.append(frame)
        time_ms = round(time_ms + time.average_ms, 9)
        close_to(len(stack) - 1)
    close_to(0)
    return [{"name": name} for name in numbers], events, time_ms


FORMAT = DocumentFormat((".speedscope.json",), render, commands=("report",))
