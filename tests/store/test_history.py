"""Histories: series that mix nothing, order, notes, and events."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.store.conftest import Add
from tests.store.run_rows import Tables, row
from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store.configurations import configuration_names
from trex.store.history import History, history_of, runs_of_model
from trex.store.run_store import RunStore


def history(rows: list[dict[str, Any]], axis: str = "made_at", metrics: tuple[str, ...] = ("compute",)) -> History:
    return history_of(Tables(rows), "net", axis, metrics)


def stepped(count: int = 24, at: int = 14, factor: float = 1.1) -> list[dict[str, Any]]:
    return [row(number, (factor if number >= at else 1.0) * (1.0 + number * 7 % 5 * 1e-3)) for number in range(count)]


def test_a_step_is_an_event_with_what_changed() -> None:
    rows = stepped()
    for one in rows[14:]:
        one["tensorrt"] = "10.5"
    (event,) = history(rows).events
    assert event.run["id"] == f"{14:016x}" and event.change.change_pct == pytest.approx(10.0, abs=0.3)
    assert event.series.change_of(event.change)["tensorrt"] == ("10.4", "10.5")
    before, after = event.series.sides(event.change)
    assert set(before) == {f"{number:016x}" for number in range(9, 14)}
    assert set(after) == {f"{number:016x}" for number in range(14, 19)}


@pytest.mark.parametrize(
    "facts",
    [
        {"gpu": "T4"}, {"provenance": "simulated"}, {"batch": 1.0}, {"precision": "INT8"}, {"shapes": "3x8x8"},
        {"labels": {"branch": "x"}}, {"options": {"refit": "on"}}, {"backend": "trtexec"}, {"gpu": None},
    ],
)  # fmt: skip
def test_configurations_are_never_mixed(facts: dict[str, Any]) -> None:
    rows = stepped(20, 10)
    for one in rows[10:]:
        one.update(facts)
    found = history(rows)
    assert len(found.series) == 2
    assert all(abs(event.change.change_pct) < 1.0 for event in found.events)  # not the step between the two
    assert len({series.name for series in found.series}) == 2
    assert all(len(series.values) == 10 for series in found.series)


def test_by_commit_releases_are_apart_and_by_time_they_are_not() -> None:
    rows = stepped(20, 10)
    for one in rows[10:]:
        one["tensorrt"] = "10.5"
    assert len(history(rows, "commit").series) == 2
    assert len(history(rows).series) == 1


def test_options_that_only_one_release_prints_do_not_part_a_series() -> None:
    rows = stepped(20, 10)
    for number, one in enumerate(rows):
        one["options"] = {"Precision": "FP16", **({"New option": "off"} if number >= 10 else {})}
        one["tensorrt"] = "10.5" if number >= 10 else "10.4"
    assert len(history(rows).series) == 1
    rows[3]["options"] = {"Precision": "FP16", "Refit": "on"}  # within a release an option is a difference
    assert len(history(rows).series) == 2


def test_an_option_that_an_older_release_does_not_print_parts_those_of_a_newer_one() -> None:
    rows = stepped(20, 10, 2.0)
    for number, one in enumerate(rows):
        one["options"] = {"Precision": "FP16", **({"MaxTactics": str(number % 2)} if number >= 2 else {})}
        one["tensorrt"] = "10.4" if number >= 2 else "8.6"
    assert sorted(len(series.rows) for series in history(rows).series) == [2, 9, 9]


@pytest.mark.parametrize(
    ("name", "other"),
    [("Sparsity", {"data transfers": "off", "inference streams": "1"}), ("data transfers", {"Precision": "FP16"})],
)
def test_a_run_with_a_part_of_the_files_of_another_release_mixes_nothing(name: str, other: dict[str, str]) -> None:
    """Without the files of its build, a run has no build option; without those of its run, nothing of that."""
    rows = stepped(20, 10, 2.0)
    for number, one in enumerate(rows):
        one["options"] = {"Precision": "FP16", "data transfers": "off", name: "on" if number >= 10 else "off"}
    rows.append({**row(20, 1.0), "options": other, "tensorrt": None})
    assert {len(series.rows) for series in history(rows).series} == {10, 1}


def test_versions_are_in_their_order_and_their_runs_stay_together() -> None:
    rows = []
    for number, version in enumerate(("10.13", "10.4", "8.6", "10.4", "8.6", "10.13", "8.6", "10.4", "10.13")):
        slow = 1.0 if version == "8.6" else 0.8
        rows.append(row(number, slow * (1.0 + number * 1e-4), tensorrt=version, commit=None))
    found = history(rows, "tensorrt")
    (series,) = found.series
    assert list(series.runs["tensorrt"]) == ["8.6"] * 3 + ["10.4"] * 3 + ["10.13"] * 3
    assert [change.index for change in series.changes] == [3]


def test_equal_predictions_need_no_statistics() -> None:
    rows = [row(number, 1.0 if number < 2 else 1.01, provenance="simulated") for number in range(3)]
    ((series, change),) = [(event.series, event.change) for event in history(rows).events]
    assert change.index == 2 and change.chance == 0.0 and not series.is_measured


def test_times_of_unknown_origin_are_no_predictions() -> None:
    """As of trtexec's log alone, in a store of before."""
    rows = [row(number, 1.0 + number * 7 % 5 * 1e-3, provenance=None) for number in range(10)]
    assert not history(rows).events


@pytest.mark.parametrize("values", [(1.0, 1.1, 1.2, 1.3), (1.0, 1.1, 1.0, 1.1)])
def test_predictions_that_differ_in_every_run_are_all_changes(values: tuple[float, ...]) -> None:
    rows = [row(number, value, provenance="simulated", layers=number + 1) for number, value in enumerate(values)]
    assert sorted(event.change.index for event in history(rows).events) == [1, 2, 3]
    for one in rows:
        one["provenance"] = "measured"  # where builds differ without a cause
    (layers,) = history(rows, metrics=("layers",)).series
    assert not layers.changes


@pytest.mark.parametrize(
    ("counts", "builds", "changes"),
    [
        ([4] * 5 + [3, 3] + [4] * 7, "", []),
        ([2] * 10 + [3], "", []),
        ([2] * 8 + [4] * 6, "", [8]),
        ([2] * 10 + [3], "a" * 10 + "b", [10]),
        ([2] * 10 + [3], "a" * 10 + " ", []),
        ([2, 3, 2, 3, 2, 2, 3], "aaaabbb", []),
        ([2, 3, 2, 3, 3, 2, 2, 3, 2, 2, 3], "abcdefghijk", []),
    ],
    ids=["come and go", "last run", "step", "other kernels", "unknown kernels", "within noise", "of each run"],
)
def test_measured_findings_follow_noise_unless_the_kernels_are_others(
    counts: list[int], builds: str, changes: list[int]
) -> None:
    rows = [row(number, 1.0, findings=count) for number, count in enumerate(counts)]
    kernels = {one["id"]: build for one, build in zip(rows, builds, strict=False) if build != " "}
    (findings,) = history_of(Tables(rows, kernels), "net", metrics=["findings"]).series
    assert [change.index for change in findings.changes] == changes


@pytest.mark.parametrize(("kernel", "builds"), [("stage3", 1), ("stage4", 2)])
def test_a_build_is_known_by_its_kernels(store: RunStore, tmp_path: Path, kernel: str, builds: int) -> None:
    for number in range(2):
        folder = write_engine(tmp_path / str(number), layer_ms=(0.5, 0.25 + number / 100))
        graph = next(folder.glob("*.graph.json"))
        if number:
            graph.write_text(graph.read_text().replace("stage3", kernel, 1))
        store.add(folder)
    (series,) = history_of(store, "net", metrics=["findings"]).series
    assert len(set(series._builds)) == builds


def test_predicted_findings_that_come_and_go_are_changes() -> None:
    rows = [row(number, 1.0, findings=count, provenance="simulated") for number, count in enumerate((0, 1, 0, 2))]
    (findings,) = history(rows, metrics=("findings",)).series
    assert [(change.before, change.after) for change in findings.changes] == [(0.0, 1.0), (1.0, 0.0), (0.0, 2.0)]
    assert findings.sides(findings.changes[2], 1) == ([rows[2]["id"]], [rows[3]["id"]])


def test_runs_at_one_position_show_nothing() -> None:
    rows = [row(number, 1.0 + number // 6, made_at=datetime(2026, 1, 1)) for number in range(12)]
    (series,) = history(rows).series
    assert not series.changes and "one position" in series.levels.reason


def test_few_runs_leave_a_history_unjudged() -> None:
    rows = [row(number, 1.0 + number, layers=7) for number in range(3)]
    assert not history(rows, metrics=("compute", "layers")).is_judged and history(rows, metrics=("layers",)).is_judged


def test_runs_at_one_position_leave_a_history_unjudged() -> None:
    """Counts of layers are judged, as they are equal in any order."""
    rows = [row(number, 1.0, layers=7, made_at=datetime(2026, 1, 1)) for number in range(12)]
    found = history(rows, metrics=("compute", "layers"))
    assert [bool(series.levels.reason) for series in found.series] == [True, False] and not found.is_judged
    assert history(rows[:1], metrics=("compute", "layers")).is_judged is False
    assert history(stepped()).is_judged
    for one, findings in zip(rows, (5, 5, 3, 3, *[3] * 8)):
        one |= {"findings": findings, "layers": 7 if findings == 5 else 8}
    found = history(rows, metrics=("compute", "layers", "findings"))
    assert not found.is_judged and not found.events
    other = [row(number, 1.0, gpu="T4") for number in range(12, 24)]
    assert history([*rows, *other]).is_judged


def test_models_with_engines_of_one_name_are_apart(store: RunStore, add: Add) -> None:
    for number, model in enumerate(("resnet", "bert")):
        add(0.5 + number, model=model)
    assert set(runs_of_model(store, "bert")["model"]) == {"bert"}
    with pytest.raises(TrexError, match=r"2 models have an engine or hash 'net\.engine'") as caught:
        runs_of_model(store, "net.engine")
    assert caught.value.hint == "one of bert, resnet"


def test_metrics_at_one_place_are_one_event() -> None:
    rows = stepped()
    for number, one in enumerate(rows):
        one["layers"] = 30 if number < 14 else 33
        one["layer_sum_ms"] = one["gpu_compute_ms"] * 1.2
    (event,) = history(rows, metrics=()).events
    assert event.series.metric.name == "compute"
    assert {series.metric.name for series, _ in event.others} == {"layers", "layer-sum"}


def test_clocks_and_machines_give_notes() -> None:
    rows = stepped(12, 99)
    rows[0]["made_at"] += timedelta(days=40)
    rows[1]["made_at_from"] = "files"
    for number, one in enumerate(rows):
        one.update(clock_mhz=1400.0 + 20.0 * number, driver="535" if number < 6 else "550", throttled=number == 3)
    codes = {note.code for note in history(rows).notes}
    assert codes == {"clock-skew", "dated-by-files", "mixed-clocks", "throttled-runs", "mixed-driver"}


@pytest.mark.parametrize("facts", [{}, {"gpu": None}])
def test_newest_runs_without_a_value_are_noted(facts: dict[str, Any]) -> None:
    rows = stepped(20, 30)
    for one in rows[17:]:
        one.update(gpu_compute_ms=None, **facts)
    found = history(rows)
    (note,) = (note for note in found.notes if note.code == "newest-runs-without-value")
    assert found.is_behind and "the newest 3 runs have no compute" in note.message
    rows[3]["gpu_compute_ms"] = None  # an old one is not missed
    assert not history(rows[:17]).is_behind and not history(stepped()).is_behind


LAYERS = tuple(0.1 + 0.013 * number for number in range(6))
TIMING, PROFILE, GRAPH = (f"net.engine.{name}.json" for name in ("timing", "profile", "graph"))


@pytest.mark.parametrize(
    ("copied", "scale", "tactic", "distinct", "message"),
    [
        ((TIMING, PROFILE), 1.0, "", 8, "have the times of"),
        ((TIMING, PROFILE), 1.0, "other", 8, "have the times of"),
        ((TIMING,), 1.06, "", 8, "have the times of"),
        ((PROFILE,), 1.0, "", 8, ""),  # an engine that was profiled once
        ((PROFILE,), 1.06, "", 8, "have the layer times of"),
        ((), 1.06, "", 8, ""),
        ((TIMING,), 1.06, "", 4, ""),
    ],
)
@pytest.mark.parametrize("count", [1, 3])
def test_the_newest_runs_have_the_times_of_another_one(
    store: RunStore,
    tmp_path: Path,
    copied: tuple[str, ...],
    scale: float,
    tactic: str,
    distinct: int,
    message: str,
    count: int,
) -> None:
    for number in range(6):
        is_newest = number >= 6 - count
        factor = (scale if is_newest else 1.0) * (1.0 + 0.001 * number)
        folder = write_engine(tmp_path / str(number), "net", tuple(factor * ms for ms in LAYERS), 40, distinct)
        if is_newest:
            for name in copied:
                (folder / name).write_bytes((tmp_path / "0" / name).read_bytes())
            graph = folder / GRAPH
            graph.write_text(graph.read_text().replace("128x64x64", f"128x64x64{tactic}", 1))
        engine = {"name": "net.engine", "completed": f"2026-03-0{number + 1}T00:00:00Z"}
        (folder / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [engine]}))
        store.add(folder, commit=f"{number:07x}", labels={"step": str(number)})
    found = history_of(store, "net", "step")
    (*messages,) = (note.message for note in found.notes if note.code == "times-of-other-run")
    assert len(messages) == bool(message) == found.is_behind
    words = message if count > 1 else message.replace("have", "has")
    assert all(words in text and (count == 1 or f"newest {count} runs" in text) for text in messages)


@pytest.mark.parametrize(
    ("facts", "is_noted"), [([{}], False), ([{"labels": {"team": "x"}}], False), ([{"commit": "1234567"}], True)]
)
def test_one_run_that_is_added_twice(
    store: RunStore, tmp_path: Path, facts: list[dict[str, Any]], is_noted: bool
) -> None:
    folder = write_engine(tmp_path / "net", "net", LAYERS, 40, 8)
    for given in ({}, *facts):
        store.add(folder, **given)
    assert [note.code for note in history_of(store, "net").notes].count("times-of-other-run") == is_noted


def test_copies_of_a_run_count_as_if_measured(store: RunStore, tmp_path: Path) -> None:
    for number in range(6):
        of = 1 if number in (2, 3) else number
        folder = write_engine(tmp_path / str(number), "net", tuple((1.0 + 0.001 * of) * ms for ms in LAYERS), 40, 8)
        store.add(folder, commit=f"{number:07x}", labels={"step": str(number)})
    found = history_of(store, "net", "step")
    (note,) = (note for note in found.notes if note.code == "times-of-other-run")
    assert "2 runs have the times of" in note.message and not found.is_behind


@pytest.mark.parametrize("count", [1, 4, 8])
def test_another_precision_is_noted_and_not_judged_at_first(count: int) -> None:
    rows = stepped(10 + count, 10, 3.0)
    for one in rows[10:]:
        one["precision"] = "FP32"
    found = history(rows)
    (note,) = (note for note in found.notes if note.code == "newest-runs-differ")
    assert "it is FP32 and no longer FP16" in note.message and found.is_behind is (count < 5)
    for one in rows[:10:2]:  # two that were always there
        one["precision"] = "FP32"
    assert "newest-runs-differ" not in {note.code for note in history(rows).notes}


def test_another_precision_of_the_build_is_noted_where_that_of_the_layers_stays() -> None:
    rows = stepped(13, 10, 3.0)
    for number, one in enumerate(rows):
        one["options"] = {"Precision": "FP32" if number >= 10 else "FP32+FP16"}
    found = history(rows)
    (note,) = (note for note in found.notes if note.code == "newest-runs-differ")
    assert "FP32 and no longer" in note.message and found.is_behind


def test_runs_that_lost_what_is_known_of_earlier_ones_are_not_without_a_change() -> None:
    rows = stepped(20, 10, 3.0)
    for one in rows[10:]:
        one["gpu"] = None
    found = history(rows)
    (note,) = (note for note in found.notes if note.code == "newest-runs-without-facts")
    assert "gpu not known since its first run" in note.message and found.is_behind
    rows[15]["gpu"] = "A100"  # both go on
    assert "newest-runs-without-facts" not in {note.code for note in history(rows).notes}


def test_runs_without_the_options_of_their_build_are_not_without_a_change() -> None:
    rows = stepped(20, 10, 3.0)
    for number, one in enumerate(rows):
        one["options"] = {"data transfers": "off", **({"Refit": "off", "Sparsity": "off"} if number < 10 else {})}
    assert history(rows).is_behind


@pytest.mark.parametrize(
    "facts", [{"labels": {"branch": "try"}}, {"labels": {"sweep": "s", "size": "8"}}, {"options": {"b": "1", "c": "2"}}]
)
def test_an_experiment_that_ended_before_the_first_run_lacks_nothing_now(facts: dict[str, Any]) -> None:
    rows = stepped(20, 10, 1.0)
    for number, one in enumerate(rows):
        one["options"] = {"b": "1"}
        if number < 3:
            one.update(facts)
    found = history(rows)
    assert not found.is_behind and not found.notes and len(found.series) == 2


@pytest.mark.parametrize(
    ("name", "values"),
    [("data transfers", ("on", "off")), ("inference streams", ("1", "4")), ("CUDA graph", ("on", "off"))],
)
def test_times_that_were_measured_in_another_way_are_no_change(name: str, values: tuple[str, str]) -> None:
    rows = stepped(20, 10, 3.0)
    for number, one in enumerate(rows):
        one["options"] = {name: values[number >= 10]}
    found = history(rows)
    assert {len(series.rows) for series in found.series} == {10}
    (note,) = (note for note in found.notes if note.code == "newest-runs-differ")
    assert f"it is FP16 with {name} {values[1]} and no longer FP16 with {name} {values[0]}" in note.message


@pytest.mark.parametrize("count", [3, 8])
def test_another_build_option_is_noted_and_not_judged_at_first(count: int) -> None:
    rows = stepped(10 + count, 10, 1.06)
    for number, one in enumerate(rows):
        one["options"] = {"opt level": "0" if number >= 10 else "3", "c": "1"}
    found = history(rows)
    (note,) = (note for note in found.notes if note.code == "newest-runs-differ")
    assert "it is FP16 with opt level 0 and no longer FP16 with opt level 3" in note.message
    assert found.is_behind is (count < 5)


def test_options_that_were_tried_before_the_newest_runs_leave_a_history_judged() -> None:
    levels = ["3"] * 6 + ["4"] + ["3"] * 6 + ["5"] * 2 + ["3"] * 8
    rows = [row(number, 1.0 + number * 7 % 5 * 1e-3, options={"level": level}) for number, level in enumerate(levels)]
    found = history(rows)
    assert not found.is_behind and "newest-runs-differ" not in [note.code for note in found.notes]


def test_a_budget_for_weights_that_none_had_is_no_change() -> None:
    rows = stepped(20, 10, 3.0)
    for number, one in enumerate(rows):
        one["options"] = {"inference streams": "1", **({"weight streaming budget": "20%"} if number >= 10 else {})}
    found = history(rows)
    assert {len(series.rows) for series in found.series} == {10}
    (note,) = found.notes
    assert "it is FP16 with weight streaming budget 20% and no longer FP16 with no weight" in note.message
    for one in (*rows[:10], *rows[11:]):
        one["options"] = {"inference streams": "1"}
    assert not history(rows[10:]).is_behind  # one run with a budget, then none any more


def test_another_precision_is_noted_though_a_third_one_runs_on_or_its_option_changed() -> None:
    def notes(rows: list[dict[str, Any]]) -> list[str]:
        return [note.message for note in history(rows).notes if note.code == "newest-runs-differ"]

    parallel = stepped(24, 99)
    for number, one in enumerate(parallel):
        one["precision"] = "INT8" if number % 2 else "FP16" if number < 16 else "FP32"
    (message,) = notes(parallel)
    assert message.startswith("A100 · FP32: ") and "is FP32 and no longer FP16:" in message
    for one in parallel[20:]:
        one["precision"] = "BF16" if one["precision"] == "INT8" else one["precision"]
    assert [message.partition(":")[0] for message in notes(parallel)] == ["A100 · FP32", "A100 · BF16"]
    for one in parallel[:8:2]:
        one["precision"] = "FP32"  # was always there
    assert ["is BF16 and no longer INT8 or FP16:" in message for message in notes(parallel)] == [True]

    lost = stepped(12, 10, 3.0)
    for number, one in enumerate(lost):
        one["options"] = {"Precision": "FP32+FP16" if number < 10 else "FP32"}
        one["precision"] = "FP16" if number < 10 else "FP32"
    assert len(notes(lost)) == 1 and history(lost).is_behind
    lost[0] = {**lost[11], "id": lost[0]["id"], "made_at": lost[0]["made_at"]}
    assert not notes(lost)


def test_runs_without_a_position_are_counted() -> None:
    rows = stepped(10, 99)
    rows[4]["commit"] = None
    found = history(rows, "commit")
    assert sum(len(series.values) for series in found.series) == 9
    assert "no-position" in {note.code for note in found.notes}


def test_mistakes_have_a_hint() -> None:
    rows = stepped(4, 99)
    with pytest.raises(TrexError, match="no runs of 'nett'") as error:
        history_of(Tables(rows), "nett")
    assert "net" in error.value.hint
    with pytest.raises(TrexError, match="no metric 'latenci'") as error:
        history(rows, metrics=("latenci",))
    assert "latency" in error.value.hint
    with pytest.raises(TrexError, match="the label 'branch'"):
        history(rows, "branch")


def test_names_of_many_labels_are_short_and_unique() -> None:
    names = configuration_names([{"gpu": "A100", f"label{number}": "1"} for number in range(500)])
    assert len(set(names)) == 500 and sum(map(len, names)) < 500 * 400
