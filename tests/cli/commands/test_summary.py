"""The command ``trex summary``."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from tests.simulated_examples import SIMULATED, load_simulated

EXAMPLE = str(SIMULATED / "resnet18-int8")


def test_facts_tables_and_the_statement_of_simulated_data(trex):
    out = trex("summary", EXAMPLE).out
    assert "\nsimulated: " in out
    assert all(words in out for words in ("GPU compute ", "Where time goes", "Slowest layers", "Top findings"))
    details = ("Sum of layer times", "Layers by precision")
    assert not any(words in out for words in details)
    verbose = trex("summary", EXAMPLE, "-v").out
    assert all(words in verbose for words in details)


def tables(said):
    sections = json.loads(said.out)["sections"].values()
    return {key: table for section in sections for key, table in section.get("tables", {}).items()}


def test_top_findings_are_those_of_lint(trex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    findings = tables(trex("summary", EXAMPLE, "--json"))["top_findings"]
    assert [row["code"] for row in findings["rows"]] == ["QDQ008", "QDQ001", "REF003"] and findings["left_out"]
    (tmp_path / "trex.toml").write_text('[lint]\nignore = ["QDQ*"]\n', "utf-8")
    assert "QDQ" not in trex("summary", EXAMPLE).out


def test_the_number_of_slowest_layers(trex):
    def listed(top):
        return tables(trex("summary", EXAMPLE, "--top", top, "--json")).get("slowest_layers", {"rows": ()})

    assert [len(listed(n)["rows"]) for n in (0, 3, 1000)] == [0, 3, 35]


def test_json_numbers_are_numbers(trex):
    said = trex("summary", EXAMPLE, "--json")
    facts = json.loads(said.out)["sections"]["details"]["facts"]
    assert facts["layers"] == 35
    assert isinstance(facts["sum_of_layer_times"], float)
    assert isinstance(facts["weights"]["bytes"], int)
    row = tables(said)["slowest_layers"]["rows"][0]
    assert set(row) == {"index", "layer", "type", "precision", "time_ms", "time_pct"}
    assert isinstance(row["time_ms"], float) and isinstance(row["index"], int)


def test_tactics_are_summed_and_sorted(trex):
    def tactics(*options):
        return tables(trex("summary", EXAMPLE, "--json", *options))["tactics"]["rows"]

    by_count = tactics("-gt")
    assert [row["layers"] for row in by_count] == sorted((row["layers"] for row in by_count), reverse=True)
    by_time = tactics("--group_tactics", "-sk", "latency")
    assert [row["time_ms"] for row in by_time] == sorted((row["time_ms"] for row in by_time), reverse=True)
    assert sum(row["time_pct"] for row in by_time) == pytest.approx(100)
    assert sum(row["layers"] for row in by_time) == 35


def test_a_sort_key_alone_lists_layers(trex):
    rows = tables(trex("summary", EXAMPLE, "--json", "--sort_key", "id"))["tactics_by_layer"]["rows"]
    assert [row["index"] for row in rows] == sorted(row["index"] for row in rows)
    assert len(rows) == 35


def test_the_picture_beside_the_facts(trex, tmp_path):
    file = tmp_path / "net.svg"
    said = trex("summary", EXAMPLE, "--svg", file)
    assert said.code == 0
    assert "Slowest layers" in said.out and said.err == f"picture: {file}\n"
    assert ElementTree.parse(file).getroot().tag.endswith("svg")


def test_json_stays_json_beside_a_picture(trex, tmp_path):
    said = trex("summary", EXAMPLE, "--json", "--svg", tmp_path / "net.svg")
    assert json.loads(said.out)["schema"] == "trex.summary/1"
    assert (tmp_path / "net.svg").exists()


@pytest.mark.parametrize("name", ["net.txt", "net.json"])
def test_into_a_file(trex, tmp_path, name):
    file = tmp_path / name
    said = trex("summary", EXAMPLE, "-o", file)
    assert (said.code, said.out) == (0, f"{file}\n")
    text = file.read_text(encoding="utf-8")
    assert json.loads(text)["sections"] if name.endswith("json") else "Layers by precision" in text


def test_another_layer_profile(trex, tmp_path):

    times = load_simulated("resnet18-int8").layer_times
    profile = times.source if times else ""
    one = json.loads(trex("summary", EXAMPLE, "--json", "-pj", profile).out)
    two = json.loads(trex("summary", EXAMPLE, "--json", "--profiling_json", profile).out)
    assert one == two == json.loads(trex("summary", EXAMPLE, "--json").out)


def test_an_unknown_profile_is_the_users_to_mend(trex):
    said = trex("summary", EXAMPLE, "--profile-id", 3)
    assert said.code == 2
    assert "profiles with layers: 0" in said.err


def test_an_engine_that_was_not_measured_says_how_to(trex, tmp_path):
    graph = tmp_path / "net.graph.json"
    graph.write_text(
        '{"Layers": [{"Name": "c", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": []}'
    )
    out = trex("summary", graph).out
    assert "trex doctor PATH prints the command" in out
    assert "average" not in out
