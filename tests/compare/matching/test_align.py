"""Layers match across fusions, precisions, batches, releases and names."""

from __future__ import annotations

import random
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from tests.compare.truth.pair import score_of
from tests.compare.truth.scenarios import CHANGES, OVERLAID, SWAPPED, TOLD, pairs_of
from tests.simulated_examples import load_simulated
from tests.snapshot import check_snapshot
from tests.steps import steps
from tests.synthetic import CASES
from trex.compare.matching import by_order, match_builder, subsequence
from trex.compare.matching.align import ORIGINS, align
from trex.compare.matching.match import Alignment
from trex.compare.matching.name_evidence import is_minor
from trex.core.engine import Engine
from trex.engine_plan import EnginePlan
from trex.plan.engine_plan import EnginePlan as Plan

EVERY_CHANGE = (*CHANGES, *SWAPPED, *OVERLAID)
READABLE = [case for case in CASES.values() if not case.expect.error]


def is_whole(found: Alignment) -> None:
    """Every layer of both sides in exactly one match, and none without any."""
    for plan, places in (
        (found.left, [place for match in found.matches for place in match.left]),
        (found.right, [place for match in found.matches for place in match.right]),
    ):
        assert sorted(places) == list(range(len(plan.working_layers)))
    assert all(match.left or match.right for match in found.matches)


def names(found: Alignment) -> list[tuple[list[str], list[str]]]:
    return [
        (
            [found.left.working_layers[place].name for place in match.left],
            [found.right.working_layers[place].name for place in match.right],
        )
        for match in found.matches
    ]


def record(name: str, kind: str, reads: list[str], writes: str, shape: list[int], origins: str = "") -> dict[str, Any]:
    tensor = {"Format/Datatype": "Row major linear FP32", "Dimensions": shape}
    metadata = "".join(f"[ONNX Layer: {each}]\x1e" for each in origins.split()).rstrip("\x1e")
    return {
        "Name": name,
        "LayerType": kind,
        "Inputs": [{"Name": each, **tensor} for each in reads],
        "Outputs": [{"Name": writes, **tensor}],
        "Metadata": metadata,
    }


def test_different_fusions_match_many_to_many() -> None:
    left = EnginePlan(
        [
            record("a + b", "Conv", ["x"], "t", [1, 8], "/m/a /m/b"),
            record("c", "PointWise", ["t"], "u", [1, 8], "/m/c"),
            record("d", "Conv", ["u"], "v", [1, 8], "/m/d"),
        ]
    )
    right = EnginePlan(
        [
            record("a", "Conv", ["x"], "s", [1, 8], "/m/a"),
            record("b + c", "PointWise", ["s"], "u", [1, 8], "/m/b /m/c"),
            record("d", "Conv", ["u"], "w", [1, 8], "/m/d"),
        ]
    )
    found = align(left, right)
    is_whole(found)
    assert names(found) == [(["a + b", "c"], ["a", "b + c"]), (["d"], ["d"])]
    assert found.matches[0].why == ORIGINS and found.matches[0].confidence == 1.0


def test_conversions_match_by_their_neighbors() -> None:
    def plan(name: str, extra: bool) -> EnginePlan:
        middle = [record(name, "Reformat", ["t"], "r", [1, 8])] if extra else []
        reads = ["r"] if extra else ["t"]
        return EnginePlan(
            [record("a", "Conv", ["x"], "t", [1, 8], "/m/a"), *middle, record("d", "Conv", reads, "v", [1, 8], "/m/d")]
        )

    both = align(plan("Reformatting CopyNode for Input Tensor 0 to d", True), plan("another name", True))
    assert names(both)[1] == (["Reformatting CopyNode for Input Tensor 0 to d"], ["another name"])
    gone = align(plan("r", True), plan("", False))
    assert names(gone) == [(["a"], ["a"]), (["r"], []), (["d"], ["d"])]


def test_an_unmatched_layer_of_the_right_is_in_order() -> None:
    first = record("a", "Conv", ["x"], "t", [1, 8], "/m/a")
    left = EnginePlan([first, record("d", "Conv", ["t"], "v", [1, 8], "/m/d")])
    new = record("new", "SoftMax", ["t"], "s", [1, 8], "/m/new")
    right = EnginePlan([first, new, record("d", "Conv", ["s"], "v", [1, 8], "/m/d")])
    assert names(align(left, right)) == [(["a"], ["a"]), ([], ["new"]), (["d"], ["d"])]


def test_renumbered_names_are_not_trusted() -> None:
    def chain(numbers: list[int]) -> EnginePlan:
        shapes = [[1, 8 * (place + 1)] for place in range(len(numbers))]
        tensors = [f"t{place}" for place in range(len(numbers) + 1)]
        return EnginePlan(
            [
                record(f"Conv_{number}", "Conv", [tensors[place]], tensors[place + 1] + f".{number}", shapes[place])
                for place, number in enumerate(numbers)
            ]
        )

    found = align(chain([0, 2, 4, 6, 8]), chain([7, 12, 2, 22, 27]))
    assert [(match.left, match.right) for match in found.matches] == [((place,), (place,)) for place in range(5)]


def test_a_renamed_engine_matches_by_types_and_shapes() -> None:
    plan = load_simulated("resnet18-int8")
    found = align(plan, renamed(plan))
    is_whole(found)
    right = [match for match in found.matches if match.left == match.right]
    assert len(right) >= 0.97 * len(plan.working_layers)


def renamed(plan: Plan, seed: int = 1) -> Plan:
    """The plan with other names for layers and tensors, and no origins."""
    chance = random.Random(seed)
    new: dict[str, str] = {}

    def tensor(each: Any) -> Any:
        return replace(each, name=new.setdefault(each.name, f"z{chance.random()}"))

    layers = tuple(
        replace(
            layer,
            name=f"y{place}",
            origins=(),
            name_parts=replace(layer.name_parts, operations=(f"y{place}",)),
            inputs=tuple(map(tensor, layer.inputs)),
            outputs=tuple(map(tensor, layer.outputs)),
        )
        for place, layer in enumerate(plan.engine.layers)
    )
    return Plan(Engine(layers))


def test_different_models_have_a_note() -> None:
    found = align(load_simulated("resnet18-int8"), load_simulated("transformer-fp16"))
    is_whole(found)
    assert [note.code for note in found.notes] == ["unlike-engines"]


def test_minor_nodes_only_convert() -> None:
    assert all(map(is_minor, ("QuantizeLinear_7", "/m/attn/Reshape_1", "Cast_3", "/x/DequantizeLinear")))
    assert not any(map(is_minor, ("Conv_1", "/layer1/conv1/Conv", "/m/Add", "layer1.0.conv1.weight", "MaxPool_2")))


@pytest.mark.slow
def test_evidence_and_hits_of_every_change() -> None:
    """How many layers of the pairs whose truth is known match by what evidence, and how many of these are right."""
    lines = []
    for told in TOLD:
        for change in EVERY_CHANGE:
            evidence, nodes, hits, claimed, true = Counter[str](), 0, 0, 0, 0
            for _, make in pairs_of(change, told, 2, 1):
                pair = make()
                found = align(pair.left, pair.right)
                is_whole(found)
                score = score_of([(match.left, match.right) for match in found.matches], pair.groups)
                hits, claimed, true = hits + score.hits, claimed + score.told, true + score.true
                for match in found.matches:
                    marks = ", ambiguous" * match.is_ambiguous + ", swapped add" * match.has_swapped_add
                    size = f"{len(match.left)} to {len(match.right)}" if match.is_matched else "alone"
                    evidence[f"{match.why} ({match.confidence:.2f}{marks}), {size}"] += 1
                    nodes += len(match.origins)
                evidence.update(f"Note {note.code}" for note in found.notes)
            lines += [f"{told}, {change}: {hits} of {claimed} right, of {true}; {nodes} nodes"]
            lines += [f"    {count:4} {words}" for words, count in sorted(evidence.items())]
    check_snapshot("compare/alignment.txt", "\n".join(lines) + "\n")


def test_notes_in_full() -> None:
    (note,) = align(load_simulated("resnet18-int8"), load_simulated("transformer-fp16")).notes
    assert re.fullmatch(r"only \d+ % of the layers match: the engines may be of different models", note.message)
    assert (note.severity, note.hint) == ("warning", "compare engines built from the same ONNX model")
    noted: dict[Any, Any] = {}
    for told in TOLD:
        for change in ("merged", "layers dropped"):
            for _, make in pairs_of(change, told, 2, 1):
                pair = make()
                noted |= {note.code: note for note in align(pair.left, pair.right).notes}
    note = noted["fusion-or-removal"]
    assert re.fullmatch(
        r"\d+ layer groups? with a small kernel in one engine only: the files don't show whether its neighbor absorbed "
        "it or it was removed, so its time is unexplained",
        note.message,
    )
    assert note.hint == (
        "rebuild both from ONNX with TensorRT 8.6 or later and --profilingVerbosity=detailed: the files then name the "
        "ONNX nodes of each kernel"
    )


SHAPE = [1, 8]
Records = list[dict[str, Any]]


def conv(name: str, *reads: str, origins: str = "") -> dict[str, Any]:
    return record(name, "CaskConvolution", list(reads), f"{name}.out", SHAPE, origins)


def read_by_all(n: int) -> Iterator[Records]:
    """Two layers, and n that read both."""
    for side in "ab":
        yield [conv(f"{side}1", "x"), conv(f"{side}2", "x")] + [
            conv(f"{side}{index + 3}", f"{side}1.out", f"{side}2.out") for index in range(n)
        ]


def through_a_conversion(n: int) -> Iterator[Records]:
    """n layers, a conversion that reads all of them, and n layers that read it."""
    for side in "ab":
        writers = [conv(f"{side}w{index}", "x") for index in range(n)]
        copy = record(f"{side}c", "Reformat", [f"{side}w{index}.out" for index in range(n)], f"{side}v", SHAPE)
        yield [*writers, copy, *(conv(f"{side}r{index}", f"{side}v") for index in range(n))]


def beside_a_large_match(n: int) -> Iterator[Records]:
    """n layers here are one there, and n other layers read one of them each."""
    small = [
        record(f"r{index}", "PointWise", [f"w{index}.out"], f"z{index}", SHAPE, f"/a{index}/Relu") for index in range(n)
    ]
    yield [conv(f"w{index}", "x", origins="/X/Conv") for index in range(n)] + small
    yield [conv("w", "x", origins="/X/Conv")] + [
        record(f"u{index}", "Foo", [f"q{index}"], f"zz{index}", SHAPE, f"/b{index}/Relu") for index in range(n)
    ]


def into_one_match(n: int) -> Iterator[Records]:
    """One layer here with the work of a layer and n small ones there."""
    yield [conv("c", "x", origins=" ".join(["/X/Conv", *(f"/k{index}/Relu" for index in range(n))]))]
    yield [conv("c", "x", origins="/X/Conv")] + [
        record(f"r{index}", "PointWise", ["c.out"], f"z{index}", SHAPE, f"/m{index}/Relu") for index in range(n)
    ]


@pytest.mark.parametrize("pair", [read_by_all, through_a_conversion, beside_a_large_match, into_one_match])
def test_twice_the_layers_take_twice_the_steps(
    pair: Callable[[int], Iterator[Records]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(match_builder, "MOST_NEIGHBORS", 12)
    monkeypatch.setattr(by_order, "MOST_STEPS", 100)
    monkeypatch.setattr(subsequence, "MOST_DIFFERENCES", 10)
    plans = [[*map(EnginePlan, pair(count))] for count in (80, 160)]
    once, twice = (steps(partial(align, *sides)) for sides in plans)
    assert twice < 2.3 * once
