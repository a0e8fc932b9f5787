"""Times at the limits of numbers are compared without a warning of NumPy's and without an error."""

from __future__ import annotations

import json
import warnings
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from tests.fuzz.monsters import document, layer
from trex.cli.main import main

SAMPLES: dict[str, list[Any]] = {
    "usual": [1 + i * 0.001 for i in range(50)],
    "one": [1.0],
    "two": [1.0, 2.0],
    "zeros": [0.0] * 50,
    "huge": [1e308] * 50,
    "subnormal": [5e-324] * 50,
    "all": [1e308, 0.0, 5e-324] * 20,
    "wide": [1e12, 1e-12] * 30,
    "infinite": ["inf"] * 50,
    "nan": ["nan"] * 50,
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder for each series: per query and as a mean of the layers; in ``layers`` per iteration of each layer."""
    folder = tmp_path_factory.mktemp("runs")
    for name, values in SAMPLES.items():
        queries = ",".join(
            f'{{"startComputeMs": {i}, "computeMs": {ms}, "latencyMs": {ms}}}' for i, ms in enumerate(values)
        )
        rows = ",".join(f'{{"name": "{n}", "timeMs": {values[0]}, "averageMs": {values[0]}}}' for n in "ab")
        series = ", ".join(map(str, values))
        for path, files in (
            (folder / name, {"x.timing.json": f"[{queries}]", "x.profile.json": f'[{{"count": 9}}, {rows}]'}),
            (folder / "layers" / name, {"x.profile.json": f'{{"a": [{series}], "b": [{series}]}}'}),
        ):
            path.mkdir(parents=True)
            (path / "x.graph.json").write_bytes(document([layer("a"), layer("b")], ["x", "y"]))
            for file, text in files.items():
                (path / file).write_text(text)
    return folder


@pytest.mark.parametrize(("first", "second"), list(product(SAMPLES, SAMPLES)))
def test_any_two_extremes_are_compared_quietly(
    first: str, second: str, runs: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for folder in (runs, runs / "layers"):
            assert main(["compare", str(folder / first), str(folder / second), "--json"]) in (0, 1, 2)
            if out := capsys.readouterr().out:
                json.loads(out)
