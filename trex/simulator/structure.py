"""Structure: the kernels of a predicted and of a real engine as sets of ONNX nodes, and the figures of many networks.

A kernel's group is the set of ONNX nodes in its metadata. Left out of groups: nodes that do no work of their own
(reshapes, whatever depends on constants only, and dequantizers, whose scales the real builder lists in several
kernels); of nodes that compute the same, the first stands for all. Kernels without such a node (transposes of inputs
and outputs) have no group, but count as kernels. Layers that launch nothing (views, signals, waits) are left out.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from trex.core.layer import Layer, Role
from trex.core.model import Model
from trex.core.operator import Operator
from trex.core.release import Release
from trex.ingest.graph_json import engine_from_documents
from trex.perf.recognize import find_device
from trex.simulator.builder import build
from trex.simulator.common_subexpressions import step_key
from trex.simulator.engine_json import engine_document
from trex.simulator.groups import Group
from trex.simulator.initial_draft import initial_draft
from trex.simulator.target import Target

SCHEMA = "trex.structure/1"
FIGURES_FILE = Path(__file__).resolve().parent / "validated_structure.json"
RELEASE = Release(11, 1)
"""What the builds are compared with: TensorRT for RTX has the API and the layers of TensorRT 11."""
_DEVICE = "RTX 4090"
_NO_WORK = frozenset({"Reshape", "Flatten", "Squeeze", "Unsqueeze", "Identity", "Dropout", "DequantizeLinear"})
_GEMMS = frozenset({"MatMul", "Gemm"})
_HELD_OUT = 3
_WORDS = 80


class MemberCount(NamedTuple):
    """Members of one kind: of the prediction, of the real engine, of both."""

    predicted: int
    real: int
    equal: int


@dataclass(frozen=True)
class Structure:
    """One network. kernels: (predicted, real). groups: of its kernels. merged_gemms: groups with two or more GEMMs with
    stored weights, and no attention. attentions: groups with a softmax and the GEMMs on both sides.

    is_held_out: whether no rule of the simulator was fitted to it.
    """

    network: str
    family: str
    is_held_out: bool
    kernels: tuple[int, int]
    groups: MemberCount
    merged_gemms: MemberCount
    attentions: MemberCount


def structure_of(network: str, family: str, model: Model, real: Sequence[Layer]) -> Structure:
    """real: layers of the engine built from the model. Raises TrexError for a model that cannot be predicted."""
    layers = predicted_layers(model)
    sides = (work_groups(layers, model), work_groups(real, model))
    counts = [
        _counted(*({group: count for group, count in side.items() if is_chosen(group, model)} for side in sides))
        for is_chosen in (_is_any, is_merged, is_attention)
    ]
    return Structure(network, family, is_held_out(network), (kernel_count(layers), kernel_count(real)), *counts)


def predicted_layers(model: Model) -> tuple[Layer, ...]:
    """Of the engine that the simulator predicts for a strongly typed network."""
    draft = build(model, Target(find_device(_DEVICE), RELEASE, strongly_typed=True))
    return engine_from_documents([json.loads(json.dumps(engine_document(draft, "")))]).layers


def work_groups(layers: Iterable[Layer], model: Model) -> Counter[Group]:
    """{nodes of a kernel that do work: number of such kernels}."""
    names = _working(model)
    groups: Counter[Group] = Counter()
    for layer in layers:
        if layer.role is Role.KERNEL:
            origins = layer.origins or layer.name_parts.operations
            groups[frozenset(names[name] for name in origins if name in names)] += 1
    groups.pop(frozenset(), None)
    return groups


def kernel_count(layers: Iterable[Layer]) -> int:
    return sum(layer.role is Role.KERNEL for layer in layers)


def _is_any(group: Group, model: Model) -> bool:
    return True


def is_merged(group: Group, model: Model) -> bool:
    gemms = _of_types(group, model, _GEMMS)
    return sum(_has_weights(gemm, model) for gemm in gemms) > 1 and not _of_types(group, model, {"Softmax"})


def is_attention(group: Group, model: Model) -> bool:
    gemms = _of_types(group, model, _GEMMS)
    return bool(_of_types(group, model, {"Softmax"})) and sum(not _has_weights(gemm, model) for gemm in gemms) > 1


def is_held_out(network: str) -> bool:
    """A third of the networks, by the checksum of their plain names: variants in other precisions stay together."""
    plain = network
    for ending in ("-fp16", "-qat", "-qat-residual", "-qat-residual-qgap"):
        plain = plain.removesuffix(ending)
    return crc32(plain.encode()) % _HELD_OUT == 0


def structure_figures(
    structures: Sequence[Structure], left_out: Mapping[str, str], builder: str, date: str
) -> dict[str, Any]:
    """builder: of the real engines. left_out: {network: why it is not compared}, by the builder's own first words.
    date: of the day.
    """
    return {
        "schema": SCHEMA,
        "judged": date,
        "builder": builder,
        "networks": [json.loads(json.dumps(asdict(structure))) for structure in structures],
        "left_out": {name: why.splitlines()[0][:_WORDS] for name, why in left_out.items()},
    }


def kept_structure() -> dict[str, Any]:
    """The figures of the package."""
    document: dict[str, Any] = json.loads(FIGURES_FILE.read_text(encoding="utf-8"))
    return document


def _working(model: Model) -> dict[str, str]:
    """{node that does work: the first one that computes the same}."""
    first: dict[Any, str] = {}
    names: dict[str, str] = {}
    for step in initial_draft(model, Target(find_device(_DEVICE), RELEASE)).steps:
        operator = step.operators[0]
        if operator.type in _NO_WORK:
            continue
        key = step_key(model, step)
        names[operator.name] = operator.name if key is None else first.setdefault(key, operator.name)
    return names


def _counted(predicted: Mapping[Group, int], actual: Mapping[Group, int]) -> MemberCount:
    equal = sum((Counter(predicted) & Counter(actual)).values())
    return MemberCount(sum(predicted.values()), sum(actual.values()), equal)


def _of_types(group: Group, model: Model, types: Iterable[str]) -> list[Operator]:
    return [operator for name in group for operator in model.by_name[name] if operator.type in types]


def _has_weights(gemm: Operator, model: Model) -> bool:
    return any(name in model.constants for name in gemm.inputs[:2])
