"""A family of kernel names and the meaning of their words."""

from __future__ import annotations

from utils.scaffold import Scaffold

SCAFFOLD = Scaffold(
    folder="ingest/spelling/tactics/families",
    plug='''\
"""$name: whose kernels these are (a name as files contain it: ``${flat}_tn``)."""

from __future__ import annotations

from trex.ingest.spelling.tactics.common import vocabulary
from trex.ingest.spelling.tactics.reading import Family, Reading
from trex.ingest.spelling.tactics.vocabulary import fact

_VOCABULARY = vocabulary({"$flat": fact("family", "the kernels of $title")})


def _read(reading: Reading) -> None:
    reading.learn({"library": "$name", "kind": "gemm"})
    reading.read_all(_VOCABULARY)


def _fits(words: list[str]) -> bool:
    return words[:1] == ["$flat"]


FAMILY = Family("$name", 15, _fits, _read, _VOCABULARY)
''',
    test='''\
"""The family of kernels ``$name``."""

from __future__ import annotations

from trex.ingest.spelling.tactic_names import decode_tactic


def test_a_name_is_decoded() -> None:
    tactic = decode_tactic("${flat}_tn")
    assert tactic.family == tactic.library == "$name"
    assert tactic.layouts == ("t", "n")
    assert all(part.key for part in tactic.parts)
''',
    related=("tests/ingest/spelling",),
)
