"""Docstrings of trex/compare → the page on how engines are compared, in reading order."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from importlib import import_module

from trex.compare.metric import METRICS, metric_labels
from trex.export.document import EXPORTERS, FORMATS
from trex.views.comparison.best_of_each import SCHEMA
from trex.views.comparison.chart import CHARTS
from utils.performance_page import of_module

CHAPTERS: Sequence[tuple[str, str, Sequence[str]]] = (
    ("Matched layers", "Which layers of two engines do the same work.", ("matching.align",)),
    ("Settings", "Whether the runs are comparable.", ("parity",)),
    ("Verdict", "Which engine is faster, with which confidence.", ("significance", "per_item", "prediction")),
    ("Gate", "Whether a metric regressed by more than its threshold.", ("gate",)),
    ("Causes", "The whole difference as steps that add up to it.", ("causes", "waterfall")),
    (
        "Operations",
        "What each operation of the ONNX model costs, whatever it is fused with. `--onnx FILE` provides its work.",
        ("operation_times", "operations"),
    ),
    (
        "Series",
        "Any number of engines against one base: batch sizes, precisions, versions, GPUs.",
        ("series", "engine_facts", "scaling"),
    ),
    (
        "Best of each",
        "Quantize for speed: the fastest engine per operation, for tools that include or exclude nodes.",
        ("best_of_each", "fusion_groups", "reformat_cost", "assignment"),
    ),
)
"""(title, what it is about, modules below trex.compare)"""
_KEYS: Sequence[tuple[str, str]] = (
    ("engines", "name, precision, sum of layer times in ms, and the operations to take from it, the base first"),
    ("include, exclude, undecided", "names of nodes in the base's model: taken from another engine, kept, not known"),
    ("names", "the same for every engine, by the names in its own model"),
    ("operations", "one each: its name and time in every engine, where to take it from, and why"),
    ("operations: unit", "operations with one number are fused in some engine and must come from one engine"),
    (
        "operations: unit_saving_ms, border_ms",
        "what its group saves over the base, and half of the reformats at its borders",
    ),
    ("operations: is_close", "the gain is below the profiler's step"),
    ("estimate", "the combination's time, the best single engine, and the reformats that the combination adds"),
    ("rule, conversion", "how it was computed"),
)


def comparison_page() -> str:
    """The page as Markdown."""
    parts = [
        "# How engines are compared\n",
        "`trex compare BASE NEW…` compares engines; `--explain` shows how figures are computed. In Python:",
        "`trex.comparison.compare(base, new)` and `compare_series(base, *others)`. Speed-ups are base over new, above",
        "1 if the new engine is faster. Differences are new minus base in milliseconds, minus is faster. Unknown",
        "values stay unknown, never 0.\n",
    ]
    parts += [f"- [{title}](#{title.lower().replace(' ', '-')}): {about}" for title, about, _ in CHAPTERS]
    parts.append(
        "- [Formats](#formats): text, Markdown, a page with both graphs, a workbook, and formats for CI servers."
    )
    for title, about, modules in CHAPTERS:
        parts.append(f"\n## {title}\n\n{about}\n")
        for name in modules:
            parts.extend(of_module(import_module(f"trex.compare.{name}"), with_classes=False))
        if title == "Gate":
            parts.extend(_metrics())
    parts.extend(_for_tools())
    parts.extend(_written())
    return "\n".join(parts)


def _metrics() -> Iterator[str]:
    """The registered metrics."""
    yield "### Metrics\n"
    yield "Each metric is one file in `trex/compare/metrics`; other packages add theirs by the entry point"
    yield f"`{METRICS.entry_point_group}`. `python utils/new.py metric NAME` writes a new one.\n"
    yield "| condition | what it is | unit | significance |\n| --- | --- | --- | --- |"
    for label, plug in zip(metric_labels(), METRICS.values(), strict=True):
        metric = plug.value
        test = "exact" if metric.is_exact else "samples" if metric.column or metric.per_layer else "none"
        sign = "<-3%" if metric.higher_is_better else ">+3%"
        yield f"| `{label}{sign}` | {plug.summary} | {metric.unit} | {test} |"
    yield ""


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
    for chart in CHARTS.own:
        yield f"| {chart.title} | {chart.group} | {chart.explanation} |"
    yield "\n### Colors of a graph by change\n"
    yield "`trex draw NEW --baseline BASE --color-by change` draws one graph with these colors.\n"
    yield from of_module(import_module("trex.compare.layer_noise"), with_classes=False)
