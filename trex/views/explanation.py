"""Word → Explanation: columns, quirks, layer types, layer names and formats in plain words."""

from __future__ import annotations

import difflib
from collections.abc import Iterator
from dataclasses import dataclass

from trex.core.data_type import DataType
from trex.core.errors import TrexError
from trex.ingest.layer_names import explain_name
from trex.ingest.quirk import QUIRKS
from trex.ingest.tensor_formats import parse_format
from trex.plan.columns import COLUMNS
from trex.views.glossary import LAYER_TYPES, explain_layer_type


@dataclass(frozen=True, slots=True)
class Explanation:
    """kind: ``column``, ``quirk``, ``layer type``, ``layer name`` or ``tensor format``."""

    subject: str
    kind: str
    text: str

    def as_dict(self) -> dict[str, str]:
        return {"subject": self.subject, "kind": self.kind, "text": self.text}


def explain(word: str) -> list[Explanation]:
    """Everything known about a word. Raises TrexError, with near misses, when nothing is."""
    found = list(_explanations(word.strip()))
    if not found:
        known = [*(column.name for column in COLUMNS), *QUIRKS, *LAYER_TYPES]
        near = difflib.get_close_matches(word, known, 5, 0.5)
        hint = f"did you mean {', '.join(near)}?" if near else "for example: trex explain latency.pct_time"
        raise TrexError(f"nothing is known about {word!r}", hint)
    return found


def _explanations(word: str) -> Iterator[Explanation]:
    for column in COLUMNS:
        if column.name.lower() == word.lower():
            unit = f" in {column.unit}" if column.unit else ""
            yield Explanation(
                column.name, "column", f"{column.meaning}\ntype: {column.dtype}{unit}\nsource: {column.source}"
            )
    quirk = word.lower().replace("_", "-")
    if quirk in QUIRKS:
        yield Explanation(quirk, "quirk", QUIRKS[quirk].doc)
    text = explain_layer_type(word)
    if text:
        yield Explanation(word, "layer type", text)
    data_type, layout = parse_format(word)
    if layout.is_known and data_type is not DataType.UNKNOWN:
        padding = f"; channels are padded to a multiple of {layout.vector}" if layout.vector > 1 else ""
        bits = f"{data_type.bits} bits per element"
        yield Explanation(
            word, "tensor format", f"{data_type.label} {layout.label}: {layout.layout} layout, {bits}{padding}"
        )
    lines = explain_name(word)
    if lines:
        yield Explanation(word, "layer name", "\n".join(f"{piece}: {meaning}" for piece, meaning in lines))
