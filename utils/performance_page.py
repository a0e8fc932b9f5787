"""Docstrings of trex/perf → the page of all formulas, in the order in which one reads them."""

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
        "What a layer has to compute and to move at least. Each kind of layer has a formula of its own; where the ONNX "
        "model is at hand (`trex.load(path, onnx=…)`), the work of fused layers comes from its operators.",
        ("work.work", "work.from_model"),
    ),
    (
        "Peaks",
        "What the device could do if nothing else held it. [devices.md](devices.md) lists the devices.",
        ("arithmetic", "peaks", "recognize"),
    ),
    ("Roofline", "How long a layer takes at least, and what bounds it.", ("kernel_arithmetic", "cache", "roofline")),
    ("Achievable", "What a good kernel reaches of it.", ("achievable",)),
    ("Tiling", "Why a product may reach less.", ("tiling",)),
    (
        "Samples",
        "What the measured times of a run say. Samples are those of trtexec's `--exportTimes`, and of layers where a "
        "profile has them.",
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
        "Why the host, the GPU and the layers tell different times for one inference.",
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
        "`trex perf PATH` tells it of an engine, with `--explain` each formula in numbers; `trex.performance(plan)`",
        "and `trex.add_performance(plan)` are the same in Python. A figure that is not known stays unknown: it is",
        "never taken for 0. A multiply-add is two operations; 1 GB/s is 10⁹ byte/s, sizes are in binary units.\n",
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


def of_module(module: ModuleType) -> Iterator[str]:
    """What its docstring says, then what the docstrings of its classes and functions say beyond one line."""
    head, body = _split(module.__doc__ or "")
    yield f"### {head}\n"
    if body:
        yield f"{_markdown(body)}\n"
    for name, member in vars(module).items():
        if name.startswith("_") or getattr(member, "__module__", "") != module.__name__:
            continue
        text = getdoc(member) if isclass(member) or isfunction(member) else None
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
            found = achievable(bound, kind)
            yield f"| {bound.value} | {kind or 'any other'} | {found.share:.2f} | {found.source} |"
    yield ""


def _split(doc: str) -> tuple[str, str]:
    """(first sentence, the rest)."""
    head, _, body = doc.strip().partition("\n\n")
    return " ".join(head.split()).replace("``", "`").removesuffix("."), body.strip()


def _markdown(text: str) -> str:
    """Paragraphs; those that are all formulas become blocks of code, and what is indented as well."""
    return "\n\n".join(map(_paragraph, text.split("\n\n")))


def _paragraph(text: str) -> str:
    lines = text.splitlines()
    if text.startswith("    ") or all(_FORMULA.match(line) for line in lines):
        return "```text\n" + "\n".join(line.strip() for line in lines) + "\n```"
    return _HEADING.sub(r"**\1:**", text.replace("``", "`"))


_HEADING = re.compile(r"^(Formula|Source|Does not hold for):", re.MULTILINE)
_FORMULA = re.compile(r"[A-Za-z_][\w ]{0,30} (=|≤|≥) .*[^.]$")
