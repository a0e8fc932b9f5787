"""The engine that the mock builds: what the model file asks for, the plan file, and what is exported of it."""

from __future__ import annotations

import json
import struct
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from typing import Any

from tests.mocks.arguments import Parsed, Release
from tests.synthetic.cnn import cnn
from tests.synthetic.description import Description, Region, Step
from tests.synthetic.measurements import profile_bytes, profile_rows, query_times, timing_bytes
from tests.synthetic.spellings import spell_graph, to_bytes
from tests.synthetic.transformer import transformer

ONNX_START = b"\x08"
HEADER_SIZE = 32
_MAGIC = b"ftrt"
_OLD_MAGIC = b"ptrt"
_END = b"\n-- end of the facts --\n"
_WARM_UP_ROWS = 8
_MAKERS = {"cnn": cnn, "transformer": transformer}


class Unreadable(Exception):
    """The file is no model, or no plan."""


@dataclass(frozen=True)
class Facts:
    """What a plan holds of its engine. profiles: {input: [min, opt, max]} query. verbosity: 2 is detailed."""

    network: str = "cnn"
    layers: int = 12
    type: str = "FP32"
    names: tuple[str, ...] = ()
    inputs: dict[str, list[int]] = field(default_factory=dict)
    profiles: tuple[dict[str, list[str]], ...] = ()
    verbosity: int = 0
    seed: int = 0
    version_compatible: bool = False


def read_model(data: bytes) -> Facts:
    """Raises Unreadable for what does not begin as ONNX models do."""
    if not data.startswith(ONNX_START):
        raise Unreadable
    try:
        description, _ = json.JSONDecoder().raw_decode(data[data.index(b"{") :].decode("utf-8", "replace"))
    except ValueError:
        description = {}
    return Facts(**{**description, "names": tuple(description.get("names", ()))})


def low_precision(facts: Facts, parsed: Parsed) -> Facts:
    """The smallest type that the command line allows, else the model's own."""
    for name in ("int8", "fp8", "fp16", "best", "bf16"):
        if parsed.has(name) and not parsed.has("stronglyTyped"):
            return replace(facts, type={"best": "INT8"}.get(name, name.upper()))
    return facts


def plan_bytes(facts: Facts, version: tuple[int, int, int]) -> bytes:
    """A plan: since 8.6 a header with its release, then its description, then arbitrary bytes."""
    if version[:2] >= (8, 6):
        header = _MAGIC + struct.pack("<I", 0) + bytes(16) + bytes((*version, 7)) + bytes(4)
    else:
        header = _OLD_MAGIC + bytes(HEADER_SIZE - len(_OLD_MAGIC))
    body = json.dumps({"version": version, **asdict(facts)}).encode() + _END
    filler = b"".join(blake2b(bytes([n]), digest_size=64).digest() for n in range(256))
    return header + body + filler


def read_plan(data: bytes) -> tuple[Facts, tuple[int, int, int]]:
    """(its description, the release that wrote it). Raises Unreadable."""
    body, end, _ = data[HEADER_SIZE:].partition(_END)
    if not data.startswith((_MAGIC, _OLD_MAGIC)) or not end:
        raise Unreadable
    description: dict[str, Any] = json.loads(body)
    version = tuple(description.pop("version"))
    facts = Facts(**{**description, "names": tuple(description["names"]), "profiles": tuple(description["profiles"])})
    return facts, (version[0], version[1], version[2])


def description_of(facts: Facts, shapes: dict[str, str] | None = None) -> Description:
    """The engine's layers; the input is called and shaped as asked for."""
    numbers = _MAKERS[facts.network](facts.layers, facts.type, facts.seed)
    first = numbers.inputs[0]
    wanted = {name: _dims(text) for name, text in (shapes or {}).items()} or facts.inputs
    name = next(iter(wanted), first.name)
    dims = tuple(max(1, size) for size in wanted.get(name, ())) or first.dims
    old, new = first.dims[0], dims[0]

    def changed(region: Region) -> Region:
        if region.name == first.name:
            return replace(region, name=name, dims=dims)
        return replace(region, dims=(new, *region.dims[1:])) if region.dims[:1] == (old,) else region

    def step(number: int, step: Step) -> Step:
        called = facts.names[number] if number < len(facts.names) else step.name
        return replace(
            step, name=called, inputs=tuple(map(changed, step.inputs)), outputs=tuple(map(changed, step.outputs))
        )

    return replace(
        numbers,
        steps=tuple(step(number, query) for number, query in enumerate(numbers.steps)),
        inputs=tuple(map(changed, numbers.inputs)),
        outputs=tuple(map(changed, numbers.outputs)),
    )


def _dims(text: str) -> list[int]:
    return [int(size) for size in text.split("x") if size.lstrip("-").isdigit()]


# ------------------------------------------------------------------------------------------------- exports


def spelling(release: Release, has_context: bool = True) -> str:
    """The version of tests/synthetic that writes as this release does; without a context 10.16 writes bare types."""
    if release >= (11, 0):
        return "11.1"
    if release >= (10, 0):
        return "10.4" if has_context or release < (10, 16) else "10.16"
    return "8.6" if release >= (8, 6) else "8.4" if release >= (8, 4) else "8.2"


def graph_bytes(facts: Facts, description: Description, release: Release, has_context: bool) -> bytes:
    """The inspector's JSON: layers, or only their names, by the verbosity at the build."""
    bindings = [region.name for region in description.bindings]
    if facts.verbosity != 2:
        names = [step.name for step in description.steps] if facts.verbosity == 0 else []
        return to_bytes({"Layers": names, "Bindings": bindings})
    document = spell_graph(description, spelling(release, has_context))
    is_dynamic = any(-1 in dims for dims in facts.inputs.values()) or any(
        len(set(ranges)) > 1 for profile in facts.profiles for ranges in profile.values()
    )
    if is_dynamic and not has_context:
        for layer in document["Layers"]:
            for tensor in (*layer["Inputs"], *layer["Outputs"]):
                tensor["Dimensions"][:1] = [-1]
    return to_bytes(document)


def layer_times(description: Description, release: Release, iterations: int) -> bytes:
    """Names are written as they are, whatever is in them."""
    rows = profile_rows(description)
    return profile_bytes(rows, count=iterations, medians=release >= (8, 4), escape=False)


@dataclass(frozen=True)
class Queries:
    """rows: what the times file holds, warm-up first where this release keeps it. measured: without the warm-up."""

    rows: list[dict[str, float]]
    measured: list[dict[str, float]]

    def to_bytes(self, release: Release) -> bytes:
        return timing_bytes(self.rows, f"{release[0]}.{release[1]}")


def run_queries(description: Description, count: int, release: Release, has_transfers: bool) -> Queries:
    kept = _WARM_UP_ROWS if release <= (8, 4) else 0
    rows = query_times(description, count + kept, 0, kept)
    if has_transfers:
        for row in rows:
            row["startH2dMs"], row["h2dMs"], row["d2hMs"] = row["startH2dMs"] - 0.004, 0.004, 0.005
            row["endD2hMs"] += 0.005
            row["latencyMs"] += 0.009
    return Queries(rows, rows[kept:])
