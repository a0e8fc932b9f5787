"""Runs that a command made for a bisection: of the value that was asked for, or not kept."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.store.small_engines import write_engine
from trex.core.errors import TrexError
from trex.store.bisect_runs import bisect_runs, culprit_causes
from trex.store.run_store import RunStore
from trex.views.bisect import bisect_document, has_other_order, is_answered


@pytest.fixture
def made(tmp_path: Path) -> Callable[..., Path]:
    """``made("10.4.0", 0.5)`` is a folder with an engine of this release and time."""

    def make(tensorrt: str, *layer_ms: float) -> Path:
        folder = write_engine(tmp_path / f"engine-{len(list(tmp_path.glob('engine-*')))}", "net", layer_ms)
        engine = {"name": "net.engine", "tensorrt_version": tensorrt}
        (folder / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [engine]}))
        return folder

    return make


def test_a_shortened_version_is_that_of_its_run(store: RunStore, made: Callable[..., Path]) -> None:
    good, bad = (store.add(made(tensorrt, ms)).id for tensorrt, ms in (("10.1.0", 0.2), ("10.9.0", 0.4)))
    runs = bisect_runs(store, good, bad, "tensorrt", values=("10.1", "10.4", "10.9"))
    assert runs.values == ("10.1.0", "10.4", "10.9.0")
    bisection = runs.bisection()
    assert bisection.next == 1
    runs.add(made("10.4.0.26", 0.4), "10.4")
    bisection = runs.bisection()
    assert bisection.is_found and bisection.culprits == (1,)


def test_a_run_of_another_value_or_configuration_is_not_kept(store: RunStore, made: Callable[..., Path]) -> None:
    good, bad = (store.add(made(tensorrt, ms)).id for tensorrt, ms in (("10.1.0", 0.2), ("10.9.0", 0.4)))
    runs = bisect_runs(store, good, bad, "tensorrt", values=("10.4",))
    other = made("10.4.0", 0.4)
    graph = other / "net.engine.graph.json"
    graph.write_text(graph.read_text().replace("[1, 64, 8, 8]", "[1, 64, 4, 4]"))
    for folder, reason in ((made("10.5.0", 0.4), "tensorrt is 10.5.0, not 10.4"), (other, "not like the good one")):
        with pytest.raises(TrexError, match=reason):
            runs.add(folder, "10.4")
        assert {run.id for run in store.manifests()} == {good, bad} == set(store.frame("runs")["id"])


def test_a_change_of_the_clock_is_no_answer(store: RunStore, made: Callable[..., Path]) -> None:
    """Every layer has the same kernel and takes longer by one factor."""
    layers = [0.2 + 0.01 * number for number in range(8)]
    folders = (made(version, *(factor * ms for ms in layers)) for version, factor in (("10.1.0", 1.0), ("10.9.0", 1.5)))
    good, bad = (store.add(folder).id for folder in folders)
    runs = bisect_runs(store, good, bad, "tensorrt")
    bisection = runs.bisection()
    diff = culprit_causes(runs, bisection)
    assert diff is not None and diff.withheld and not is_answered(bisection, diff)
    (answer, *_) = bisect_document(runs, bisection, diff).sections
    assert answer.data["culprits"] == []


def test_labels_in_another_order_than_their_runs_leave_the_answer_open(
    store: RunStore, made: Callable[..., Path]
) -> None:
    ids = []
    for day, (label, ms) in enumerate((("11/2025", 0.2), ("12/2025", 0.4), ("01/2026", 0.41), ("02/2026", 0.4)), 1):
        folder = made("10.4.0", ms)
        for file in folder.iterdir():
            os.utime(file, (86400.0 * day, 86400.0 * day))
        ids.append(store.add(folder, labels={"month": label}).id)
    runs = bisect_runs(store, ids[0], ids[-1], "month")
    bisection = runs.bisection()
    (answer, *_) = bisect_document(runs, bisection, culprit_causes(runs, bisection)).sections
    assert has_other_order(runs)
    assert any("if the order of the values is right" in words for words in answer.statements)


def test_what_the_runs_say_of_their_machines_is_noted(store: RunStore, made: Callable[..., Path]) -> None:
    ids = []
    for tensorrt, ms, reasons in (("10.1.0", 0.2, []), ("10.9.0", 0.4, ["software-power-cap"])):
        samples = {"time_s": [0.0, 0.1, 0.2], "throttle_reasons": [reasons] * 3}
        monitor = {"schema": "trex.monitor/1", "gpu": {"name": "A100"}, "samples": samples}
        folder = made(tensorrt, ms)
        (folder / "net.engine.monitor.json").write_text(json.dumps(monitor))
        ids.append(store.add(folder).id)
    assert "throttled-runs" in {note.code for note in bisect_runs(store, ids[0], ids[1], "tensorrt").machine_notes}


def test_options_of_the_files_count(store: RunStore, made: Callable[..., Path]) -> None:
    """A run that was built with others is not like the good one."""
    folders = [made(tensorrt, ms) for tensorrt, ms in (("10.1.0", 0.2), ("10.9.0", 0.4), ("10.4.0", 0.4))]
    for folder, level in zip(folders, (3, 3, 0)):
        text = json.dumps({"build_options": {"Builder optimization level": level}})
        (folder / "net.engine.build.metadata.json").write_text(text)
    good, bad = (store.add(folder).id for folder in folders[:2])
    with pytest.raises(TrexError, match="not like the good one"):
        bisect_runs(store, good, bad, "tensorrt", values=("10.4",)).add(folders[2], "10.4")


def test_a_default_of_a_run_is_not_filled_with_what_the_good_one_had(
    store: RunStore, made: Callable[..., Path]
) -> None:
    folders = [made(tensorrt, ms) for tensorrt, ms in (("10.1.0", 0.2), ("10.9.0", 0.4), ("10.4.0", 0.4))]
    for folder, budget in zip(folders, ("20.000000%", "20.000000%", "100.000000%")):
        options = {"Inference Streams": "1", "Weight Streaming Budget": budget}
        (folder / "net.engine.profile.metadata.json").write_text(json.dumps({"inference_options": options}))
    good, bad = (store.add(folder).id for folder in folders[:2])
    with pytest.raises(TrexError, match="not like the good one: weight streaming budget"):
        bisect_runs(store, good, bad, "tensorrt", values=("10.4",)).add(folders[2], "10.4")


LAYERS = tuple(0.1 + 0.013 * number for number in range(6))
SLOWER = tuple(2.0 * ms for ms in LAYERS)


@pytest.mark.parametrize(
    ("metric", "copied", "refused"),
    [
        ("compute", ("timing", "profile"), True),
        ("compute", ("timing",), True),
        ("compute", ("profile",), False),
        ("p99", ("timing",), True),
        ("layer-sum", ("profile",), True),
        ("layer-sum", ("timing",), False),
        ("layers", ("timing", "profile"), False),
    ],
)
@pytest.mark.parametrize("of", [0, 1, 2])
def test_times_of_another_run_are_no_measurement(
    store: RunStore, tmp_path: Path, metric: str, copied: tuple[str, ...], refused: bool, of: int
) -> None:
    """A command that left files of the good, the bad or another run."""
    slower = (*SLOWER, 0.1)
    made = [(0, LAYERS), (9, slower), (5, slower), (4, (LAYERS, slower, slower)[of])]
    folders = [
        write_engine(tmp_path / str(step), "net", tuple(ms * (1.0 + 0.0001 * step) for ms in layers), 40, 8)
        for step, layers in made
    ]
    good, bad = (store.add(folders[number], labels={"step": str(9 * number)}) for number in (0, 1))
    runs = bisect_runs(store, good.id, bad.id, "step", metric, [str(step) for step in range(10)])
    known = [good, bad, runs.add(folders[2], "5")]
    for name in copied:
        file = f"net.engine.{name}.json"
        (folders[3] / file).write_bytes((folders[of] / file).read_bytes())
    if refused:
        with pytest.raises(TrexError, match=f"has the times of {known[of].short_id} .step {(0, 9, 5)[of]}."):
            runs.add(folders[3], "4")
    else:
        runs.add(folders[3], "4")
    assert sorted(runs.bisection().measured) == ([0, 5, 9] if refused else [0, 4, 5, 9])
    assert len(list(store.manifests())) == (3 if refused else 4)


@pytest.mark.parametrize(("distinct", "count"), [(8, 1), (4, 3)])
def test_runs_of_the_store_with_equal_times_count_once(
    store: RunStore, tmp_path: Path, distinct: int, count: int
) -> None:
    """Few different times prove nothing."""
    ends = []
    for step, layers in ((0, LAYERS), (9, SLOWER)):
        folder = write_engine(tmp_path / str(step), "net", layers, 40, distinct)
        ends.append(store.add(folder, labels={"step": str(step)}).id)
    folder = write_engine(tmp_path / "5", "net", tuple(2.0001 * ms for ms in LAYERS), 40, distinct)
    for step in (5, 4, 3):
        store.add(folder, labels={"step": str(step)})
    runs = bisect_runs(store, ends[0], ends[1], "step", values=[str(step) for step in range(10)])
    assert len(runs.bisection().measured) == 2 + count
    notes = [note.message for note in runs.machine_notes if note.code == "times-of-other-run"]
    assert len(notes) == (distinct == 8) and all("2 runs do not count" in message for message in notes)
