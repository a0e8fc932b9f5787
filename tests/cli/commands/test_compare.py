"""The command ``trex compare``."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.compare.profiled import NETWORKS, written
from tests.simulated_examples import SIMULATED

BASE, NEW = str(SIMULATED / "resnet18-int8"), str(SIMULATED / "resnet18-int8-residual")


def test_it_tells_verdict_causes_and_layers(trex):
    said = trex("compare", BASE, NEW)
    assert said.code == 0
    for words in ("New is predicted 1.85× faster", "reformats added or removed", "Largest changes"):
        assert words in said.out


@pytest.mark.parametrize(
    "ending, start",
    [
        ("json", '{\n "schema": "trex.compare/1"'),
        ("md", "# resnet18"),
        ("txt", "resnet18-int8 →"),
        ("junit.xml", "<?xml"),
        ("annotations", "::notice title=trex compare"),
    ],
)
def test_the_ending_chooses_the_format(trex, tmp_path, ending, start):
    file = tmp_path / f"x.{ending}"
    said = trex("compare", BASE, NEW, "-o", file)
    assert (said.code, said.out) == (0, f"{file}\n")
    assert file.read_text(encoding="utf-8").startswith(start)


def test_an_ending_that_no_format_has(trex, tmp_path):
    said = trex("compare", BASE, NEW, "-o", tmp_path / "x.docx")
    assert said.code == 2 and "known" not in said.out and ".md" in said.err


def test_a_format_is_named_for_the_terminal(trex):
    said = trex("compare", NEW, BASE, "--format", "github", "--fail-on", "latency>+3%")
    assert said.code == 1 and "::error title=failed%3A latency>+3%25::" in said.out


def test_json_is_plain(trex):
    said = trex("compare", BASE, NEW, "--json", "--explain", "--fail-on", "latency>+3%")
    data = json.loads(said.out, parse_constant=lambda word: pytest.fail(word))
    assert data["sections"]["gate"]["data"]["gate"][0]["result"] == "passed"


def test_what_is_predicted_slower_fails_and_says_so(trex):
    assert trex("compare", BASE, NEW, "--fail-on", "latency>+3%").code == 0
    said = trex("compare", NEW, BASE, "--fail-on", "latency>+3%", "layer:no such layer>+1%")
    assert said.code == 1
    assert "failed" in said.out and "inconclusive" in said.out
    assert "predicted, not measured" in " ".join(said.out.split()) and "significant:" not in said.out


def test_what_is_slower_and_real_fails(trex, engines):
    said = trex("compare", engines["resnet18-int8-residual"], engines["resnet18-int8"], "--fail-on", "latency>+3%")
    assert said.code == 1 and "above the threshold and significant" in " ".join(said.out.split())


def test_a_prediction_beside_other_times_is_judged_only_beyond_its_error_bars(trex, engines):
    pair = (engines["resnet18-int8"], BASE)
    far = trex("compare", *pair, "--fail-on", "compute>+900%")
    assert far.code == 0 and "Base is synthetic, new is predicted" in far.out
    change = json.loads(trex("compare", *pair, "--json").out)["sections"]["verdict"]["data"]["computeMs"]["change_pct"]
    near = trex("compare", *pair, "--fail-on", f"compute>{max(change, 0.0) + 1.0:.0f}%")
    assert near.code == 3 and "can't tell whether it is above the threshold" in " ".join(near.out.split())
    refused = trex("compare", *pair, "--strict")
    assert refused.code == 2 and "origin of times: synthetic data vs. simulated" in refused.err


def test_what_nobody_can_tell_is_no_pass(trex):
    said = trex("compare", BASE, NEW, "--fail-on", "layer:no such layer>+1%")
    assert said.code == 3 and "inconclusive" in said.out


def test_a_condition_that_cannot_be_read(trex):
    said = trex("compare", BASE, NEW, "--fail-on", "latency")
    assert said.code == 2 and "not a gate condition" in said.err and said.out == ""


def test_a_configured_metric_that_is_unknown_has_an_address(trex, tmp_path):
    file = tmp_path / "trex.toml"
    file.write_text('[compare.limits]\nlatencey = "+3%"\n', encoding="utf-8")
    said = trex("compare", BASE, NEW, "--config", file)
    assert said.code == 2 and f"{file}:2: there is no metric 'latencey'" in said.err and said.out == ""


def test_unlike_runs_are_named_and_refused_when_strict(trex):
    assert trex("compare", BASE, NEW, "--strict").code == 0
    unlike = ("compare", str(SIMULATED / "resnet18-fp16"), str(SIMULATED / "transformer-fp16"))
    said = trex(*unlike)
    assert said.code == 2 and "Settings differ: input shapes" in said.out
    said = trex(*unlike, "--strict")
    assert said.code == 2 and "input shapes" in said.err and said.out == ""


@pytest.fixture(scope="module")
def engines(tmp_path_factory) -> dict[str, str]:
    """{name: path} of networks that were not measured, but made for tests."""
    folder = tmp_path_factory.mktemp("engines")
    return {name: str(written(name, folder)) for name in NETWORKS}


@pytest.fixture(scope="module")
def three(engines) -> list[str]:
    return [engines[name] for name in ("resnet18-fp16", "resnet18-int8", "resnet18-int8-residual")]


def test_several_engines_are_told_side_by_side(trex, three):
    said = trex("compare", *three)
    assert said.code == 0
    for words in (
        "A series over precision: FP16, INT8, INT8",
        "Against the base",
        "Also: operations",
    ):
        assert words in said.out


def test_the_gate_is_that_of_every_engine(trex, engines):
    names = ("resnet18-int8", "resnet18-int8-residual", "resnet18-fp16")
    said = trex("compare", *(engines[name] for name in names), "--fail-on", "latency>+3%")
    assert said.code == 1
    assert "resnet18-fp16: latency" in said.out and "resnet18-int8-residual: latency" in said.out


def test_strict_refuses_any_engine_that_is_unlike(trex, engines, three):
    said = trex("compare", *three[:2], engines["transformer-fp16"], "--strict")
    assert said.code == 2 and "transformer-fp16: run settings differ" in said.err and said.out == ""


def test_strict_takes_what_a_series_is_over(trex, engines):
    one, eight, many = (engines[f"resnet18-b{batch}"] for batch in (1, 8, 32))
    said = trex("compare", one, eight, many, "--strict")
    assert said.code == 0
    assert "except for the batch size that the series varies" in said.out
    assert "Per item faster" in said.out
    assert trex("compare", one, eight, "--strict").code == 2


def test_json_of_several(trex, three):
    data = json.loads(trex("compare", *three, "--json", "--fail-on", "latency>+3%").out)
    engines = ["resnet18-int8", "resnet18-int8-residual"]
    assert data["title"] == f"resnet18-fp16 → {', '.join(engines)}"
    assert [result["engine"] for result in data["sections"]["gate"]["data"]["gate"]] == engines
    (tables,) = (part["tables"] for name, part in data["sections"].items() if name == "matched-layers")
    assert len(tables) == 2 and all(table["rows"] for table in tables.values())


def test_markdown_of_several(trex, tmp_path, three):
    file = tmp_path / "x.md"
    assert trex("compare", *three, "-o", file).code == 0
    text = file.read_text(encoding="utf-8")
    assert "A series over precision" in text and text.count("## Why") == 1


def test_the_best_of_each_operation_is_written_for_tools(trex, tmp_path, three):
    file = tmp_path / "operations.json"
    said = trex("compare", *three[:2], "--json", "--best-of-each", file)
    assert said.code == 0 and str(file) in said.err
    json.loads(said.out)
    data = json.loads(file.read_text(encoding="utf-8"))
    assert data["schema"] == "trex.best-of-each/1" and data["include"] and data["exclude"]


def test_what_cannot_be_mixed_is_told(trex, tmp_path, engines):
    file = tmp_path / "x.json"
    said = trex("compare", engines["resnet18-fp16"], engines["transformer-fp16"], "--best-of-each", file)
    assert said.code == 2 and "can't combine engines" in said.err and not file.exists()


def test_one_engine_three_times(trex, three):
    said = trex("compare", *three[:1] * 3)
    assert said.code == 0 and "with the same batch, precision" in said.out


@pytest.fixture(scope="module")
def runs(tmp_path_factory) -> dict[str, list[str]]:
    """{engine: three runs of it}, each in a folder of its own below one of the engine's name; ``next`` takes 6 % longer
    than ``base``, whose runs differ by 1 %.
    """
    folder = tmp_path_factory.mktemp("runs")
    document = json.loads(written("resnet18-fp16", folder).with_suffix("").with_suffix(".timing.json").read_text())
    graph = (folder / "resnet18-fp16.graph.json").read_bytes()
    paths: dict[str, list[str]] = {}
    for name, factors in (("base", (1.0, 1.01, 0.99)), ("next", (1.06, 1.07, 1.05))):
        for number, factor in enumerate(factors, 1):
            run = folder / name / f"run{number}"
            run.mkdir(parents=True)
            (run / "m.graph.json").write_bytes(graph)
            rows = [
                {key: value * factor if key.endswith("Ms") else value for key, value in row.items()} for row in document
            ]
            (run / "m.timing.json").write_text(json.dumps(rows))
            paths.setdefault(name, []).append(str(run))
    return paths


def test_several_runs_per_side(trex, runs):
    said = trex("compare", *runs["base"], "--vs", *runs["next"], "--fail-on", "compute>+3%")
    assert said.code == 1
    words = " ".join(said.out.split())
    assert "New is 1.06× slower over 3 and 3 runs, which differ by" in words
    assert "those of each engine's median run" in words and "significant over 3 and 3 runs" in said.err
    same = trex("compare", runs["base"][0], "--vs", *runs["base"][1:], "--fail-on", "compute>+30%")
    assert same.code == 0 and "No significant difference over 1 and 2 runs" in " ".join(same.out.split())


def test_a_folder_of_repetitions_is_several_runs(trex, runs):
    folders = [str(Path(runs[name][0]).parent) for name in ("base", "next")]
    data = json.loads(trex("compare", *folders, "--json").out)
    assert data["sections"]["verdict"]["data"]["runs"] == [3, 3]
    one = json.loads(trex("compare", runs["base"][0], runs["next"][0], "--json").out)
    assert one["sections"]["verdict"]["data"]["runs"] == [1, 1]


def test_a_folder_of_different_engines_is_no_repetition(trex, tmp_path):
    for name in ("resnet18-fp16", "transformer-fp16"):
        written(name, tmp_path)
    said = trex("compare", tmp_path, BASE)
    assert said.code == 2 and "2 engines here; choose one" in said.err


def test_without_a_new_engine(trex):
    said = trex("compare", BASE)
    assert said.code == 2 and "trex compare BASE … --vs NEW …" in said.err


def test_different_models_have_no_causes(trex):
    pair = str(SIMULATED / "resnet18-fp16"), str(SIMULATED / "transformer-fp16")
    said = trex("compare", *pair, "--fail-on", "latency>+500%")
    assert said.code == 2 and "different models" in said.err
    lines = said.out.splitlines()
    assert lines[2] == "Different models: only 0 % of the layers match." and "Why" not in lines
    said = trex("compare", *pair, "--json")
    assert said.code == 2 and said.err == "trex compare: Different models: only 0 % of the layers match.\n"


@pytest.mark.parametrize("output", [(), ("-o", "x.md"), ("-o", "x.html"), ("--json",), ("-f", "github")])
def test_a_gate_that_does_not_pass_says_so_on_standard_error(trex, tmp_path, monkeypatch, output):
    monkeypatch.chdir(tmp_path)
    failed = trex("compare", NEW, BASE, "--fail-on", "latency>+3%", *output)
    assert failed.code == 1 and failed.err.count("\n") == 1
    assert failed.err.startswith("trex compare: gate failed (1 failed, 0 inconclusive): latency ")
    unknown = trex("compare", BASE, NEW, "--fail-on", "engine-size>+3%", *output)
    assert unknown.code == 3 and unknown.err.startswith("trex compare: gate inconclusive (0 failed, 1 inconclusive): ")
    assert trex("compare", BASE, NEW, "--fail-on", "latency>+3%", *output).err == ""


def test_the_help_names_every_exit_code(trex):
    said = trex("compare", "--help")
    assert "0 done, gate passed · 1 gate failed · 2 usage or input error · 3 gate inconclusive" in " ".join(
        said.out.split()
    )
    listed = trex("compare", BASE, NEW, "--fail-on", "help")
    assert listed.code == 2 and "p99, throughput" in listed.err


def test_a_slow_machine_is_the_first_line(trex, shared_engines):
    pair = shared_engines / "trt8.6-controlnet-a10", shared_engines / "trt8.6-controlnet-slow-run"
    said = trex("compare", *pair, "--fail-on", "layer-sum>+3%")
    assert said.code == 3
    assert said.out.splitlines()[1].startswith(
        "The machines or their clocks differ: 14 unchanged kernels take 1.80× as long"
    )
    assert "precision changed" not in said.out and "FP16" not in said.out
    assert trex("compare", *pair, "--strict").code == 2
