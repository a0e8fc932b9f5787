"""JSON: everything a document contains, for programs; ``trex schema COMMAND`` prints its JSON Schema."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from typing import Any

from trex.core.note import Note
from trex.export.document import DocumentFormat, RenderStyle
from trex.export.frame import json_text, plain_value
from trex.views.document import Document, Facts, Findings, PlotBlock, SceneBlock, Section, TableBlock
from trex.views.plot import Empty
from trex.views.table import Table, TableColumn, json_key, plain_number


@dataclass(frozen=True)
class JsonColumn:
    """One column of a table. key: its name in the rows. unit, meaning: absent when there is none."""

    key: str
    name: str
    unit: str = ""
    meaning: str = ""


@dataclass(frozen=True)
class JsonTable:
    """One table. rows: one object per row, unknown values null. left_out: rows cut by --limit or --top."""

    title: str
    columns: list[JsonColumn]
    rows: list[dict[str, Any]]
    left_out: int = 0


@dataclass(frozen=True)
class JsonDerivation:
    """How one figure is computed, with this engine's numbers."""

    figure: str
    derivation: str


@dataclass(frozen=True)
class JsonSection:
    """One section; empty parts are absent. text: sentences. facts, tables, plots: by key. data: units in the keys.

    findings: of lint rules, the most costly first; an empty list says that no rule found anything.
    """

    title: str = ""
    text: list[str] = field(default_factory=list)
    facts: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, JsonTable] = field(default_factory=dict)
    findings: list[dict[str, Any]] | None = None
    plots: dict[str, dict[str, Any]] = field(default_factory=dict)
    derivations: list[JsonDerivation] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    data: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class JsonDocument:
    """What a trex command prints with --json.

    schema: the name and version of this form. title: the engine, or what else it is about. subtitle: what identifies
    it: TensorRT's version, the GPU, precisions, the batch. statement: what must be said first (simulated, not
    measured), or empty. sections: by name. left_out: how many rows, findings, marks, items of lists or characters of
    long texts --limit and --top cut, by path.

    With --fields, only schema, the chosen parts and what was cut of them.
    """

    schema: str
    title: str
    subtitle: str
    statement: str
    sections: dict[str, JsonSection]
    notes: list[Note]
    left_out: dict[str, int] = field(default_factory=dict)


def render(document: Document, style: RenderStyle) -> str:
    return json_text(document_dict(document, style), indent=1) + "\n"


def document_dict(document: Document, style: RenderStyle | None = None) -> dict[str, Any]:
    """The document as JSON-ready data; empty parts of sections are left out."""
    style = style or RenderStyle()
    result = JsonDocument(
        schema=document.schema,
        title=document.title,
        subtitle=document.subtitle,
        statement=document.statement,
        sections={part.name: _section(part) for part in document.sections},
        notes=list(document.notes),
    )
    whole: dict[str, Any] = plain_value(asdict(result))
    left_out = whole["left_out"]
    for part in document.sections:
        path, section = f"sections.{part.name}", whole["sections"][part.name]
        for kind in ("facts", "derivations", "findings", "plots", "data"):
            section[kind] = _cut(section[kind], f"{path}.{kind}", style.limit, left_out)
        for key, table in section["tables"].items():
            table["rows"] = _cut(table["rows"], f"{path}.tables.{key}.rows", style.limit, left_out)
            if table["left_out"]:
                left_out[f"{path}.tables.{key}"] = table["left_out"]
        if cut := sum(block.left_out for block in part.blocks if isinstance(block, Findings)):
            left_out[f"{path}.findings"] = cut
        whole["sections"][part.name] = _without_empty(section)
    return _chosen(whole, style.fields) if style.fields else whole


def _section(section: Section) -> JsonSection:
    result = JsonSection(
        title=section.title,
        text=list(section.statements),
        derivations=[JsonDerivation(*pair) for pair in section.derivations],
        notes=list(section.notes),
        data=dict(section.data),
    )
    for block in section.blocks:
        if isinstance(block, Facts) and not block.is_folded:
            for fact in block.facts:
                value = fact.text if fact.value is None else plain_number(fact.value)
                result.facts[fact.key or json_key(fact.label)] = value
        elif isinstance(block, Table | TableBlock):
            table = block if isinstance(block, Table) else block.make()
            key = free_key(table.key or json_key(table.title) or section.name, result.tables)
            result.tables[key] = _table(table)
        elif isinstance(block, Findings):
            findings = [*(result.findings or ()), *(finding.as_dict() for finding in block.findings)]
            result = replace(result, findings=findings)
        elif isinstance(block, PlotBlock):
            result.plots[block.name] = _plot(block)
        elif isinstance(block, SceneBlock):
            continue  # graphs have formats of their own: trex draw
    return result


def _table(table: Table) -> JsonTable:
    table = table.for_programs()
    keys = unique_keys(table.columns)
    columns = [JsonColumn(key, column.name, column.unit, column.meaning) for key, column in zip(keys, table.columns)]
    rows = [dict(zip(keys, map(plain_number, row))) for row in table.rows]
    return JsonTable(table.title, columns, rows, table.left_out)


def unique_keys(columns: Sequence[TableColumn]) -> list[str]:
    """The JSON names of columns, each once."""
    keys: list[str] = []
    for column in columns:
        keys.append(free_key(column.key or "value", keys))
    return keys


def _plot(block: PlotBlock) -> dict[str, Any]:
    """The numbers of a chart without its colors."""
    plot = block.make()
    head = {"title": block.title, "kind": type(plot).__name__.lower()}
    if isinstance(plot, Empty):
        return {**head, "reason": plot.reason, "hint": plot.hint}
    return {**{item.name: _plain(getattr(plot, item.name)) for item in fields(plot) if item.name not in _DRESS}, **head}


_SHORT = 16  # shapes and other short lists of plain values stay whole
_LONGEST_TEXT = 500
_DRESS = ("colors", "shows_names")


def _cut(value: Any, path: str, limit: int | None, left_out: dict[str, int]) -> Any:
    """The value with at most so many items in each list and no very long text; what is cut is counted by its path."""
    if limit is None:
        return value
    if isinstance(value, dict):
        return {key: _cut(item, f"{path}.{key}", limit, left_out) for key, item in value.items()}
    if isinstance(value, list):
        is_short = len(value) <= _SHORT and not any(isinstance(item, dict | list) for item in value)
        kept = len(value) if is_short else limit
        if len(value) > kept:
            left_out[path] = len(value) - kept
        return [_cut(item, f"{path}.{index}", limit, left_out) for index, item in enumerate(value[:kept])]
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        left_out[path] = len(value) - _LONGEST_TEXT
        return f"{value[:_LONGEST_TEXT]}…"
    return value


def _plain(value: Any) -> Any:
    """Axes, circles and other small types inside a plot as dictionaries."""
    if is_dataclass(value):
        return {item.name: _plain(getattr(value, item.name)) for item in fields(value)}
    if isinstance(value, Mapping):
        return {str(key): _plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value


def _without_empty(section: dict[str, Any]) -> dict[str, Any]:
    for table in section["tables"].values():
        table["columns"] = [
            {key: value for key, value in column.items() if value or key == "name"} for column in table["columns"]
        ]
    return {key: value for key, value in section.items() if value or (key == "findings" and value is not None)}


def free_key(key: str, taken: Sequence[str] | Mapping[str, Any]) -> str:
    """The key, with a number when it is taken."""
    candidate, number = key, 2
    while candidate in taken:
        candidate, number = f"{key}_{number}", number + 1
    return candidate


def selected(value: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """Only what lies at the paths ``a.b.*.c``; everything without paths."""
    part: dict[str, Any] = _selected(value, [path.split(".") for path in fields]) if fields else value
    return part


def _selected(value: Any, paths: list[list[str]]) -> Any:
    """Only what lies at the paths; ``*`` stands for any key, and lists are passed through."""
    if any(not path for path in paths):
        return value
    if isinstance(value, list):
        return [_selected(item, paths) for item in value]
    if not isinstance(value, dict):
        return value
    result = {}
    for key, item in value.items():
        deeper = [path[1:] for path in paths if _fits(path[0], key)]
        if deeper:
            result[key] = _selected(item, deeper)
    return result


def _chosen(whole: dict[str, Any], fields: Sequence[str]) -> dict[str, Any]:
    """The schema, the parts that the fields name, and what was cut of them."""
    paths = [field.split(".") for field in fields]
    left_out = {
        path: count
        for path, count in whole["left_out"].items()
        if any(all(map(_fits, chosen, path.split("."))) for chosen in paths)
    }
    return {
        "schema": whole["schema"],
        **_selected({**whole, "left_out": {}}, paths),
        **({"left_out": left_out} if left_out else {}),
    }


def _fits(chosen: str, key: str) -> bool:
    return chosen in (key, "*")


FORMAT = DocumentFormat((".json",), render)
