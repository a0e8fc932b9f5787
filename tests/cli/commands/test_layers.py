"""The command ``trex layers``."""

from __future__ import annotations

import csv
import io
import json

import pytest

from tests.simulated_examples import SIMULATED, load_simulated

EXAMPLE = str(SIMULATED / "resnet18-int8")


@pytest.fixture(scope="module")
def frame():
    return load_simulated("resnet18-int8").df


def rows(trex, *options):
    return table(trex("layers", EXAMPLE, "--json", *options).out)


def table(text):
    return json.loads(text)["sections"]["layers"]["tables"]["layers"]["rows"]


def test_the_slowest(trex, frame):
    found = [row["latency.avg_time"] for row in rows(trex, "--top", 3)]
    assert found == sorted(frame["latency.avg_time"], reverse=True)[:3]


def test_queries_over_names_with_dots(trex, frame):
    found = rows(trex, "--query", "latency.pct_time > 5 and type == 'Convolution'")
    assert [row["Name"] for row in found] == list(
        frame[(frame["latency.pct_time"] > 5) & (frame["type"] == "Convolution")]["Name"]
    )


def test_attributes_without_naming_a_type(trex):
    found = rows(trex, "-c", "Name,attr.kernel,attr.macs", "-q", "attr.macs > 0 and attr.groups == 1")
    assert len(found) == 21
    assert found[0]["attr.kernel"] == [7, 7]
    assert isinstance(found[0]["attr.macs"], int | float)


def test_attributes_of_a_type(trex):
    found = rows(trex, "--type", "Convolution", "--sort", "attr.macs")
    assert len(found) == 21
    macs = [row["attr.macs"] for row in found]
    assert macs == sorted(macs, reverse=True)
    assert "type" not in found[0] and "attr.kernel" in found[0]


def test_a_type_this_engine_has_not(trex):
    said = trex("layers", EXAMPLE, "--type", "Shuffle")
    assert said.code == 0
    assert "(none)\n" in said.out
    said = trex("layers", EXAMPLE, "--type", "Convolutoin")
    assert said.code == 2
    assert "did you mean Convolution" in said.err


def test_a_misspelled_column(trex):
    said = trex("layers", EXAMPLE, "--columns", "Name,latency.avgtime")
    assert (said.code, said.out) == (2, "")
    assert "did you mean latency.avg_time" in said.err


def test_a_query_that_makes_no_sense(trex):
    said = trex("layers", EXAMPLE, "--query", "latency.avg_time >")
    assert said.code == 2
    assert "for example: --query" in said.err
    assert "Traceback" not in said.err


def test_json_numbers_are_numbers_and_unknown_is_null(trex):
    found = rows(trex, "--all-columns")
    assert all(isinstance(row["latency.avg_time"], float) for row in found)
    assert all(isinstance(row["layer.index"], int) for row in found)
    assert {type(row["Inputs"]) for row in found} == {list}
    assert {row["Kernel"] is None for row in found if row["type"] != "Convolution"} == {True}


def test_csv_is_read_back(trex, frame):
    said = trex("layers", EXAMPLE, "--format", "csv", "--all-columns")
    found = list(csv.DictReader(io.StringIO(said.out)))
    assert [row["Name"] for row in found] == list(frame["Name"])
    assert [float(row["latency.avg_time"]) for row in found] == list(frame["latency.avg_time"])


def test_parquet_is_read_back(trex, frame, tmp_path):
    pytest.importorskip("pyarrow")
    import pandas as pd

    file = tmp_path / "layers.parquet"
    said = trex("layers", EXAMPLE, "--all-columns", "-o", file)
    assert (said.code, said.out) == (0, f"{file}\n")
    back = pd.read_parquet(file)
    assert list(back.columns) == [*frame.columns, "provenance"]  # the example is simulated
    assert list(back["Name"]) == list(frame["Name"])
    assert list(back["latency.avg_time"]) == list(frame["latency.avg_time"])
    assert [json.loads(text) for text in back["Inputs"]] == list(frame["Inputs"])


def test_binary_data_stays_away_from_terminals(trex, terminal, monkeypatch):
    stream = terminal()
    said = trex("layers", EXAMPLE, "--format", "parquet")
    assert said.code == 2
    assert stream.written == ""
    assert "--output FILE" in said.err


@pytest.mark.parametrize("name", ["x.csv", "x.json", "x.md", "x.txt"])
def test_the_ending_chooses_the_format(trex, tmp_path, name):
    file = tmp_path / name
    assert trex("layers", EXAMPLE, "-o", file).code == 0
    assert "QuantizeLinear" in file.read_text(encoding="utf-8")


def test_a_format_may_be_named_against_the_ending(trex, tmp_path):
    file = tmp_path / "x.data"
    assert trex("layers", EXAMPLE, "-o", file, "--format", "json").code == 0
    assert len(table(file.read_text(encoding="utf-8"))) == 35
    assert trex("layers", EXAMPLE, "-o", file).code == 2


def test_markdown(trex):
    out = trex("layers", EXAMPLE, "--top", 2, "--columns", "Name,type", "--format", "markdown").out
    assert "\n| Name | type |\n| --- | --- |\n" in out and "**simulated: " in out


def test_the_table_fits_the_terminal(trex, terminal):
    stream = terminal(100)
    assert trex("layers", EXAMPLE).code == 0
    assert "latency." in stream.written
    import re

    lines = re.sub(r"\x1b\[[0-9;]*m", "", stream.written).splitlines()
    assert max(map(len, lines)) <= 100
    assert len(lines) <= 2 * 35 + 7
    assert sum(line.startswith("        tactic ") for line in lines) == 35


def test_a_pipe_gets_whole_names_and_units(trex, frame):
    out = trex("layers", EXAMPLE).out
    assert all(name in out for name in frame["Name"] if len(name) < 200)
    assert "latency.avg_time (ms)" in out and "latency.pct_time (%)" in out


def test_the_slowest_of_what_was_not_measured(trex, tmp_path):
    graph = tmp_path / "net.graph.json"
    graph.write_text(
        '{"Layers": [{"Name": "c", "LayerType": "Reformat", "Inputs": [], "Outputs": []}], "Bindings": []}'
    )
    said = trex("layers", graph, "--top", 3)
    assert said.code == 2
    assert "--sort" in said.err and "trex doctor" in said.err
    assert trex("layers", graph, "--top", 3, "--sort", "weights_size").code == 0
