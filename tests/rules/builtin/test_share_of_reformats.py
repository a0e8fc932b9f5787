"""How many reformats there are, and their share of the time."""

from __future__ import annotations

from dataclasses import replace

from tests.rules.cases import analyzed, conv, copy, findings, half, int8, unchecked, work
from tests.rules.planting import Parts, like, pair
from trex.core.tensor import Tensor

NAME = "share-of-reformats"


def engine(ms: tuple[float, ...] = (0.1, 0.4, 0.2, 0.3)):
    return analyzed(
        copy("R1", half("x"), int8("a")),
        conv("Conv_1", [int8("a")], half("b")),
        copy("Q2", half("b"), int8("c")),
        conv("Conv_2", [int8("c")], int8("y")),
        ms=ms,
    )


def test_they_are_counted_by_what_they_do() -> None:
    (found,) = findings(NAME, engine())
    assert found.message == ("2 reformats take 0.3 ms (30.0 % of time): 1 converts an input or output, 1 quantizes")
    assert found.savings == {} and found.layers == (2, 0) and found.main_layers == (2,)
    assert found.evidence[-1].what.endswith("Conv_1 → Conv_2") and found.evidence[-1].value == 0.2
    assert found.fix == (
        "begin with the slowest: FP16 NC/32HW32 → INT8 NC/32HW32, Conv_1 → Conv_2",
        "then where quantization stops: quantize the neighbor that runs in floats, or neither",
    )


def test_what_a_reformat_without_tensors_does_is_unknown() -> None:
    """As in an engine of names alone: nothing says that only the layout changes."""
    bare = [replace(layer, inputs=(), outputs=()) for layer in engine().layers]
    (found,) = findings(NAME, analyzed(*bare, ms=(0.1, 0.4, 0.2, 0.3)))
    assert found.message.endswith("2 of unknown types or layouts")
    assert found.fix[0] == "begin with the slowest: Q2"
    assert "profilingVerbosity=detailed" in found.fix[-1]


def test_all_types_of_reformats_count_and_are_named() -> None:
    """``trex summary`` has a row for each type."""
    layers = engine().layers
    layers = (layers[0], layers[1], replace(layers[2], type="MyelinReformat"), layers[3])
    (found,) = findings(NAME, analyzed(*layers, ms=(0.1, 0.4, 0.2, 0.3)))
    assert found.message.startswith("2 reformats (1 Reformat, 1 MyelinReformat) take 0.3 ms")


def test_few_and_expected_ones_are_no_finding() -> None:
    assert not findings(NAME, engine((0.001, 0.4, 0.001, 0.3)))
    assert not findings(
        NAME, analyzed(copy("R1", half("x"), int8("a")), conv("C", [int8("a")], int8("y")), ms=[1.0, 1.0])
    )


def test_the_limit_is_of_those_between_layers() -> None:
    assert not findings(NAME, engine((0.3, 0.4, 0.01, 0.3)))  # 1 % of the time, 31 % with the one at the input
    assert findings(NAME, engine((0.3, 0.4, 0.03, 0.3)))


def test_without_times() -> None:
    (answer,) = unchecked(NAME, engine(()))
    assert "2 reformats" in answer.reason


# ---- The defect that tests plant into engines, and its sound twin


def reformats(x: Tensor, bad: bool) -> Parts:
    rows = like(x, "b901", format_="NCHW")
    cost = 0.2 if bad else 0.001
    return [
        (copy("Reformat_901", x, rows), cost),
        (work("Softmax_902", "SoftMax", [rows], like(x, "c902", format_="NCHW")), 0.05),
        (copy("Reformat_903", like(x, "c902", format_="NCHW"), like(x, "d903")), cost),
    ]


PLANTER = pair(reformats)
