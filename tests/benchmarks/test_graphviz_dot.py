"""What dot is given and how its answer is read."""

from __future__ import annotations

import pytest

from tests.benchmarks.bench_picture import bare_scene
from tests.benchmarks.graphviz_dot import bare_dot, dot_version, drawn_by_dot, drawn_by_trex, run_dot
from tests.simulated_examples import load_simulated

needs_dot = pytest.mark.skipif(not dot_version(), reason="dot is absent")


@needs_dot
def test_both_pictures_have_the_same_boxes_and_wires() -> None:
    scene = bare_scene(load_simulated("resnet18-fp16"))
    answer = run_dot(bare_dot(scene), 60)
    own, other = drawn_by_trex(scene), drawn_by_dot(scene, answer.text)
    assert answer.seconds is not None and not answer.why
    sizes = [boxes[:, 2:] - boxes[:, :2] for boxes in (own.boxes, other.boxes)]
    assert abs(sizes[0] - sizes[1]).max() < 0.1
    assert (own.ends, own.nets) == (other.ends, other.nets)
    assert len(own.wires) == len(other.wires) == len(scene.wires)
    for (source, target), wire in zip(other.ends, other.wires):
        # Up is plus in dot's answer; a wire ends at its boxes.
        assert abs(wire[0][1] - other.boxes[source][1]) < 2
        assert abs(wire[-1][1] - other.boxes[target][3]) < 2


@needs_dot
def test_dot_is_ended_at_the_limit_and_failures_are_told() -> None:
    long = "digraph { " + " ".join(f"{i} -> {i * 7 % 900};" for i in range(3000)) + " }"
    assert "ended" in run_dot(long, 0.05).why
    assert "failed" in run_dot("digraph {", 10).why


def test_without_dot(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    assert run_dot("digraph {}", 1).why == "no dot here"
