"""Runs → Metadata."""

from __future__ import annotations

from trex.ingest.logs.run_metadata import RunMetadata


def test_an_empty_run() -> None:
    assert RunMetadata("x.log", 1).is_empty
    assert not RunMetadata("x.log", 1).metadata().notes
