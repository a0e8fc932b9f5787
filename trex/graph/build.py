"""EnginePlan → PlanGraph."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trex.core.layer import Layer, Role
from trex.core.tensor import Binding, Tensor
from trex.graph.plan_graph import Edge, LayerNode, MemoryNode, Node, PlanGraph
from trex.plan.engine_plan import EnginePlan
from trex.plan.generations import Generation, generations_of

# The writer of a folded NoOp's input is searched through this many NoOps; real chains have one or two.
MAX_NOOP_CHAIN = 64


def build_graph(
    plan: EnginePlan,
    include_constants: bool = False,
    *,
    include_regions: bool = False,
    include_forking_regions: bool = False,
    lint: object | None = None,
) -> PlanGraph:
    """The data flow of a plan; linear in its layers and tensors.

    Tensor names may be reused (see ``Generation``), have several writers, and be read before they are written. Engine
    inputs and outputs are nodes in the order of the bindings; a tensor without a writer is a ``dangling`` node.
    include_constants: whether data of Constant layers are nodes. include_regions: whether memory between layers is a
    node, one per generation of a tensor name; include_forking_regions: only if several layers read it. lint: see
    ``PlanGraph``.
    """
    least_readers = 0 if include_regions else 2 if include_forking_regions else None
    return _Builder(plan, include_constants, least_readers, lint).build()


@dataclass(slots=True)
class _Builder:
    plan: EnginePlan
    include_constants: bool
    least_readers: int | None
    lint: object | None = None
    nodes: list[Node] = field(default_factory=list)
    edges: list[Edge] = field(default_factory=list)
    inputs_of: dict[int, dict[str, Tensor]] = field(default_factory=dict)

    def build(self) -> PlanGraph:
        layers, times = self.plan.working_layers, self.plan.times
        self.nodes.extend(LayerNode(i, layer, times[i] if i < len(times) else None) for i, layer in enumerate(layers))
        constants = {tensor.name: layer for layer in self.plan.engine.constants for tensor in layer.outputs}
        bindings = {binding.name: binding for binding in self.plan.engine.bindings}
        given = frozenset(name for name, binding in bindings.items() if binding.is_input)
        generations = generations_of(layers, given | constants.keys())
        written = {generation.name for generation in generations if generation.writers}
        # A binding of unknown direction is an output if and only if some layer writes it.
        inputs = {b.name: b for b in bindings.values() if b.is_input or (b.is_input is None and b.name not in written)}
        outputs = {b.name: b for b in bindings.values() if b.name not in inputs}
        source_of = {name: self._memory("input", name, binding.tensor) for name, binding in inputs.items()}
        latest = {generation.name: generation for generation in generations}
        for generation in generations:
            sources = generation.writers
            if not sources and generation.readers:
                sources = self._outside(generation, source_of, constants)
            elif self._is_region(generation, latest.get(generation.name) if generation.name in outputs else None):
                sources = self._between("region", generation)
            elif len(sources) * len(generation.readers) > len(sources) + len(generation.readers):
                # A node between many writers and many readers keeps the number of edges linear.
                sources = self._between("merge", generation)
            self._connect(sources, generation.readers, generation)
            self._connect(generation.writers[-1:], generation.carried_readers, generation, carried=True)
        for name, binding in outputs.items():
            self._output(binding, latest.get(name))
        self.edges.sort(key=lambda edge: edge.target)
        return PlanGraph(tuple(self.nodes), tuple(self.edges), generations, self.plan.name, (), self.plan, self.lint)

    def _memory(self, kind: str, name: str, tensor: Tensor | None, origin: str = "", generation: int = 0) -> int:
        node = MemoryNode(len(self.nodes), kind, name, tensor, origin, generation)
        self.nodes.append(node)
        return node.id

    def _outside(
        self, generation: Generation, source_of: dict[str, int], constants: Mapping[str, Layer]
    ) -> tuple[int, ...]:
        """The node of data that no layer of the plan writes; none for a hidden constant."""
        name = generation.name
        known = source_of.get(name)
        if known is not None:
            return (known,)
        if name in constants:
            return (self._memory("constant", name, generation.tensor),) if self.include_constants else ()
        origin = self._hidden_writer(name, constants)
        if origin is not None and origin.role is Role.CONSTANT:
            return (self._memory("constant", name, generation.tensor),) if self.include_constants else ()
        return (self._memory("dangling", name, generation.tensor, origin.name if origin else ""),)

    def _hidden_writer(self, name: str, constants: Mapping[str, Layer]) -> Layer | None:
        """The writer of a name that is not among the plan's layers, through folded NoOps."""
        origin: Layer | None = None
        for _ in range(MAX_NOOP_CHAIN):
            writers = self.plan.engine.producers.get(name)
            if not writers:
                return origin
            origin = writers[-1]
            if origin.role is not Role.NOOP or len(origin.inputs) != 1:
                return origin
            name = origin.inputs[0].name
            if name in constants:
                return constants[name]
        return origin

    def _is_region(self, generation: Generation, output: Generation | None) -> bool:
        """Whether it has a region node; the engine's outputs have other nodes."""
        if self.least_readers is None or not generation.writers or generation is output:
            return False
        return len(generation.readers) >= self.least_readers

    def _between(self, kind: str, generation: Generation) -> tuple[int, ...]:
        """A node between a value's writers and its readers."""
        node = self._memory(kind, generation.name, generation.tensor, generation=generation.number)
        self._connect(generation.writers, (node,), generation)
        return (node,)

    def _output(self, binding: Binding, generation: Generation | None) -> None:
        tensor = generation.tensor if generation is not None else None
        number = generation.number if generation is not None else 0
        node = self._memory("output", binding.name, binding.tensor or tensor, generation=number)
        if generation is not None:
            self._connect(generation.writers, (node,), generation)

    def _connect(
        self, sources: Sequence[int], targets: Sequence[int], generation: Generation, carried: bool = False
    ) -> None:
        for target in targets:
            tensor = self._as_read(target, generation)
            for source in sources:
                self.edges.append(Edge(source, target, tensor, generation.number, carried))

    def _as_read(self, target: int, generation: Generation) -> Tensor:
        """The tensor as its reader sees it: a Myelin layer and its neighbor may differ in the format."""
        node = self.nodes[target]
        if not isinstance(node, LayerNode):
            return generation.tensor
        if len(node.layer.inputs) == 1:
            return node.layer.inputs[0]
        inputs = self.inputs_of.get(target)
        if inputs is None:
            inputs = self.inputs_of[target] = {tensor.name: tensor for tensor in node.layer.inputs}
        return inputs[generation.name]
