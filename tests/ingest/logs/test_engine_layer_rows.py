"""Rows of ``Engine Layer Information:`` in the spellings of 8.0 to 10.x."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trex.ingest.logs.engine_layer_rows import parse_layer_row, tactic_text


def tensor(name: str, dims: list[int], word: str, **extra: int) -> dict[str, object]:
    return {"Name": name, "Dimensions": dims, "Format/Datatype": word, **extra}


def test_8_4_row() -> None:
    assert parse_layer_row(
        "Layer(CaskConvolution): c1 + r1, Tactic: 0x80f932c0b8ce5940, x[Half(-2,32,14,14)] -> y[Half(-2,64,14,14)]"
    ) == {
        "Name": "c1 + r1",
        "LayerType": "CaskConvolution",
        "TacticValue": "0x80f932c0b8ce5940",
        "Inputs": [tensor("x", [-2, 32, 14, 14], "Half")],
        "Outputs": [tensor("y", [-2, 64, 14, 14], "Half")],
    }


def test_10_x_row_with_vectorized_channels() -> None:
    row = parse_layer_row("Layer(NoOp): n, Tactic: 0x0000000000000000, x (Half[-1,3:8,14,14]) -> y (Int8[1,32:32,7])")
    assert row
    assert row["Inputs"] == [tensor("x", [-1, 3, 14, 14], "Half", VectorWidth=8, VectorAxis=1)]
    assert row["Outputs"] == [tensor("y", [1, 32, 7], "Int8", VectorWidth=32, VectorAxis=1)]


def test_decimal_tactics_of_8_2_are_taken_modulo_2_to_the_64() -> None:
    row = parse_layer_row("Layer(CaskConvolution): c, Tactic: -8262546392201226600, x[Float(1)] -> y[Float(1)]")
    assert row
    assert int(row["TacticValue"], 16) == 2**64 - 8262546392201226600
    assert tactic_text("-1") == "0xffffffffffffffff"
    assert tactic_text("1002") == "0x00000000000003ea"


def test_layer_without_inputs() -> None:
    row = parse_layer_row("Layer(Constant): k, Tactic: 0x0000000000000000,  -> (Unnamed Layer* 10) [S]_out (Half[1,8])")
    assert row
    assert row["Inputs"] == []
    assert row["Outputs"] == [tensor("(Unnamed Layer* 10) [S]_out", [1, 8], "Half")]


@pytest.mark.parametrize("end", ["", " ->", " -> "])
def test_layer_without_outputs(end: str) -> None:
    row = parse_layer_row(f"Layer(Signal): s, Tactic: 0x0000000000000000, x (Bool[]){end}")
    assert row
    assert (row["Inputs"], row["Outputs"]) == ([tensor("x", [], "Bool")], [])
    assert "UnreadTensors" not in row


def test_names_with_commas_arrows_brackets_and_numbered_outputs() -> None:
    row = parse_layer_row(
        "Layer(Myelin): {ForeignNode[a, b...c -> d]}, Tactic: 0x0000000000000000, p -> q, r (Float[1]), "
        "(Unnamed Layer* 22) [TopK]_output (1) (Int32[-1,1]) -> a[0], b (Int64[-1])"
    )
    assert row
    assert row["Name"] == "{ForeignNode[a, b...c -> d]}"
    assert [t["Name"] for t in row["Inputs"]] == ["p -> q, r", "(Unnamed Layer* 22) [TopK]_output (1)"]
    assert [t["Name"] for t in row["Outputs"]] == ["a[0], b"]


def test_symbolic_dimensions_are_unknown() -> None:
    row = parse_layer_row("Layer(Shuffle): s, Tactic: 0x0, x (Float[(+ 1, E0),3,E1]) -> y (Float[2])")
    assert row
    assert row["Inputs"][0]["Dimensions"] == [-1, 3, -1]


def test_ambiguous_tensors_are_kept_as_text() -> None:
    row = parse_layer_row("Layer(NoOp): n, Tactic: 0x0, x (Half[1]) -> y (Ha")
    assert row
    assert row["UnreadTensors"] == "y (Ha"
    assert len(row["Inputs"]) == 1


@pytest.mark.parametrize("line", ["", "Layer: a Host Persistent: 80 bytes", "Layer(A): b", "Layer(A): b, Tactic: x, y"])
def test_other_lines_are_no_rows(line: str) -> None:
    assert parse_layer_row(line) is None


@given(st.text(alphabet="aL(): ,[]->x0123", max_size=60), st.text(alphabet="aF() ,[]->:0-", max_size=80))
def test_any_row_is_read_or_refused(name: str, tensors: str) -> None:
    row = parse_layer_row(f"Layer(T): {name}, Tactic: 0x1, {tensors}")
    assert row is None or all(isinstance(d, int) for t in row["Inputs"] + row["Outputs"] for d in t["Dimensions"])


@pytest.mark.parametrize(
    "part", [" (", "[Float(", ", ", " -> ", "Layer(", "): ", ", Tactic: ", "[", "(Half[1]), ", "("]
)
def test_very_long_rows_are_read_or_refused(part: str) -> None:
    parse_layer_row(f"Layer(T): n, Tactic: 0x1, {part * (400_000 // len(part))}")
    parse_layer_row(f"Layer({part * (400_000 // len(part))}")


@pytest.mark.parametrize(
    ("file", "rows", "kinds"),
    [
        ("trt8.4-mnist-fp16-build-verbose.log", 12, 7),
        ("trt8.4-sparsity-python-verbose.log", 40, 2),
        ("trt8.6-build-verbose.log", 15, 7),
        ("trt10.16-trtexec-02.log", 17, 8),
        ("trtrtx-verbose.log", 1, 1),
    ],
)
def test_every_row_of_the_real_logs(shared_logs: Path, file: str, rows: int, kinds: int) -> None:
    text = (shared_logs / file).read_text(errors="replace")
    parsed = [parse_layer_row(line) for line in text.split("\n") if line.startswith("Layer(")]
    assert len(parsed) == rows
    assert all(parsed)
    records = [row for row in parsed if row]
    assert not any("UnreadTensors" in row for row in records)
    assert len({row["LayerType"] for row in records}) == kinds
    written: set[str] = set()
    for row in records:  # every input but the network's own was written by a row above: the names were cut right
        names = {t["Name"] for t in row["Inputs"]}
        assert row["LayerType"] == "Constant" or names <= written | {"tensor-0", "x", "inputT0"}
        written |= {t["Name"] for t in row["Outputs"]}
