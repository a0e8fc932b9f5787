"""Monsters: they are read or refused, and memory grows with their size and no faster."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from tests.fuzz import doors
from tests.fuzz import monsters as make
from tests.fuzz.families import FAMILIES
from tests.fuzz.monsters import document, layer, tensor
from tests.fuzz.time_limit import time_limit
from tests.traced_memory import peak_bytes
from trex.core.errors import TrexError
from trex.ingest.build_log.build_log import parse_build_log
from trex.ingest.files import recognize
from trex.ingest.graph_json import read_graph
from trex.ingest.logs.io_tensor_text import io_tensor
from trex.plan.engine_plan import EnginePlan
from trex.views.explanation import explain

pytestmark = pytest.mark.slow

SIZE = 48_000
MIB = 1 << 20


@pytest.fixture(autouse=True)
def _no_hang() -> Iterator[None]:
    with time_limit(seconds=120):
        yield


# -------------------------------------------------------------------------------------------------------- size


@pytest.mark.parametrize(("table", "entries"), [pytest.param(t, d, id=n) for n, t, d in FAMILIES])
def test_large_ones_are_read_or_refused(table: dict[str, make.Maker], entries: tuple[doors.Door, ...]) -> None:
    for maker in table.values():
        data = maker(SIZE)
        for door in entries:
            doors.through(door, data, thorough=False)


def test_a_head_of_line_feeds_is_recognized() -> None:
    """Each of 65 536 line ends once began a search through all that follow."""
    assert recognize(b"\n" * (1 << 16)) == recognize(b"")


def test_a_long_name_of_brackets_is_parsed_at_once() -> None:
    """Each bracket once copied all of the name before it."""
    read_graph(document([layer("()" * 100_000)]))


@pytest.mark.parametrize(
    "message",
    [
        "Adding reformat layer: " + " from x where " * 100_000 + " to a b" * 100_000,
        "x [" * 100_000 + "] got cached result: " * 100_000,
        "a [b] got cached result: C, tactic " * 100_000,
        "(foreignNode) Autotuning op a: " + "[ONNX Layer: b" * 100_000,
    ],
)
def test_a_long_message_of_marks_is_read_at_once(message: str) -> None:
    """Each mark once began a search to the end of the line."""
    line = "[03/01/2024-10:00:00] [V] [TRT] "
    parse_build_log(f"{line}=============== Computing costs for a\n{line}{message}\n".encode(), "")


def test_a_long_line_of_marks_is_read_at_once() -> None:
    tensor = "Name: a, IOMode: Input, DataType: Float, Dimensions: [1], ProfileInfo: ["
    assert io_tensor(tensor * 30_000) is None
    assert io_tensor(f"{tensor}{'{ a } ' * 200_000}]") is not None
    doors.through(doors.log, b"&&&& RUNNING TensorRT.trtexec # x\n" + b"Assertion x " * 300_000, thorough=False)


# ----------------------------------------------------------------------------------------------------- memory


def read(data: bytes) -> None:
    doors.through(doors.graph, data, thorough=False)


DIGITS = b"9" * MIB
BIG: dict[str, tuple[doors.Door, Callable[[], bytes]]] = {
    "name-of-10-MB": (doors.graph, lambda: document([layer("x" * 10 * MIB)])),
    "tensor-name-of-10-MB": (doors.graph, lambda: document([layer(Inputs=[tensor("x" * 10 * MIB)])])),
    "type-of-10-MB": (doors.graph, lambda: document([layer(LayerType="T" * 10 * MIB)])),
    "format-of-10-MB": (doors.graph, lambda: document([layer(Inputs=[tensor("x", (1, 2), "Half " * 2 * MIB)])])),
    "tactic-of-10-MB": (doors.graph, lambda: document([layer(TacticName="sm80_" * 2 * MIB)])),
    "key-of-10-MB": (doors.graph, lambda: document([layer(**{"k" * 10 * MIB: 1})])),
    "bindings-100-000": (doors.graph, lambda: document([layer()], [f"b{i}" for i in range(100_000)])),
    "dims-1-000-000": (doors.graph, lambda: document([layer(Inputs=[tensor("x", [1] * 10**6)])])),
    "keys-100-000": (doors.graph, lambda: document([layer(**{f"k{i}": i for i in range(100_000)})])),
    "lists-100-000-deep": (doors.graph, lambda: b"[" * 100_000),
    "lists-10-000-000-deep": (doors.graph, lambda: b"[" * 10**7),
    "lists-closed": (doors.graph, lambda: b"[" * 10**6 + b"]" * 10**6),
    "objects-1-000-000-deep": (doors.graph, lambda: b'{"Layers":' * 10**6),
    "depth-in-a-layer": (
        doors.graph,
        lambda: b'{"Layers": [{"Name": "a", "k": ' + b"[" * 10**5 + b"]" * 10**5 + b"}]}",
    ),
    "quotes-1-MB": (doors.graph, lambda: b'{"Layers": ["' + b'"' * MIB),
    "integer-of-a-million-digits": (doors.graph, lambda: b'{"Layers": [{"Name": "a", "StreamId": ' + DIGITS + b"}]}"),
    "time-of-a-million-digits": (doors.profile, lambda: b'[{"name": "a", "averageMs": ' + DIGITS + b"}]"),
    "row-of-a-million-digits": (doors.profile, lambda: b'[{ "name" : "a"b", "timeMs" : ' + DIGITS + b" }]"),
    "latency-of-a-million-digits": (doors.timing, lambda: b'[{"latencyMs": ' + DIGITS + b"}]"),
    "fact-of-a-million-digits": (doors.metadata, lambda: b'{"device_information": {"SMs": "' + DIGITS + b'"}}'),
    "log-line-of-10-MB": (doors.log, lambda: b"[I] Name: a, LayerType: b, Inputs: [" + b"{ Name: " * MIB),
    "binary-10-MB": (doors.texts, lambda: bytes(range(256)) * 40 * 1024),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BIG)
def test_memory_is_bounded_by_the_size_of_the_input(name: str) -> None:
    door, maker = BIG[name]
    data = maker()
    assert peak_bytes(lambda: doors.through(door, data, thorough=False)) < 40 * len(data) + 16 * MIB


@pytest.mark.parametrize("depth", [10, 120, 125, 128, 129, 200, 253, 254, 255, 300, 900, 1100, 5000, 100_000])
@pytest.mark.parametrize("opening", [b"[", b'{"a":', b'[{"k":'])
@pytest.mark.parametrize("is_damaged", [False, True])
def test_any_depth_is_an_engine_or_refused(depth: int, opening: bytes, is_damaged: bool) -> None:
    closing = opening.translate(bytes.maketrans(b"[{", b"]}"), b'"ak:')[::-1]
    inner = opening * depth + (b"nan" if is_damaged else b"1") + closing * depth
    whole = b'{"Layers": [{"Name": "a", "LayerType": "b", "Inputs": [], "Outputs": [], "k": ' + inner + b"}]}"
    doors.through(doors.graph, whole, thorough=True)
    for door in (doors.profile, doors.timing, doors.metadata):
        doors.through(door, inner)
        doors.through(door, b'[{"name": "a", "timeMs": 1, "latencyMs": 1, "k": ' + inner + b"}]")
        doors.through(door, b'{"device_information": {"Name": "a", "k": ' + inner + b"}}")


NUMBERS = (
    b"1e400",
    b"-1e400",
    b"9" * 400,
    b"-" + b"9" * 5000,
    b"1e-400",
    b"nan",
    b"-inf",
    b"NaN",
    b"Infinity",
    b"1e309",
)


@pytest.mark.parametrize("number", NUMBERS, ids=lambda number: number[:6].decode())
def test_numbers_that_no_type_holds_anywhere(number: bytes) -> None:
    record = (
        (
            b'{"Name": "a", "LayerType": "Convolution", "ParameterType": "Convolution", "Inputs": [{"Name": "x", '
            b'"Dimensions": [N, 3, N, 4], "Format/Datatype": "Half"}], "Outputs": [{"Name": "y", '
            b'"Dimensions": [1, N, 4, 4], '
            b'"Format/Datatype": "Half"}], "Kernel": [N, N], "Groups": N, "OutMaps": N, "Stride": N, "StreamId": N, '
            b'"TacticValue": N, "Weights": {"Type": "Half", "Count": N}, "Metadata": N}'
        )
        .replace(b"N,", number + b",")
        .replace(b"N]", number + b"]")
        .replace(b"N}", number + b"}")
    )
    doors.through(doors.graph, b'{"Layers": [' + record + b", " + record + b'], "Bindings": [' + number + b"]}")
    row = b'{"name": "a", "timeMs": N, "averageMs": N, "medianMs": N, "percentage": N}'.replace(b"N", number)
    doors.through(doors.profile, b'[{"count": ' + number + b"}, " + row + b", " + row + b"]")
    doors.through(doors.profile, b'{"a": [' + number + b", " + number + b', 1], "b": [1]}')
    doors.through(doors.timing, b'[{"startComputeMs": N, "computeMs": N, "latencyMs": N}]'.replace(b"N", number))
    facts = b'{"performance_summary": {"Throughput": N, "GPU Compute Time": [N, N, N, N, N]}, "device_information": '
    doors.through(doors.metadata, (facts + b'{"SMs": N, "Compute Clock Rate": N}}').replace(b"N", number))


def test_sums_of_the_largest_numbers() -> None:
    rows = b'[{"name": "a", "averageMs": 1e308, "timeMs": 1e308}, {"name": "b", "averageMs": 1e308, "timeMs": 1e308}]'
    doors.through(doors.profile, rows)
    graph = document([layer("a"), layer("b"), layer("c", Inputs=[tensor("x", [2**40] * 16)])])
    times = doors.read_profile(rows)
    doors.use(EnginePlan(read_graph(graph), times))


@pytest.mark.parametrize("size", [40_000, 1_000_000])
def test_words_of_any_length_are_explained_or_not_known(size: int) -> None:
    for text in ("x", "a + ", "PWN(", "__myl_Add", "latency.", "Channel "):
        word = (text * (size // len(text)))[:size]
        try:
            explanations = explain(word)
        except TrexError as error:
            doors.check_error(error)
        else:
            assert sum(len(item.text) for item in explanations) < 100 * size
