"""Docstrings of trex/compare → the page of comparisons, by which rules engines are compared, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from trex.export.document import EXPORTERS, FORMATS
from trex.views.comparison.best_of_each import SCHEMA
from trex.views.comparison.chart import CHARTS
from trex.views.plot_explanation import explanation
from utils.performance_page import of_module

CHAPTERS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("Alignment", "Which layers of two engines do the same work.", ("aligning.match", "aligning.alignment")),
    ("Parity", "Whether both were measured alike.", ("parity",)),
    ("Is it real", "Which is faster, and whether the runs support it.", ("significance", "prediction", "gate")),
    ("Causes", "The whole difference as steps that add up to it.", ("causes", "waterfall")),
    (
        "Operations",
        "What each operation of the ONNX model costs, whatever it was fused into. With `--onnx FILE` the model tells "
        "each operation's work.",
        ("charge", "operations"),
    ),
    (
        "Series",
        "Any number of engines against one base: batch sizes, precisions, versions, GPUs.",
        ("series", "engine_facts", "scaling", "series_gate"),
    ),
    (
        "Best of each",
        "Quantize for speed: from which engine each operation is best taken, for tools that include or exclude nodes.",
        ("best_of_each", "units", "conversion_cost", "mixing"),
    ),
)
"""(title, what it is about, modules below trex.compare)"""
_KEYS: Sequence[tuple[str, str]] = (
    ("engines", "name, precision, sum of the layers in ms, and the operations to take from it, the base first"),
    ("include, exclude, undecided", "names of nodes in the base's model: taken from another engine, kept, not known"),
    ("names", "the same for every engine, by the names in its own model, as a quantizer of that model takes them"),
    ("operations", "one each: its name in every model, its charged time in every engine, where to take it from, why"),
    ("operations: unit", "operations of one number are fused somewhere and must be taken together"),
    (
        "operations: unit_saving_ms, border_ms",
        "what its unit gains on the base, and half the conversions at its borders",
    ),
    ("operations: is_close", "the gain is below what the profiler can tell"),
    ("estimate", "the mixture's time, the best engine alone, and the conversions that the mixture adds"),
    ("rule, conversion", "how all that was found"),
)


def comparison_page() -> str:
    """The page as Markdown."""
    parts = [
        "# How engines are compared\n",
        "`trex compare BASE NEW…` tells it, with `--explain` how figures come about; in Python that is",
        "`trex.comparison.compare(base, new)` and `compare_series(base, *others)`. Speed-ups are base over new, above",
        "1 when the new engine is faster; differences are new less base in milliseconds, minus is faster. What is not",
        "known stays unknown: it is never taken for 0.\n",
    ]
    parts += [f"- [{title}](#{title.lower().replace(' ', '-')}): {about}" for title, about, _ in CHAPTERS]
    parts.append(
        "- [Formats](#formats): Text, Markdown, a page with both graphs, a workbook, and what CI servers read."
    )
    for title, about, modules in CHAPTERS:
        parts.append(f"\n## {title}\n\n{about}\n")
        for name in modules:
            parts.extend(of_module(import_module(f"trex.compare.{name}")))
    parts.extend(_for_tools())
    parts.extend(_written())
    return "\n".join(parts)


def _for_tools() -> Iterator[str]:
    """The file of --best-of-each."""
    yield "### The file of --best-of-each\n"
    yield f"`trex compare fp16/ int8/ --best-of-each operations.json` writes JSON (schema `{SCHEMA}`):\n"
    yield "| key | what it holds |\n| --- | --- |"
    yield from (f"| `{key}` | {meaning} |" for key, meaning in _KEYS)
    yield ""


def _written() -> Iterator[str]:
    """Formats and charts, by their registries."""
    yield "## Formats\n"
    yield "`-o FILE` chooses by the file's ending, `--format NAME` by the name. One format is one file of"
    yield f"`trex/export/documents`; other packages add theirs by the entry point `{FORMATS.entry_point_group}`.\n"
    yield "| name | endings | what it is |\n| --- | --- | --- |"
    others = ((name, plug) for name, plug in EXPORTERS.items() if "compare" in plug.value.commands)
    for name, plug in (*FORMATS.items(), *others):
        endings = " ".join(f"`{suffix}`" for suffix in plug.value.suffixes)
        yield f"| `{name}` | {endings} | {plug.summary.replace('|', '/').replace('``', '`')} |"
    yield "\n### The page\n"
    yield FORMATS["html"].doc.partition("\n")[2].strip().replace("``", "`")
    yield "\n### Charts\n"
    yield "| chart | part | how to read it |\n| --- | --- | --- |"
    for plug in sorted(CHARTS.values(), key=lambda each: each.value.order):
        yield f"| {plug.value.title} | {plug.value.section} | {explanation(plug)} |"
    yield "\n### Colors of a graph by change\n"
    yield "`trex draw NEW --baseline BASE --color-by change` draws one graph as the page shows both.\n"
    yield from of_module(import_module("trex.compare.trend"))
