"""Kernel names of every family, each with every fact worked out by hand from CUTLASS's naming and the family's own.

A fact that is not in the row must not be found.
"""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import Any

import pytest

from tests.checkout import has_test
from tests.ingest.spelling.tactics.library_names import CUTLASS, OTHERS, STYLED
from tests.ingest.spelling.tactics.xmma_names import POOLING, XMMA
from trex.core.data_type import DataType
from trex.core.tactic import Tactic
from trex.ingest.spelling.tactic_names import FAMILIES, decode_tactic

LABELS = {data_type.label: data_type for data_type in DataType} | {"?": DataType.UNKNOWN}
ALL = [*XMMA, *POOLING, *STYLED, *CUTLASS, *OTHERS]


@pytest.mark.parametrize(("name", "types", "facts"), ALL, ids=[name[:70] for name, _, _ in ALL])
def test_every_fact(name: str, types: str, facts: dict[str, Any]) -> None:
    taken, weights, accumulated, out = (LABELS[word] for word in types.split())
    stated: dict[str, Any] = {
        "input_type": taken,
        "weights_type": weights,
        "accumulate_type": accumulated,
        "output_type": out,
    }
    expected = dataclasses.asdict(Tactic(**stated, **facts))
    decoded = {field.name: getattr(decode_tactic(name), field.name) for field in dataclasses.fields(Tactic)}
    for unlisted in ("parts", "evidence"):
        del expected[unlisted], decoded[unlisted]
    assert decoded == expected
    assert bool(decode_tactic(name).evidence) == any(
        data_type.is_known for data_type in (taken, weights, accumulated, out)
    )


def test_there_are_names_of_every_family() -> None:
    assert len(ALL) > 60
    listed = {facts.get("family", "") for _, _, facts in ALL}
    own = Path(__file__).parent / "families"
    missing = [name for name, plug in FAMILIES.items() if plug.value.title not in listed and not has_test(own, name)]
    assert missing == []
