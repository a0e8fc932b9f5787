"""A baseline's text: JSON whose lines are facts, tens of samples and layers."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from trex.core.document_sha256 import document_sha256
from trex.core.errors import TrexError
from trex.export.baseline_file import baseline_text, write_baseline

DOCUMENT: dict[str, Any] = {
    "schema": "trex.baseline/1",
    "run": {"device": {"SMs": 108, "Name": "é\u001e"}, "iterations": 3, "latency": {"GPU": {"median_ms": 1.0}}},
    "samples": {"kept": 12, "computeMs": [float(each) for each in range(12)], "latencyMs": "computeMs"},
    "layers": [{"average_ms": 0.5, "median_ms": None, "layer": {"Name": "a"}}, {"average_ms": 1, "layer": "b"}],
}


def _content(text: str) -> dict[str, Any]:
    document = json.loads(text)
    assert document.pop("sha256") == document_sha256(text)
    return dict(document)


def test_it_is_the_document_line_by_line() -> None:
    text = baseline_text(DOCUMENT)
    assert _content(text) == DOCUMENT and text.isascii()
    lines = text.splitlines()
    assert '   "SMs": 108,' in lines and any(line.startswith('  "computeMs": [0.0, 1.0,') for line in lines)
    assert '  {"average_ms": 0.5, "median_ms": null,' in lines and '   "layer": {"Name": "a"}},' in lines
    assert _content(baseline_text({"samples": {}, "run": {}, "layers": []})) == {
        "layers": [],
        "samples": {},
        "run": {},
    }


def test_it_is_written_with_its_folders_or_not_at_all(tmp_path: Path) -> None:
    file = write_baseline(tmp_path / "a" / "b" / "c.json", DOCUMENT)
    assert _content(file.read_text()) == DOCUMENT
    (tmp_path / "f").write_text("")
    with pytest.raises(TrexError, match="cannot be made"):
        write_baseline(tmp_path / "f" / "b" / "c.json", DOCUMENT)
    (tmp_path / "link.json").symlink_to("f")
    (tmp_path / "model").symlink_to("elsewhere")
    for path in ("link.json", "model/gpu/1.json"):
        with pytest.raises(TrexError, match="a link is in the place"):
            write_baseline(tmp_path / path, DOCUMENT)
    assert not (tmp_path / "elsewhere").exists()
    assert (tmp_path / "f").read_text() == ""


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_a_pipe_in_its_place_is_not_waited_for(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "x.json")
    with pytest.raises(TrexError, match="a pipe or a device is in the place"):
        write_baseline(tmp_path / "x.json", DOCUMENT)
