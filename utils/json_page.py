"""Types of JSON documents → the page that describes what ``--json`` prints."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from trex.export.json_schema import schema_of

_HEAD = """\
# JSON of every command

`--json` (or `-o FILE.json`) prints one form, whatever the command: sections with text, facts, tables and findings.
`trex schema COMMAND` prints its JSON Schema (draft 2020-12), generated from the same types as this page; schemas of two
commands differ in the value of `schema` alone.

`--fields title,sections.*.facts` keeps these parts, `--limit N` the first rows of tables and findings. Unknown is
`null`, never 0. Paths of the most wanted values are in `trex skill`.

```text
trex summary out/ --json --fields statement,sections.details.facts
trex schema summary -o summary.schema.json
```
"""


def json_page() -> str:
    schema = schema_of("COMMAND")
    parts = [_HEAD]
    for name, definition in {"JsonDocument": schema, **schema["$defs"]}.items():
        what, meanings = _split(definition["description"], definition["properties"])
        parts.append(f"## {_title(name)}\n\n{what}\n")
        parts.append("| field | type | meaning |\n| --- | --- | --- |")
        for field, kind in definition["properties"].items():
            absent = "" if field in definition["required"] else " (or absent)"
            parts.append(f"| `{field}` | {_type(kind)}{absent} | {meanings.get(field, '')} |")
        parts.append("")
    return "\n".join(parts)


def _split(text: str, fields: Iterable[str]) -> tuple[str, dict[str, str]]:
    """A docstring as (what comes before its fields, {field: what is said of it})."""
    name = "|".join(fields)
    what, *rest = re.split(rf"\b((?:{name})(?:, (?:{name}))*): ", text)
    meanings: dict[str, str] = {}
    for names, meaning in zip(rest[::2], rest[1::2]):
        meanings |= dict.fromkeys(names.split(", "), meaning.strip().rstrip("."))
    return what.strip(), meanings


def _type(kind: dict[str, Any]) -> str:
    """A JSON Schema of ours in words."""
    if "const" in kind:
        return f"`{kind['const']}`"
    if "$ref" in kind:
        title = _title(kind["$ref"].rpartition("/")[2])
        return f"[{title}](#{title.lower()})"
    if "anyOf" in kind:
        return " or ".join(map(_type, kind["anyOf"]))
    if kind.get("type") == "array":
        return f"list of {_type(kind['items'])}"
    if kind.get("type") == "object":
        return f"object of {_type(kind['additionalProperties'])}"
    return str(kind.get("type", "any"))


def _title(name: str) -> str:
    return name.removeprefix("Json")
