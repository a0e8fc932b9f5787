"""How much slower on more: everything that takes what a file holds, and every shape of engine, on four times as much.

Run ``python -m tests.benchmarks --only growth`` (some minutes).

How it measures
    Each case is made twice, the second four times as large as the first, and both are timed by the processor's clock.
    The exponent is log(t₂/t₁) / log 4: 1 where the time grows as the size does, 2 where it is quadratic. A case that is
    over within 60 ms at its larger size says nothing and counts as 0. One that is steep is timed again, three times at
    most, and its least steep attempt counts. A row is the worst case of a family, which it names.
    Monsters are the hostile texts of tests/fuzz, through every door that they may come in by.

Targets
    An exponent of at most 1.8: what sorts and caches cost is allowed, what is quadratic is not.
    A whole JSON file takes at most 1.5 times as long as orjson alone.
"""

from __future__ import annotations

import gc
import math
import random
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from time import process_time

from tests.benchmarks.table import Line, Part

Work = Callable[[], object]
Case = Callable[[int], Work]  # a size → what is timed; making it is not

STEEPEST, FASTEST_RATIO = 1.8, 1.5
_LARGER = 4
_SHORTEST_S = 0.06
_ATTEMPTS = 3
_MONSTER_SIZE = 12_000


def parts(quick: bool = False) -> list[Part]:
    """What is measured, in order; quick: at a tenth of the size."""
    factor = 0.1 if quick else 1.0
    return [
        ("growth of graphs", partial(_worst, "graphs", graph_cases, factor)),
        ("growth of layouts", partial(_worst, "layouts", layout_cases, factor)),
        ("growth of layers", partial(_worst, "layers", layer_cases, factor)),
        ("growth of monsters", partial(_monsters, factor)),
        ("whole JSON and orjson", _whole_json),
    ]


def _worst(family: str, cases: Callable[[], Mapping[str, tuple[int, Case]]], factor: float) -> Iterator[Line]:
    exponents = {name: exponent(case, round(size * factor)) for name, (size, case) in cases().items()}
    yield _line(family, exponents)


def _monsters(factor: float) -> Iterator[Line]:
    from tests.fuzz import doors
    from tests.fuzz.families import FAMILIES

    size = round(_MONSTER_SIZE * factor)
    for family, table, entries in FAMILIES:
        exponents = {}
        for name, maker in table.items():
            for door in entries:

                def case(many: int, maker: Callable[[int], bytes] = maker, door: doors.Door = door) -> Work:
                    return partial(doors.through, door, maker(many), thorough=False)

                exponents[f"{name} ({door.__name__})"] = exponent(case, size)
        yield _line(f"monsters: {family}", exponents)


def _line(family: str, exponents: Mapping[str, float]) -> Line:
    worst = max(exponents, key=exponents.__getitem__)
    return Line(f"{family}, exponent", exponents[worst], "", STEEPEST, worst, tuple(exponents.values()))


def exponent(case: Case, size: int) -> float:
    """0 when it is over too soon to measure."""
    small, large = case(size), case(size * _LARGER)
    least = math.inf
    for _ in range(_ATTEMPTS):
        long = _seconds(large)
        if long < _SHORTEST_S:
            return 0.0
        least = min(least, math.log(long / max(_seconds(small), 1e-4)) / math.log(_LARGER))
        if least <= STEEPEST:
            break
        gc.collect()
    return max(least, 0.0)


def _seconds(work: Work) -> float:
    start = process_time()
    work()
    return process_time() - start


# ----------------------------------------------------------------------------------------------------- the cases


def graph_cases() -> dict[str, tuple[int, Case]]:
    from tests.factories import layer
    from tests.graph.test_blocks import graph_of, repeated
    from trex.graph.blocks import find_blocks
    from trex.graph.repeats import find_runs
    from trex.graph.select import Selection, select

    def blocks(size: int) -> Work:
        return partial(find_blocks, graph_of(*repeated(size)))

    def selections(size: int) -> Work:
        layers = [layer(f"n{i}", inputs=[f"v{i}"], outputs=[f"v{i + 1}"]) for i in range(size)]
        graph = graph_of(*layers, inputs=["v0"], outputs=[f"v{size}"])
        choices = Selection(beam=(0, size)), Selection(query="n.*5"), Selection(between=("n0", f"n{size - 1}"))
        return lambda: [select(graph, choice) for choice in choices]

    def wide(size: int) -> Work:
        names = [f"x{i}" for i in range(size)]
        record = layer("wide", inputs=names, outputs=["y"])
        return lambda: graph_of(record, inputs=names, outputs=["y"])

    def runs(signs: Callable[[int], list[int]]) -> Case:
        return lambda size: partial(find_runs, signs(size))

    return {
        "blocks": (600, blocks),
        "selections": (2_000, selections),
        "one layer of many inputs": (5_000, wide),
        "runs in noise": (5_000, runs(lambda size: [random.Random(4).randrange(3) for _ in range(size)])),
        "runs of one sign": (5_000, runs(lambda size: [0] * size)),
        "runs in Fibonacci's word": (5_000, runs(_fibonacci)),
        "runs in roots": (5_000, runs(lambda size: [round(i**0.5) for i in range(size)])),
    }


def _fibonacci(size: int) -> list[int]:
    one, other = [0], [0, 1]
    while len(other) < size:
        one, other = other, other + one
    return other[:size]


def layout_cases() -> dict[str, tuple[int, Case]]:
    from tests.views.diagram.test_layout import chain, fan, loose, residual, unet
    from trex.views.diagram.cells import Cell, Link
    from trex.views.diagram.layout import lay_out

    def many_passing(count: int) -> tuple[list[Cell], list[Link]]:
        """Every other cell is read again at the very end: long wires over almost all rows."""
        cells, links = chain(count)
        return cells, links + [Link(i, count - 1 - (i // 2) % 50, i) for i in range(0, count - 200, 2)]

    def laid_out(shape: Callable[[int], tuple[list[Cell], list[Link]]]) -> Case:
        return lambda size: partial(lay_out, *shape(size))

    shapes = (chain, residual, unet, loose, many_passing, fan)
    return {shape.__name__: (1_000, laid_out(shape)) for shape in shapes}


def layer_cases() -> dict[str, tuple[int, Case]]:
    from tests.factories import chain, engine, layer, noop
    from tests.ingest.spelling.test_precision import FP16, make_layer
    from trex.ingest.spelling.precision import fill_from_neighbors
    from trex.perf.memory.plan_memory import memory_of
    from trex.plan.dataframe import build_frame
    from trex.plan.engine_plan import EnginePlan
    from trex.plan.folding import fold_no_ops
    from trex.plan.lifetimes import lifetimes_of
    from trex.views.diagram.lettering import wrapped

    def folding(size: int) -> Work:
        layers = []
        for i in range(size):
            layers += [layer(f"l{i}", inputs=["s"], outputs=["t"]), noop(f"n{i}", "t", "s")]
        return partial(fold_no_ops, chain(*layers), [f"b{i}" for i in range(size)])

    def precisions(size: int) -> Work:
        first = make_layer(0, "x", "t0", FP16)
        return partial(fill_from_neighbors, [first, *(make_layer(i, f"t{i - 1} x", f"t{i}") for i in range(1, size))])

    def frame(size: int) -> Work:
        return partial(build_frame, chain(*(layer(f"l{i}", Stride=[1, 1], Groups=i % 3) for i in range(size))))

    def lettering(size: int) -> Work:
        return lambda: [wrapped(f"{i}" + "a" * size, 260, 11, 4) for i in range(50)]

    def held(size: int) -> Work:
        """Every value is read by the last layer, so all are live at the peak, and each is looked at."""
        names = [f"v{i}" for i in range(size)]
        layers = [layer(f"l{i}", inputs=["x"], outputs=[name]) for i, name in enumerate(names)]
        whole = engine(*layers, layer("last", inputs=names), inputs=["x"], outputs=["y"])
        return partial(memory_of, EnginePlan(whole))

    def views(size: int) -> Work:
        layers = [noop(f"n{i}", f"v{i}", f"v{i + 1}") for i in range(size)]
        whole = engine(layer("first", outputs=["v0"]), *layers, layer("last", inputs=[f"v{size}"]), inputs=["x"])
        return partial(lifetimes_of, whole)

    return {
        "memory that all waits": (5_000, held),
        "views of views": (5_000, views),
        "folding": (2_500, folding),
        "precisions of neighbors": (5_000, precisions),
        "frame": (5_000, frame),
        "lettering": (40_000, lettering),
    }


def _whole_json() -> Iterator[Line]:
    import orjson

    from trex.ingest.lenient_json import parse

    layer = {"Name": "conv", "Inputs": [{"Name": "t", "Dimensions": [1, 64, 56, 56]}], "TacticName": "sm80_" * 12}
    data = orjson.dumps({"Layers": [layer] * 4000})
    # Taken in turns, so that a busy machine is busy for both.
    pairs = [(_seconds(partial(orjson.loads, data)), _seconds(partial(parse, data))) for _ in range(25)]
    ratio = min(ours for _, ours in pairs) / min(bare for bare, _ in pairs)
    yield Line("whole JSON over orjson alone", ratio, "×", FASTEST_RATIO)
