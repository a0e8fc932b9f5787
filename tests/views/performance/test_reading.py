"""A reading as data: schema, keys with units, nothing that JSON does not have."""

from __future__ import annotations

from trex.views.performance.reading import SCHEMA, Reading
from trex.views.performance.section import Content

from trex.core.note import Note
from trex.views.summary import Fact
from trex.views.table import Table, TableColumn

TABLE = Table("By bound", (TableColumn("#", "count"), TableColumn("time", "ms", "ms")), ((1, 0.5), (2, float("nan"))))
CONTENT = Content(
    statements=("One sentence.",),
    facts=(Fact("SM count", "108", 108), Fact("Clock", "unknown")),
    tables=(TABLE,),
    derivations=(("time", "1 + 1\n= 2"),),
    notes=(Note("some-note", "a fact", "a step", "x.json", "info"),),
    data={"total_ms": 1.5},
)


def test_as_data():
    data = Reading("net", "", "", (("work", "Work", CONTENT),)).as_dict()
    assert data["schema"] == SCHEMA and data["engine"] == "net" and data["device"] is None
    section = data["sections"]["work"]
    assert section["facts"] == {"sm_count": 108, "clock": "unknown"}
    assert section["tables"]["by_bound"] == [{"index": 1, "time_ms": 0.5}, {"index": 2, "time_ms": None}]
    assert section["derivations"] == [{"figure": "time", "derivation": "1 + 1\n= 2"}]
    assert section["notes"][0]["code"] == "some-note" and section["data"] == {"total_ms": 1.5}
