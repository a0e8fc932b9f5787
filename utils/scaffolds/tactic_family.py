"""A family of kernel names and the meaning of their words."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="ingest/spelling/tactics/families",
    plug='''\
"""$name: whose kernels these are (a name as files contain it: ``${flat}_128x64x32_tn``)."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.vocabulary import TILE, tile_meaning
from trex.ingest.spelling.tactics.word_cursor import Family, WordCursor

_VOCABULARY = vocabulary({"$flat": "the kernels of $title"})


def _decode(reader: WordCursor) -> None:
    reader.set_fields({"library": "$name", "kind": "gemm"})
    while reader.index < len(reader.words):
        if TILE.fullmatch(reader.word):
            reader.add(tile_meaning(reader.word))
        else:
            reader.read(_VOCABULARY)


def _matches(words: list[str]) -> bool:
    return words[:1] == ["$flat"]


FAMILY = Family("$name", 15, _matches, _decode)
''',
    test='''\
"""The family of kernels ``$name``."""

from __future__ import annotations

from trex.ingest.spelling.tactic_names import decode_tactic


def test_a_name_is_decoded() -> None:
    tactic = decode_tactic("${flat}_128x64x32_tn")
    assert tactic.family == tactic.library == "$name"
    assert tactic.tile == (128, 64, 32)
    assert all(part.words for part in tactic.parts)
''',
    related=("tests/ingest/spelling/tactics", "tests/ingest/spelling/test_tactic_names.py"),
)
