"""utils/draw_engine.py: the classic function and its command line."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests import launchers
from tests.dot_parser import parse_dot, shown
from tests.simulated_examples import SIMULATED
from trex.core.errors import TrexError
from trex.graphing import layer_precision_formatter

NAME = "resnet18-int8"


@pytest.fixture(scope="module")
def script() -> Any:
    return launchers.script("draw_engine")


@pytest.fixture
def files(tmp_path: Path) -> Any:
    for part in ("graph", "profile"):
        shutil.copy(SIMULATED / NAME / f"{NAME}.{part}.json", tmp_path)
    return str(tmp_path / f"{NAME}.graph.json"), str(tmp_path / f"{NAME}.profile.json")


def labels(path: Any) -> Any:
    dot = parse_dot(Path(path).read_text(encoding="utf-8"))
    return [shown(look["label"]) for key, look in dot.nodes.items() if key != "legend"]


def test_whole_engine(script: Any, files: Any) -> None:
    path = script.draw_engine(*files)
    assert path == f"{files[0]}.svg"
    assert "</svg>" in Path(path).read_text(encoding="utf-8")
    path = script.draw_engine(*files, output_format="dot", layer_node_formatter=layer_precision_formatter)
    assert "Layers by precision" in Path(path).read_text(encoding="utf-8")
    assert any(" ms" in label for label in labels(path))


def test_parts(script: Any, files: Any) -> None:
    whole = labels(script.draw_engine(*files, output_format="dot"))
    near = labels(script.draw_engine(files[0], output_format="dot", beam_center="1", beam_radius=1))
    assert 3 <= len(near) < len(whole)
    drawn = labels(script.draw_engine(files[0], None, "dot", query="^Reformat$", display_regions=False))
    assert any(label.startswith("Reformat") for label in drawn)
    assert not any(label.startswith("Convolution") for label in drawn)
    with pytest.raises(TrexError, match="matches"):
        script.draw_engine(files[0], query="nothing is called this")


def test_notes_of_the_files_are_printed(script: Any, files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    Path(files[1]).write_bytes(Path(files[1]).read_bytes()[:1500])
    assert script.main([files[0], "-pj", files[1], "-of", "dot", "--beam", "1,1"]) == 0
    assert "(truncated)" in capsys.readouterr().err


def test_command_line(script: Any, files: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert script.main([files[0], "-pj", files[1], "-of", "dot", "--beam", "1,1", "-dr", "-no_ln"]) == 0
    assert ".beam.dot" in capsys.readouterr().out
    assert script.main([files[0] + ".missing"]) == 2
    assert "missing" in capsys.readouterr().err


def test_the_classic_functions_draw_parts(script: Any, files: Any) -> None:
    near = script.draw_subgraph_beam(files[0], "1", 1, output_format="dot")
    assert near == f"{files[0]}.beam.dot" and 3 <= len(labels(near)) < 10
    path = script.draw_subgraph_query(files[0], "^Reformat$", output_format="dot", display_regions=False)
    assert path == f"{files[0]}.query.dot" and any(label.startswith("Reformat") for label in labels(path))
    assert script.parse_beam("conv1,2") == ("conv1", 2)
    for name in script.__all__:
        assert callable(getattr(script, name)), name
