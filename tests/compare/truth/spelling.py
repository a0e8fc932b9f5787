"""Draft → EnginePlan: the names that exporters and releases give, the file's records, and the profile beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from random import Random

from tests.compare.truth.changes import Without
from tests.compare.truth.draft import END, Copy, Draft, Kernel
from tests.compare.truth.network import IMAGE, LEADS, POOLS, Operation
from tests.synthetic import layers as make
from tests.synthetic.description import Region, Step
from tests.synthetic.measurements import six
from tests.synthetic.spellings import spell_layer
from trex.core.timings import LayerTime, LayerTimes
from trex.ingest.graph_json import engine_from_documents
from trex.plan.engine_plan import EnginePlan

_TOKENS = {"Transpose": "Tran", "Reshape": "Resh", "ReduceMean": "Mean", "Softmax": "MaxSubExpSumDivMul"}
_UNNAMED = {"Conv": "Convolution", "Relu": "Activation", "Clip": "Activation", "Sigmoid": "Activation"} | {
    "MaxPool": "Pooling", "GlobalAveragePool": "Pooling", "MatMul": "Matrix Multiply", "Gemm": "Fully Connected",
    "Add": "ElementWise", "Reshape": "Shuffle", "Transpose": "Shuffle", "ReduceMean": "Reduce",
}  # fmt: skip
FOREIGN = 20


@dataclass(frozen=True)
class Spelled:
    """How one side is written. names: ``path`` (torch's newer exporter), ``numbered`` (its older one) or ``unnamed``
    (built through the API). seed: of the numbers; the same seed numbers the same network alike. origins: whether the
    files tell the ONNX nodes. quantizers: whether conversions to INT8 are nodes of the model. region: of Myelin.
    only_names: nothing but the layers' names is told. noise: relative deviation of each layer's time.
    """

    names: str = "path"
    version: str = "10.4"
    seed: int = 0
    origins: bool = True
    quantizers: bool = False
    region: int = 0
    first: int = 0
    only_names: bool = False
    noise: float = 0.0


class Speller:
    def __init__(self, draft: Draft, spelled: Spelled) -> None:
        self.draft, self.spelled = draft, spelled
        self.random = Random(f"spelling {spelled.seed} {spelled.region}")
        network = draft.network
        present = network.present() if isinstance(network, Without) else network.operations
        self.numbers: dict[int, int] = {}
        number = 0
        for operation in present:
            self.numbers[operation.number] = number
            number += 1 if spelled.seed == 0 else self.random.choice((1, 1, 2, 3))
        self.index = spelled.first
        self.slot, self.constants = spelled.first, 100 + spelled.first
        self.names: dict[int, str] = {}
        self.casts: dict[tuple[int, int], tuple[str, str]] = {}
        for step in draft.steps:
            if isinstance(step, Kernel):
                self.names[step.operations[0]] = self.kernel_name(step)
            elif draft.style == "myelin" and step.reader != END and not self._is_quantizer(step):
                self.index, self.constants = self.index + 1, self.constants + 1
                names = f"__myl_Cast_myl{spelled.region}_{self.index}", f"__mye{self.constants}_myl{spelled.region}"
                self.casts[step.source, step.reader] = names
        self.tensor_names: dict[int, str] = {}

    def plan(self, times: Sequence[float]) -> EnginePlan:
        """The engine with these times, one for each of the draft's steps."""
        steps = [self.copy(step) if isinstance(step, Copy) else self.kernel(step) for step in self.draft.steps]
        version = self.spelled.version
        records = [step.name if self.spelled.only_names else spell_layer(step, version) for step in steps]
        engine = engine_from_documents([{"Layers": records}])
        seen: Counter[str] = Counter()
        rows = []
        for layer, ms in zip(engine.layers, times, strict=True):
            rows.append(LayerTime(layer.name, seen[layer.name], ms * 100, ms, ms, None))
            seen[layer.name] += 1
        plan = EnginePlan(engine, LayerTimes(tuple(rows)))
        if len(plan.working_layers) != len(steps) or any(time is None for time in plan.times):
            raise ValueError("a step is missing in the plan")
        return plan

    def operation(self, operation: Operation) -> str:
        if self.spelled.names == "path":
            return operation.path
        number = self.numbers[operation.number]
        if self.spelled.names == "numbered":
            return f"{operation.kind}_{number}"
        return f"(Unnamed Layer* {number}) [{_UNNAMED.get(operation.kind, 'Unary')}]"

    def operations(self, kernel: Kernel) -> tuple[str, ...]:
        return tuple(self.operation(self.draft.network.operations[each]) for each in kernel.operations)

    def kernel_name(self, kernel: Kernel) -> str:
        names = self.operations(kernel)
        lead = self.lead(kernel)
        if len(kernel.operations) >= FOREIGN:
            return f"{{ForeignNode[{names[0]}...{names[-1]}]}}"
        if self.draft.style == "native":
            if lead is None:
                return f"PWN({', '.join(names)})" if len(names) > 1 else f"PWN({names[0]})"
            at = self.draft.network.operations[lead].at.strip("/").replace("/", ".")
            if kernel.type == "INT8" and self.spelled.quantizers and self.spelled.names == "path":
                names = (f"{at}.weight", f"/{at}/_weight_quantizer/QuantizeLinear", *names)
            return " + ".join(names)
        self.index += 1
        end = f"_myl{self.spelled.region}_{self.index}"
        kinds = [self.draft.network.operations[each].kind for each in kernel.operations]
        if "Softmax" in kinds and "MatMul" in kinds:
            return f"_gemm_mha_v2{end}"
        if lead is not None:
            return f"{self.operation(self.draft.network.operations[lead])}{end}"
        return f"__myl_{''.join(_TOKENS.get(kind, kind[:4]) for kind in kinds)}{end}"

    def lead(self, kernel: Kernel) -> int | None:
        """The operation that says what kind of kernel it is."""
        operations = self.draft.network.operations
        found = [each for each in kernel.operations if operations[each].kind in LEADS]
        found = found or [each for each in kernel.operations if operations[each].kind in POOLS]
        return found[0] if found else None

    def tensor(self, number: int, type_: str = "", layout: str = "") -> Region:
        network = self.draft.network
        had, lies = self.draft.form(number)
        if number not in self.tensor_names:
            self.tensor_names[number] = self._tensor_name(number)
        return Region(self.tensor_names[number], network.dims_of(number), type_ or had, layout or lies)

    def _tensor_name(self, number: int) -> str:
        if number == IMAGE:
            return "input"
        operation = self.draft.network.operations[number]
        name = f"{self.operation(operation)}_output_0"
        if self.spelled.names == "numbered":
            given = self.numbers[number] + 130
            name = f"input.{given}" if given % 3 == 0 else f"onnx::{operation.kind}_{given}"
        if self.draft.style == "native":
            return name
        self.slot += 1
        region = self.spelled.region
        if self.slot % 2:
            return f"{name}'.1_{self.slot}_myl{region}"
        return f"__myln_k_arg__bb1_{self.slot}_myl{region}"

    def inputs(self, kernel: Kernel) -> list[Region]:
        found = []
        for place, source in enumerate(self.draft.reads(kernel)):
            copy = next((each for each in self._copies.get(kernel.operations[0], ()) if each.source == source), None)
            found.append(self.tensor(source) if copy is None else self.converted(copy, place))
        return found

    @property
    def _copies(self) -> dict[int, list[Copy]]:
        if "copies" not in self.__dict__:
            self.copies: dict[int, list[Copy]] = {}
            for step in self.draft.steps:
                if isinstance(step, Copy):
                    self.copies.setdefault(step.reader, []).append(step)
        return self.copies

    def converted(self, copy: Copy, place: int) -> Region:
        region = self.tensor(copy.source, *copy.after)
        if copy.reader == END:
            return region.renamed("output")
        if self._is_quantizer(copy):
            return region.renamed(f"{self._quantizer(copy)}_output_0")
        name = self.names[copy.reader]
        if self.draft.style == "myelin":
            return region.renamed(self.casts[copy.source, copy.reader][1])
        return region.renamed(f"Reformatted Input Tensor {place} to {name}")

    def _is_quantizer(self, copy: Copy) -> bool:
        return self.spelled.quantizers and copy.after[0] == "INT8" and copy.reader != END

    def _quantizer(self, copy: Copy) -> str:
        operation = self.draft.network.operations[copy.reader]
        if self.spelled.names == "path":
            return f"{operation.at}/_input_quantizer/QuantizeLinear"
        return f"QuantizeLinear_{1000 + self.numbers[copy.reader]}"

    def copy(self, copy: Copy) -> Step:
        source, place = self.tensor(copy.source), 0
        if copy.reader != END:
            kernel = self.draft.kernels[self.draft.kernel_of[copy.reader]]
            place = self.draft.reads(kernel).index(copy.source)
        output = self.converted(copy, place)
        if self._is_quantizer(copy):
            name = self._quantizer(copy)
            return make.reformat(name, source, output, "QDQ", (name,) if self.spelled.origins else ())
        if copy.reader == END:
            owner = self.names[self.draft.kernels[-1].operations[0]]
            return make.reformat(f"Reformatting CopyNode for Output Tensor 0 to {owner}", source, output)
        if self.draft.style == "myelin":
            return make.generated(self.casts[copy.source, copy.reader][0], "__myl_Cast", (source,), (output,))
        return make.reformat(
            f"Reformatting CopyNode for Input Tensor {place} to {self.names[copy.reader]}", source, output
        )

    def kernel(self, kernel: Kernel) -> Step:
        network = self.draft.network
        name, origins = self.names[kernel.operations[0]], self.operations(kernel)
        reads = self.inputs(kernel)
        results = [self.tensor(each) for each in self.draft.results(kernel)]
        if kernel is self.draft.kernels[-1] and not self._copies.get(END):
            results[-1] = results[-1].renamed("output")
        lead = self.lead(kernel)
        operation = network.operations[kernel.operations[0] if lead is None else lead]
        kinds = [network.operations[each].kind for each in kernel.operations]
        if len(kernel.operations) >= FOREIGN:
            step = Step(name, "Myelin", tuple(reads), tuple(results), compute=kernel.type)
        elif self.draft.style == "myelin" and (operation.kind not in LEADS or "Softmax" in kinds):
            step = make.generated(name, name.rpartition("_myl")[0], reads, results)
        elif operation.kind == "Conv" and reads:
            step = make.convolution(
                name, replace(reads[0], dims=self._read_by(operation.number)), results[0], (operation.window,) * 2,
                stride=operation.stride, groups=operation.groups, relu="Relu" in kinds,
                residual=reads[1] if len(reads) > 1 else None, weights=kernel.type,
            )  # fmt: skip
            if not kernel.variant:
                step = replace(step, outputs=tuple(results))
        elif operation.kind == "Gemm":
            step = make.gemm_convolution(name, reads[0], results[0])
        elif operation.kind == "MatMul":
            self.constants += 1
            dims = (reads[0].dims[-1], operation.dims[-1])
            weights = [Region(f"__mye{self.constants}_dconst", dims, kernel.type)]
            step = make.matrix_multiply(name, reads[0], weights[0], results[0])
            step = replace(step, inputs=(*reads, *weights) if len(reads) < 2 else tuple(reads))
        elif operation.kind in POOLS:
            kind = "MAX" if operation.kind == "MaxPool" else "AVERAGE"
            step = make.pooling(name, reads[0], results[0], (operation.window,) * 2, kind=kind)
        else:
            step = make.pointwise(name, reads, results[0], [f"i{kind}" for kind in kinds])
            step = replace(step, tactic=f"synthetic_pointwise_{''.join(kinds)}_{kernel.type}")
        tactic = f"{step.tactic}_v{kernel.variant}" if kernel.variant and step.tactic else step.tactic
        is_myelin = self.draft.style == "myelin"
        step = replace(
            step, inputs=step.inputs or tuple(reads), outputs=tuple(results), tactic=tactic, myelin=is_myelin
        )
        return replace(step, origins=origins if self.spelled.origins else (), separator="\x1f" if is_myelin else "\x1e")

    def _read_by(self, number: int) -> tuple[int, ...]:
        return self.draft.network.dims_of(self.draft.network.operations[number].inputs[0])


def times_of(draft: Draft, noise: float, seed: str) -> list[float]:
    """A time for each step as a profile prints it."""
    random = Random(f"times {seed}")
    return [six(max(draft.ms(step) * (1.0 + noise * random.gauss(0.0, 1.0)), 1e-5)) for step in draft.steps]
