"""What a page shows of a build: the engine's layers, the fastest tactics of each, and nothing of another engine."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pandas as pd
import pytest

from tests.steps import steps
from trex.builder.engine_build import EngineBuild, engine_build
from trex.builder.tactics import OPERATION, Tactics
from trex.engine_plan import load
from trex.examples.verbose_log import verbose_log
from trex.ingest.build_log.build_log import parse_build_log


@pytest.fixture(scope="module")
def build(tmp_path_factory: pytest.TempPathFactory) -> EngineBuild:
    path = tmp_path_factory.mktemp("build") / "build.log"
    path.write_text("".join(verbose_log(layers=8, tactics=10)), "utf-8")
    result = engine_build(load(str(path)))
    assert result is not None
    return result


def test_choices_name_the_layers_of_the_engine(build: EngineBuild) -> None:
    names = {layer.index: layer.name for layer in build.plan.working_layers}
    assert [names[index] for index in build.choices["layer_index"]] == list(build.choices["layer"])


def test_every_choice_keeps_its_chosen_and_fastest_tactics(build: EngineBuild) -> None:
    whole = build.candidates()
    assert (whole.groupby("choice")["is_chosen"].sum() == 1).all()
    assert (whole[whole["skipped"] == ""].groupby("choice").size() == build.choices["tried"].to_numpy()).all()
    few = build.candidates(most=1)
    timed = few[few["skipped"] == ""]
    assert (timed.groupby("choice").size() <= 4).all() and (timed.groupby("choice")["is_chosen"].sum() == 1).all()
    fastest = whole.groupby("choice")["time_ms"].min()
    assert (timed.groupby("choice")["time_ms"].min() == fastest).all()


def test_skipped_tactics_are_of_their_choice(build: EngineBuild) -> None:
    skipped = build.candidates()
    skipped = skipped[skipped["skipped"] != ""]
    layers = build.choices["layer"].reindex(skipped["choice"])
    assert set(layers) == {"conv2 + relu2", "conv7 + relu7"} and len(skipped) == 6
    assert set(skipped["skipped"]) == {"workspace, 72 MiB wanted, 32 MiB available"} and skipped["time_ms"].isna().all()


def test_a_log_of_another_build_is_noticed(build: EngineBuild) -> None:
    assert build.differing == (0, 8) and build.choices["in_engine"].sum() == 8
    other = EngineBuild(Tactics(parse_build_log("".join(verbose_log(8, 10, seed=3)).encode(), "x")), 0, build.plan)
    assert other.differing == (8, 8) and not other.choices["in_engine"].any()


def test_an_engine_without_a_verbose_log(tmp_path: Path) -> None:
    assert engine_build(load("example:resnet18-fp16")) is None or len(load("example:resnet18-fp16").df)
    path = tmp_path / "quiet.log"
    path.write_text("".join(line for line in verbose_log() if "[V]" not in line), "utf-8")
    assert engine_build(load(str(path))) is None


def test_operations_of_myelin_belong_to_layers(shared_logs: Path) -> None:
    build = engine_build(load(str(shared_logs / "trt10.16-trtexec-02.log")))
    assert build is not None
    names = {layer.index: layer.name for layer in build.plan.working_layers}
    operations = build.choices[build.choices["kind"] == OPERATION]
    assert {names[index] for index in operations["layer_index"]} == {
        "{ForeignNode[node_linear]}", "{ForeignNode[node_linear_1_2]}",
    }  # fmt: skip
    assert not pd.isna(build.candidates()["choice"]).any()


def test_many_operations_and_layers_of_one_node_take_linear_time() -> None:
    def counted_steps(count: int) -> int:
        layers = [SimpleNamespace(origins=("x", f"n{index}"), index=index) for index in range(count)]
        operations = [
            SimpleNamespace(build=0, operation=f"o{index}", origins=("x", "x", f"n{index}")) for index in range(count)
        ]
        tactics = SimpleNamespace(log=SimpleNamespace(operations=operations))
        build = EngineBuild(cast(Any, tactics), 0, cast(Any, SimpleNamespace(working_layers=layers)))
        count_of_steps = steps(lambda: build._layers_by_nodes)
        assert [build._layers_by_nodes[f"o{index}"] for index in (7, 77)] == [7, 77]
        return count_of_steps

    assert counted_steps(200) < 2.3 * counted_steps(100)
