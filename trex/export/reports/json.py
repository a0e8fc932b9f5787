"""JSON: facts, tables, and the numbers behind every chart, for programs; the schema is versioned."""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from trex.export.frame import json_text, plain_value
from trex.export.report import ReportFormat, ReportStyle
from trex.views.performance.reading import section_dict
from trex.views.plot import Empty, Plot
from trex.views.report.report import SCHEMA, GraphPicture, Item, LayerTable, Part, Report


def render(report: Report, style: ReportStyle) -> bytes:
    return (json_text(plain_value(report_dict(report)), indent=1) + "\n").encode("utf-8")


def report_dict(report: Report) -> dict[str, Any]:
    """The report as plain data; what is unknown is None or NaN."""
    return {
        "schema": SCHEMA,
        "engine": report.title,
        "statement": report.summary.statement,
        "summary": {key: value for key, value in report.summary.as_dict().items() if key not in ("schema", "engine")},
        "parts": {part.name: _part(part, report) for part in report.parts},
    }


def _part(part: Part, report: Report) -> dict[str, Any]:
    items = [_item(item, report) for item in part.items]
    return {**section_dict(part.title, part.content), "items": [item for item in items if item is not None]}


def _item(item: Item, report: Report) -> dict[str, Any] | None:
    """A chart with its numbers, all layers, or why there is nothing; None for the graph, which has its own formats."""
    shown = item.make()
    told = {"name": item.name, "title": item.title}
    if isinstance(shown, GraphPicture):
        return None
    if isinstance(shown, LayerTable):
        return {**told, "shown": "layers", "rows": report.subject.frame.to_dict(orient="records")}
    if isinstance(shown, Empty):
        return {**told, "shown": "empty", "reason": shown.reason, "hint": shown.hint}
    return {**told, "shown": type(shown).__name__.lower(), **_values(shown)}


def _values(plot: Plot) -> dict[str, Any]:
    """The plot's own fields without how it is dressed."""
    left_out = ("colors", "shows_names", "columns") if not hasattr(plot, "cells") else ("colors",)
    return {field.name: _plain(getattr(plot, field.name)) for field in fields(plot) if field.name not in left_out}


def _plain(value: Any) -> Any:
    """Small facts inside a plot (axes, circles) as dictionaries."""
    if hasattr(value, "__dataclass_fields__"):
        return {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, dict):
        return {key: _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple) and value and hasattr(value[0], "__dataclass_fields__"):
        return [_plain(item) for item in value]
    return value


FORMAT = ReportFormat((".json",), render)
