"""The tables hold what the commands print of the same engine."""

from __future__ import annotations

import json
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests.store.small_engines import write_engine
from trex.plan.engine_plan import EnginePlan
from trex.plan.folding import working_layers
from trex.plan.loading import example_addresses, load_plan
from trex.plan.time_notes import SHARES_CONTRADICT
from trex.rules.finding import Severity
from trex.rules.plan_lint import PlanLint
from trex.store.adding import AddOptions, add_addresses
from trex.store.compaction import compact
from trex.store.readings import RunReading
from trex.store.run_store import RunStore
from trex.views.summary import summary_document


def summary_of(address: str) -> dict[str, Any]:
    """The facts and tables of ``trex summary --json``."""
    from trex.export.document import RenderStyle, render_document

    plan = load_plan(EnginePlan, address)
    document = summary_document(plan, lint=PlanLint(plan).result)
    sections = json.loads(render_document(document, "json", RenderStyle()))["sections"]
    types = {row["type"]: row for row in sections["types"]["tables"]["types"]["rows"]} if "types" in sections else {}
    return {
        **sections["details"]["facts"],
        "types": types,
        "findings": len(PlanLint(plan).result.findings) if plan.is_profiled else None,
    }


def check_equal(store: RunStore, addresses: dict[str, str]) -> None:
    """addresses: {run: engine}."""
    for run_id, address in addresses.items():
        expected, run = summary_of(address), store.run(run_id)
        ms = expected.get("sum_of_layer_times")
        layers_ms = None if ms is None else pytest.approx(ms, rel=1e-9)
        assert run.layer_sum_ms == layers_ms, address
        assert run.gpu_compute_ms == expected.get("gpu_compute_time"), address
        assert run.throughput_qps == expected.get("throughput"), address
        assert run.latency_ms == expected.get("latency", run.latency_ms), address  # shown where transfers add to it
        assert run.findings == expected["findings"], address
        # a summary also counts layers without work that the profile times, which come and go with it
        assert run.layers == len(working_layers(load_plan(EnginePlan, address).engine)) <= expected["layers"], address
        weights = expected["weights"]
        is_known = isinstance(weights, dict) and weights.get("unknown") == 0
        assert run.weights_bytes == (weights["bytes"] if is_known else None), address
        rows = store.queries.rows(
            "SELECT type, count(*), sum(time_ms), sum(share_pct) FROM layers WHERE id = ? GROUP BY type", [run_id]
        )
        types = {kind: (count, ms, pct) for kind, count, ms, pct in rows}
        assert types.keys() >= expected["types"].keys(), address  # the summary counts small types together
        for kind, row in expected["types"].items():
            count, ms, pct = types[kind]
            assert (count, ms) == (row["layers"], row["time_ms"] and pytest.approx(row["time_ms"])), (address, kind)
            assert pct == (row["time_pct"] and pytest.approx(row["time_pct"]))
        ((total, known),) = store.queries.rows("SELECT sum(time_ms), count(time_ms) FROM layers WHERE id = ?", [run_id])
        assert total == layers_ms and known == (run.timed_layers or 0)
        ((tactics,),) = store.queries.rows("SELECT sum(layers) FROM tactics WHERE id = ?", [run_id])
        ((named,),) = store.queries.rows("SELECT count(tactic) FROM layers WHERE id = ?", [run_id])
        assert (tactics or 0) == named


def test_bundled_examples(store: RunStore) -> None:
    examples = example_addresses()[:2]
    added = add_addresses(store, examples, AddOptions()).added
    check_equal(store, {run.id: address for run, address in zip(added, examples, strict=True)})


def test_sums_over_layers_that_a_cut_graph_lost_are_unknown(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "cut", layer_ms=(0.5, 0.25, 0.125))
    graph = folder / "net.engine.graph.json"
    graph.write_text(graph.read_text()[: -graph.stat().st_size // 5])
    (run,) = add_addresses(store, (str(folder),), AddOptions()).added
    assert (run.layer_sum_ms, run.layers, run.weights_bytes, run.activation_peak_bytes) == (None,) * 4
    assert (run.findings, run.savings_ms, run.likely_savings_ms) == (None,) * 3
    assert run.gpu_compute_ms and run.problems == 1


def test_shares_of_a_sum_that_a_cut_profile_leaves_unknown_are_unknown(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "cut", layer_ms=(0.5, 0.25, 0.125))
    profile = folder / "net.engine.profile.json"
    profile.write_text(json.dumps(json.loads(profile.read_text())[:-1]))
    (run,) = add_addresses(store, (str(folder),), AddOptions()).added
    assert (run.timed_layers, run.layer_sum_ms) == (2, None)
    assert (run.findings, run.savings_ms, run.likely_savings_ms) == (None,) * 3
    for table in ("layers", "tactics"):
        frame = store.frame(table)
        assert frame["time_ms"].notna().any() and frame["share_pct"].isna().all()


def test_layer_times_that_their_own_shares_contradict_are_in_no_table(tmp_path: Path) -> None:
    folder = write_engine(tmp_path, layer_ms=(0.5, 0.0))
    profile = folder / "net.engine.profile.json"
    records = json.loads(profile.read_text())
    for record, percentage in zip(records[1:], (80.0, 20.0), strict=True):
        record["percentage"] = percentage
    profile.write_text(json.dumps(records))
    reading = RunReading(load_plan(EnginePlan, str(folder)))
    (problem,) = reading.performance.wrong_layer_times
    assert problem.code == SHARES_CONTRADICT
    facts, rows = reading.facts(), reading.rows("1")
    assert facts["gpu_compute_ms"] and facts["layer_sum_ms"] is None and facts["layers"] == 2
    assert {row[11:15] for row in rows["layers"]} == {(None,) * 4}
    assert [row[3:6] for row in rows["tactics"]] == [(2, None, None)]


def test_no_table_has_a_time_that_no_gate_believes(store: RunStore, tmp_path: Path) -> None:
    folder = write_engine(tmp_path / "seconds", layer_ms=(0.5, 0.25))
    timing = folder / "net.engine.timing.json"
    queries = [{key: 1000.0 * ms for key, ms in query.items()} for query in json.loads(timing.read_text())]
    timing.write_text(json.dumps(queries))
    (run,) = add_addresses(store, (str(folder),), AddOptions()).added
    assert (run.main_ms, run.savings_ms, run.likely_savings_ms, run.problems) == (None, None, None, 1)
    for table in ("layers", "tactics", "samples", "findings"):
        frame = store.frame(table)
        known = [name for name in frame if name.endswith(("_ms", "_pct")) and frame[name].notna().any()]
        assert not known, (table, known)


def test_an_enqueue_time_that_the_files_contradict_is_in_no_table(tmp_path: Path) -> None:
    folder = write_engine(tmp_path)
    sound = RunReading(load_plan(EnginePlan, str(folder)))
    summary = {"Enqueue Time": [1.0, 2.0, 1.5, 1.5, 1.6, 1.7, 1.8]}
    metadata = {"performance_summary": summary, "inference_options": {"Duration": "3s (+ 0ms warm up)"}}
    (folder / "net.engine.profile.metadata.json").write_text(json.dumps(metadata))
    contradicted = RunReading(load_plan(EnginePlan, str(folder)))
    for reading, is_known in ((sound, True), (contradicted, False)):
        assert (reading.facts()["enqueue_ms"] is not None, reading._samples()[0][3] is not None) == (is_known,) * 2
        assert reading.facts()["gpu_compute_ms"] and reading._samples()[0][1]


@pytest.mark.parametrize(
    ("options", "known"),
    [
        ({}, {}),
        ({"Data transfers": "Enabled", "CUDA Graph": "Disabled"}, {"CUDA graph": "off"}),
        ({"Optimization Profile Index": "0", "Weight Streaming Budget": "100.000000%"}, {}),
        (
            {"Optimization Profile Index": "1", "Weight Streaming Budget": "20.000000%"},
            {"optimization profile": "1", "weight streaming budget": "20.000000%"},
        ),
    ],
)
def test_options_of_a_run_are_those_that_make_its_times_another_quantity(
    tmp_path: Path, options: dict[str, str], known: dict[str, str]
) -> None:
    folder = write_engine(tmp_path)
    (folder / "net.engine.profile.metadata.json").write_text(json.dumps({"inference_options": options}))
    known = {"data transfers": "off", **known}  # by the times
    assert RunReading(load_plan(EnginePlan, str(folder))).facts()["options"] == known


def test_no_finding_of_a_doubted_run_has_a_time_in_its_sentence(tmp_path: Path) -> None:
    """A query's result has no Notes."""
    folder = write_engine(tmp_path)
    engine = {"name": "net.engine", "stages": [{"name": "profile", "exit_code": 1}]}
    (folder / "manifest.json").write_text(json.dumps({"schema": "trex.manifest/1", "engines": [engine]}))
    reading = RunReading(load_plan(EnginePlan, str(folder)))
    kept = {"savings_ms": None, "likely_savings_ms": None, "share_pct": None, "about_ms": 0.0}
    words = {name: name for name in ("code", "rule", "title", "message")}
    facts = {**words, "severity": Severity.ERROR, "confidence": 1.0, "layers": (), "layer_names": (), **kept}
    timed = [SimpleNamespace(**{**facts, name: 0.1}) for name in kept]
    reading.__dict__["lint"] = SimpleNamespace(findings=(*timed, SimpleNamespace(**facts)))
    assert [row[5] for row in reading._findings()] == ["message"]


def test_real_engines(shared_engines: Path, tmp_path: Path) -> None:
    """Every engine that others made, also after compaction."""
    folders = sorted(str(path) for path in shared_engines.iterdir() if path.is_dir())
    store = RunStore.open(tmp_path / "store", create=True)
    result = add_addresses(store, tuple(folders), AddOptions())
    assert not result.failed and len(result.added) == len(folders)
    compact(store)
    check_equal(store, {run.id: folder for run, folder in zip(result.added, folders, strict=True)})
