"""How many reformats there are, and their share of the time."""

from __future__ import annotations

from pathlib import Path

from tests.rules.inspections import conv, copy, findings, half, inspect, int8, of_engine, unanswered

NAME = "share-of-reformats"


def engine(ms: tuple[float, ...] = (0.1, 0.4, 0.2, 0.3)):
    return inspect(
        copy("R1", half("x"), int8("a")),
        conv("Conv_1", [int8("a")], half("b")),
        copy("Q2", half("b"), int8("c")),
        conv("Conv_2", [int8("c")], int8("y")),
        ms=ms,
    )


def test_they_are_counted_by_what_they_do() -> None:
    (found,) = findings(NAME, engine())
    assert found.message == ("2 reformats take 0.3 ms (30.0 % of the time): 1 serves an input or output, 1 quantizes")
    assert found.at_stake == {} and found.layers == (0, 2)


def test_few_and_expected_ones_are_no_finding() -> None:
    assert not findings(NAME, engine((0.001, 0.4, 0.001, 0.3)))
    assert not findings(
        NAME, inspect(copy("R1", half("x"), int8("a")), conv("C", [int8("a")], int8("y")), ms=[1.0, 1.0])
    )


def test_the_limit_is_of_those_between_layers() -> None:
    assert not findings(NAME, engine((0.3, 0.4, 0.01, 0.3)))  # 1 % of the time, 31 % with the one at the input
    assert findings(NAME, engine((0.3, 0.4, 0.03, 0.3)))


def test_without_times() -> None:
    (answer,) = unanswered(NAME, engine(()))
    assert "2 reformats" in answer.reason


def test_the_published_story(shared_engines: Path) -> None:
    (before,) = findings(NAME, of_engine(shared_engines / "trt8.4-resnet18-a100-qat"))
    assert before.message.startswith("12 reformats take 0.279 ms (25.4 % of the time)")
    (after,) = findings(NAME, of_engine(shared_engines / "trt8.4-resnet18-a100-qat-residual"))
    assert after.message.startswith("3 reformats take 0.116 ms (15.8 % of the time)")
    assert not findings(NAME, of_engine(shared_engines / "trt8.4-resnet18-a100-qat-residual-qgap"))
