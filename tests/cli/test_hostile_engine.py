"""An engine whose names, keys, values and folder no encoding can write, and one with the least and largest times."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import warnings
import zipfile
from pathlib import Path
from statistics import mean, median

import pytest

from tests.fuzz.monsters import layer
from trex.core.printable import encodable
from trex.server.pages import EnginePages

pytestmark = pytest.mark.slow

HALF = "\ud800\udce9"
FOLDER = "\udce9 $(touch pwned);touch pwned\n'a"
COMMANDS = (
    *(("summary",), ("layers",), ("doctor",), ("perf",), ("lint",), ("qdq",), ("doctor", "--bundle", "b.zip")),
    *(("report", "-o", f"r.{ending}") for ending in ("html", "md", "ipynb", "parquet", "xlsx")),
    *(("lint", "-o", f"l.{ending}") for ending in ("sarif", "junit.xml")),
    *(("draw", "-o", f"d.{ending}") for ending in ("svg", "html", "dot", "graphml", "onnx", "json")),
    ("baseline", "add", "--folder", HALF[1], "--device", "x", "--version", "10.1"),
    ("store", "add", "--store", "st"),
)


def written(folder: Path, name: str = "a", times: tuple[float, float] = (1.0, 2.0)) -> Path:
    folder.mkdir(parents=True)
    layers = [layer(f"{name}{number}") for number in range(2)]
    if name != "a":
        layers[1] |= {name: name, "LayerType": name, "TacticName": name, "Metadata": f"[ONNX Layer: {name}]"}
    files = {
        "graph": {"Layers": layers, "Bindings": [name], name: 1},
        "profile": [
            {"count": 2},
            *({"name": f"{name}{n}", "timeMs": 2 * ms, "averageMs": ms, "medianMs": ms} for n, ms in enumerate(times)),
        ],
        "timing": [{"startComputeMs": 9 * n, "computeMs": ms, "latencyMs": ms} for n, ms in enumerate(times * 10)],
        "profile.metadata": {
            "device_information": {"selected_device": name},
            "performance_summary": {
                "GPU Compute Time": [min(times), max(times), mean(times), median(times), max(times)]
            },
        },
    }
    for kind, content in files.items():
        (folder / f"e.{kind}.json").write_text(json.dumps(content))
    return folder


@pytest.fixture
def hostile(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    try:
        return written(tmp_path / "root" / FOLDER, HALF).relative_to(tmp_path)
    except (OSError, UnicodeError):
        pytest.skip("the file system has no such names")


def test_every_command_and_format(trex, hostile, tmp_path):
    for name, *options in COMMANDS:
        action = [options.pop(0)] if name in ("baseline", "store") else []
        said = trex(name, *action, hostile, *options)
        assert said.code in ((0, 1) if name in ("lint", "doctor") else (0,)), (name, options, said.err)
        assert said.out.encode() is not None and "Warning" not in said.err
    with zipfile.ZipFile("b.zip") as bundle:
        assert "e.graph.json" in bundle.namelist() and bundle.testzip() is None
    listed = trex("store", "query", "SELECT name FROM layers", "--store", "st", "--json")
    assert listed.code == 0 and not list(tmp_path.rglob("pwned"))


def test_the_server_lists_and_opens_it(hostile, tmp_path):
    pages = EnginePages(str(tmp_path / "root"))
    (key,) = pages.entries()
    assert key == encodable(f"{FOLDER}/e.graph.json")
    assert pages.respond("", {}).status == 200
    assert pages.respond("report", {"engine": key}).status == 200


@pytest.mark.skipif(os.name == "nt" or shutil.which("bash") is None, reason="needs bash")
def test_hints_with_its_path_run_in_bash(trex, hostile, tmp_path):
    """The words after the first two are the path, and nothing in it runs."""
    known = ("--folder", "bl", "--device", "x", "--version", "10.1")
    assert trex("baseline", "add", hostile, *known).code == 0
    for said, options, word in (
        (trex("baseline", "add", hostile, *known), "trex baseline update", os.fsencode(hostile)),
        (trex("baseline", "list", hostile), "trex baseline list --folder", os.fsencode(hostile)),
        (trex("layers", hostile, "-o", tmp_path / FOLDER / "x.csv"), "mkdir -p", os.fsencode(tmp_path / FOLDER)),
    ):
        hint = said.err.rpartition("try: ")[2].partition(", or")[0].strip()
        assert hint.startswith(options) and hint.isprintable()
        script = f'trex() {{ printf \'%s\\0\' "$@"; }}; mkdir() {{ trex "$@"; }}; {hint}'
        printed = subprocess.run(["bash", "-c", script], capture_output=True, check=True).stdout
        assert printed.split(b"\0")[-2] == word
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.parametrize("times", [(1e-320, 1e308), (1e308, 1e308), (0.0, 1e-320), (1e-320, 1e-320)])
def test_extreme_times_without_a_warning(trex, tmp_path, times):
    base, new = written(tmp_path / "base"), written(tmp_path / "new", times=times)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for words in (("perf", new), ("report", new), ("compare", base, new), ("compare", new, base)):
            assert trex(*words).code == 0
    assert not [str(one.message) for one in caught if issubclass(one.category, RuntimeWarning)]
