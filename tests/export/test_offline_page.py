"""Packed data of a page: what scripts unpack is what was packed."""

from __future__ import annotations

import base64
import gzip
import json
from typing import Any

import pytest

from trex.export.offline_page import PackedObject, packed_data


def unpacked(packed: bytes) -> Any:
    return json.loads(gzip.decompress(base64.b64decode(packed)))


@pytest.mark.parametrize(
    "entries", [{}, {"a": 1}, {"a": [1.5, None], 'b"</script>': {"x": float("nan")}, "c": "\ud800"}]
)
def test_an_object_packed_by_entries_is_the_object_packed_at_once(entries: dict[str, Any]) -> None:
    one_by_one = PackedObject()
    for name, value in entries.items():
        one_by_one.add(name, value)
    assert len(one_by_one) == len(entries)
    assert unpacked(one_by_one.done()) == unpacked(packed_data(entries))
