"""Word → Explanation: columns, quirks, rules, layer types, notes, formats, kernels and layer names in plain words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from textwrap import dedent
from typing import Any

from trex.core.counted import counted
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.quirk import QUIRKS
from trex.ingest.spelling.data_types import data_type_of
from trex.ingest.spelling.layer_names import PLAIN_OPERAND, explain_name, parse_name
from trex.ingest.spelling.origins import module_of
from trex.ingest.spelling.tactic_names import part_meaning
from trex.ingest.spelling.tensor_formats import parse_format
from trex.perf.columns import PERFORMANCE_COLUMNS
from trex.plan.columns import COLUMNS, Column
from trex.views.document import Document, Fact, Facts, Section, Text
from trex.views.glossary import LAYER_TYPES, explain_layer_type
from trex.views.guide import GUIDES, guide_text
from trex.views.note_codes import find_note
from trex.views.tactic_words import UNKNOWN, explain_tactic
from trex.views.terms import TERMS, explain_data_type, explain_term

_COLUMNS: tuple[Column[Any], ...] = (*COLUMNS, *PERFORMANCE_COLUMNS)
_LAYOUTS = {
    "linear": "row major: the last dimension is contiguous",
    "channels-last": "channels last: all channels of a pixel lie together",
    "vectorized": "vectorized: blocks of {vector} channels of a pixel lie together",
    "dla": "a layout of the deep learning accelerator (DLA), whose rows may be padded further",
}
# What the grammar says of a part it can only name: no reason to answer.
_MOST_WORDS = 20
_CODE = re.compile(r"(?m)^(    .*(?:\n+    .*)*)")
_HEADING = re.compile(r"[A-Z][a-z ]+: ")
_RULE_CODE = re.compile(r"[A-Za-z]{2,6}\d{3}")
_NUMBERED_NODE = re.compile(r"([A-Z][A-Za-z]{1,40})_(\d{1,9})")


@dataclass(frozen=True, slots=True)
class Explanation:
    """kind: ``column``, ``attribute``, ``guide``, ``quirk``, ``rule``, ``note``, ``layer type``,
    ``element type``, ``tensor format``, ``term``, ``kernel`` or ``layer name``.
    """

    subject: str
    kind: str
    text: str


def explain(word: str) -> list[Explanation]:
    """Everything known about a word, or about each of several. Raises TrexError, with near misses, when nothing is."""
    word = word.strip()
    result = list(_explanations(word)) or _of_each(word.split()) or list(_last_resort(word))
    if not result:
        known = [name for names in index().values() for name in names]
        hint = did_you_mean(
            word, known, "trex explain --list shows every word; layers: trex layers PATH --query \"Name == '…'\"", 5
        )
        raise TrexError(f"nothing is known about {word[:200]!r}", hint)
    return result


def explanations_document(explanations: Sequence[Explanation]) -> Document:
    """One section per explanation."""
    is_one = len(explanations) == 1
    title = _title(explanations[0]) if is_one else counted(len(explanations), "entry", "entries")
    sections = tuple(
        Section(f"entry-{number}", "" if is_one else _title(entry), tuple(_blocks(entry.text)), data=asdict(entry))
        for number, entry in enumerate(explanations, 1)
    )
    return Document("explain", title, sections=sections)


def index_document() -> Document:
    """Every word that has an entry of its own, by kind."""
    words = index()
    facts = tuple(Fact(kind, ", ".join(names), list(names)) for kind, names in words.items())
    return Document("explain", "Words with an entry", sections=(Section("words", "", (Facts(facts),)),))


def _title(entry: Explanation) -> str:
    return f"{entry.subject} ({entry.kind})"


def _blocks(text: str) -> Iterator[Text]:
    """Prose and, apart from it, code: indented lines and the blank lines among them."""
    for number, part in enumerate(_CODE.split(text)):
        if number % 2:
            yield Text(tuple(dedent(part).split("\n")), "command")
        elif part.strip():
            yield Text(tuple(part.removeprefix("\n").removesuffix("\n").split("\n")))


def index() -> dict[str, tuple[str, ...]]:
    """Every word that has an entry of its own, by kind."""
    return {
        "columns": tuple(column.name for column in _COLUMNS),
        "layer types": tuple(LAYER_TYPES),
        "terms": tuple(TERMS),
        "guides": GUIDES.known_names,
        "quirks": tuple(QUIRKS),
        "rules": _rule_words(),
    }


def _explanations(word: str) -> Iterator[Explanation]:
    guide = word.lower().replace("_", "-")
    if guide in GUIDES.known_names:
        yield Explanation(guide, "guide", guide_text(GUIDES.chosen(guide)))
        return
    yield from _columns(word)
    yield from _attributes(word)
    quirk = word.lower().replace("_", "-")
    if quirk in QUIRKS:
        yield Explanation(quirk, "quirk", _reflowed(QUIRKS[quirk].doc))
    yield from _rules(word)
    yield from _notes(word)
    text = explain_layer_type(word)
    if text:
        yield Explanation(word, "layer type", text)
    term = explain_term(word)
    if term:
        yield Explanation(term[0], "term", term[1])
    yield from _formats(word)
    kernel = explain_tactic(word)
    if kernel:
        yield _kernel(word, *kernel)
    lines = [(piece, meaning) for piece, meaning in explain_name(word) if piece]
    if any(meaning != PLAIN_OPERAND for _, meaning in lines):
        yield _name(word, lines)


def _of_each(words: Sequence[str]) -> list[Explanation]:
    """What is known of several words that mean nothing together; nothing where one of them is unknown."""
    if not 1 < len(words) <= _MOST_WORDS:
        return []
    results = [list(_explanations(word)) for word in words]
    return [item for one in results for item in one] if all(results) else []


def _last_resort(word: str) -> Iterator[Explanation]:
    """What can be said of a name without any grammar: nothing of a single word that is no path."""
    numbered = _NUMBERED_NODE.fullmatch(word)
    if numbered:
        text = f"a {numbered[1]} node of the ONNX model, number {numbered[2]}: exporters number nodes without a name"
        yield Explanation(word, "layer name", text)
    elif meaning := part_meaning(word):
        yield Explanation(word, "kernel", f"in the name of a kernel: {meaning}")
    elif module_of((), parse_name(word)) not in ("", "/"):
        yield _name(word, explain_name(word))


def _columns(word: str) -> Iterator[Explanation]:
    for column in _COLUMNS:
        if column.name.lower() == word.lower():
            unit = f" in {column.unit}" if column.unit else ""
            source = column.source.replace("`", "")
            yield Explanation(
                column.name,
                "column",
                f"{column.meaning}\ntype: {column.dtype}{unit}\nsource: {source}".replace("`", ""),
            )


def _attributes(word: str) -> Iterator[Explanation]:
    if not word.lower().startswith("attr."):
        return
    from trex.plan.attributes import ATTRIBUTES

    keys: dict[str, list[str]] = {}
    for type_, table in ATTRIBUTES.items():
        for key, name in table.items():
            if name.lower() == word.lower():
                keys.setdefault(key, []).append(type_)
    if keys:
        texts = [f"{key} of the records of {', '.join(types)}" for key, types in keys.items()]
        yield Explanation(word.lower(), "attribute", "\n".join([*texts, "shown by: trex layers PATH --type TYPE"]))


def _rules(word: str) -> Iterator[Explanation]:
    from trex.rules.rule import RULES  # here, because rules bring numpy

    if not _RULE_CODE.fullmatch(word) and word.lower().replace("_", "-") not in RULES.known_names:
        return
    from trex.views.rule_page import find_rules, rule_text

    for plug in find_rules(word):
        yield Explanation(f"{plug.value.code} {plug.name}", "rule", rule_text(plug))


def _rule_words() -> tuple[str, ...]:
    """Codes and names of the rules."""
    from trex.rules.rule import RULES

    return tuple(word for name, plug in RULES.items() for word in (plug.value.code, name))


def _notes(word: str) -> Iterator[Explanation]:
    note = find_note(word.lower())
    if note:
        yield Explanation(note.code, "note", f"{note.summary}\nsource: {note.file}")


def _formats(word: str) -> Iterator[Explanation]:
    data_type, layout = parse_format(word)
    if data_type_of(word).is_known:
        yield Explanation(data_type.label, "element type", explain_data_type(data_type))
    elif layout.is_known:
        lines = [_LAYOUTS[layout.layout].format(vector=layout.vector)]
        if data_type.is_known:
            lines.append(f"element type {data_type.label}, {data_type.bits} bits")
        if layout.vector > 1:
            lines.append(f"channels are padded to a multiple of {layout.vector}, which counts in sizes")
        subject = f"{data_type.label} {layout.label}" if data_type.is_known else layout.label
        yield Explanation(subject, "tensor format", "\n".join(lines))


def _kernel(word: str, summary: str, parts: list[tuple[str, str]]) -> Explanation:
    texts = [f"{part}: {meaning}" for part, meaning in parts if meaning != UNKNOWN]
    unknown = ", ".join(part for part, meaning in parts if meaning == UNKNOWN)
    return Explanation(word, "kernel", "\n".join([summary, *texts, *([f"{UNKNOWN}: {unknown}"] if unknown else [])]))


def _reflowed(doc: str) -> str:
    """A docstring with one line a paragraph; ``Heading: text`` begins one."""
    paragraphs: list[str] = []
    for line in doc.replace("``", "`").splitlines():
        if paragraphs and paragraphs[-1] and line.strip() and not _HEADING.match(line):
            paragraphs[-1] += f" {line.strip()}"
        else:
            paragraphs.append(line.strip())
    return "\n".join(paragraphs)


def _name(word: str, lines: list[tuple[str, str]]) -> Explanation:
    texts = [f"{piece}: {meaning}" for piece, meaning in lines]
    module = module_of((), parse_name(word))
    if module:
        texts.append(f"its place in the module tree: {module}")
    return Explanation(word, "layer name", "\n".join(texts))
