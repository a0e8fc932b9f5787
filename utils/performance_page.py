"""Docstrings of trex/perf → the page of all formulas, in reading order."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from importlib import import_module
from inspect import getdoc, isclass, isfunction
from types import ModuleType

from trex.perf.achievable import BOUNDS, Bound, achievable, kinds_apart
from trex.perf.work.kind import KINDS
from trex.perf.work.operators import FAMILIES

CHAPTERS: Sequence[tuple[str, str, Sequence[str]]] = (
    (
        "Work",
        "What a layer must at least compute and move. Each kind of layer has its own formula. With the ONNX model "
        "(`trex.load(path, onnx=…)`), the work of fused layers comes from its operators.",
        ("work.work", "work.from_model"),
    ),
    (
        "Peaks",
        "What the device can do at most. [devices.md](devices.md) lists the devices.",
        ("arithmetic", "peaks", "recognize"),
    ),
    ("Roofline", "How long a layer takes at least, and what bounds it.", ("kernel_arithmetic", "cache", "roofline")),
    ("Achievable", "What a good kernel reaches of it.", ("achievable",)),
    ("Tiling", "Why a product may reach less.", ("tiling",)),
    (
        "Samples",
        "What the measured times of a run mean. Samples come from trtexec's `--exportTimes`, and for layers from "
        "profiles that contain them.",
        (
            "samples.series",
            "samples.percentiles",
            "samples.spread",
            "samples.resolution",
            "samples.histogram",
            "samples.autocorrelation",
            "samples.detectable",
            "samples.warm_up",
            "samples.trend",
            "samples.change_points",
            "samples.modes",
            "samples.spikes",
            "samples.steadiness",
            "samples.throttling",
            "samples.sample_comparison",
            "samples.layer_statistics",
        ),
    ),
    (
        "Reconciliation",
        "Why host, GPU and layers report different times for one inference.",
        ("measures", "reconciliation", "verdict"),
    ),
    (
        "Memory",
        "What the engine holds while it runs, and what it stores.",
        ("memory.plan_memory", "memory.timeline", "memory.peak", "memory.stored", "memory.reported"),
    ),
)
"""(title, what it is about, modules below trex.perf)"""


def performance_page() -> str:
    """The page as Markdown."""
    parts = [
        "# What the numbers mean\n",
        "`trex perf PATH` prints these figures, and with `--explain` each formula with its numbers. In Python:",
        "`trex.performance(plan)` and `trex.add_performance(plan)`. An unknown figure stays unknown: it never counts",
        "as 0. A MAC is two operations; 1 GB/s is 10⁹ byte/s; sizes are in binary units.\n",
    ]
    parts += [f"- [{title}](#{title.lower()}): {about}" for title, about, _ in CHAPTERS]
    for title, about, modules in CHAPTERS:
        parts.append(f"\n## {title}\n\n{about}\n")
        for name in modules:
            parts.extend(of_module(import_module(f"trex.perf.{name}")))
        if title == "Work":
            parts.extend(_of_kinds())
        if title == "Achievable":
            parts.extend(_shares())
    return "\n".join(parts)


def of_module(module: ModuleType, *, with_classes: bool = True) -> Iterator[str]:
    """Its docstring, then the docstrings of its classes and functions that are longer than one line."""
    head, body = _split(module.__doc__ or "")
    yield f"### {head}\n"
    if body:
        yield f"{_markdown(body)}\n"
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", "") != module.__name__:
            continue
        text = getdoc(member) if (isclass(member) and with_classes) or isfunction(member) else None
        if text and "\n" in text:
            yield f"**`{name}`** {_markdown(text)}\n"


def _of_kinds() -> Iterator[str]:
    for title, registry in (("Kinds of layer", KINDS), ("Operators of the model", FAMILIES)):
        yield f"### {title}\n"
        for name in registry.names:
            head, body = _split(registry.load(name).doc)
            yield f"**`{name}`** — {head}\n"
            if body:
                yield f"{_markdown(body)}\n"


def _shares() -> Iterator[str]:
    yield "| bound by | kind of work | share | source |\n| --- | --- | ---: | --- |"
    for bound in BOUNDS:
        if bound is Bound.UNKNOWN:
            continue
        for kind in ("", *kinds_apart(bound)):
            limit = achievable(bound, kind)
            yield f"| {bound.value} | {kind or 'any other'} | {limit.share:.2f} | {limit.source} |"
    yield ""


def _split(doc: str) -> tuple[str, str]:
    """(first sentence, the rest)."""
    head, _, body = doc.strip().partition("\n\n")
    return " ".join(head.split()).replace("``", "`").removesuffix("."), body.strip()


def _markdown(text: str) -> str:
    """Paragraphs; formulas and indented paragraphs become code blocks."""
    return "\n\n".join(map(_paragraph, text.split("\n\n")))


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith("    ") or all(_FORMULA.match(line) for line in lines):
        return "```text\n" + "\n".join(line.strip() for line in lines) + "\n```"
    return _HEADING.sub(r"**\1:**", text.replace("``", "`"))


_HEADING = re.compile(r"^(Formula|Source|Does not hold for):", re.MULTILINE)
_FORMULA = re.compile(r"[A-Za-z_][\w ]{0,30} (=|≤|≥) .*[^.]$")
