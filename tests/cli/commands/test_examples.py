"""The command ``trex examples``."""

from __future__ import annotations

import json

from trex.plan.loading import example_addresses


def test_every_example_with_its_statement(trex):
    out = trex("examples").out
    assert "synthetic" in out.splitlines()[0]
    for address in example_addresses():
        assert address in out


def test_json(trex):
    data = json.loads(trex("examples", "--json").out)
    assert [row["example"] for row in data["examples"]] == list(example_addresses())
    assert all(row["layers"] > 0 and row["average ms"] > 0 and row["what it is"] for row in data["examples"])
