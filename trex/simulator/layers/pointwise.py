"""Elementwise and activation operations, alone or fused to one kernel."""

from __future__ import annotations

from trex.simulator.draft import BuildStep, Draft, StepKind
from trex.simulator.layer_entry import LayerEntry, LayerRecord, kernel_name

_WORDS = {
    "Add": "plus", "Sub": "minus", "Mul": "mul", "Div": "div", "Pow": "pow", "Max": "max", "Min": "min",
    "Relu": "relu", "LeakyRelu": "leakyRelu", "Clip": "clip", "Sigmoid": "sigmoid", "Tanh": "tanh", "Elu": "elu",
    "Selu": "selu", "Softplus": "softPlus", "Softsign": "softSign", "HardSigmoid": "hardSigmoid", "Gelu": "gelu",
    "Exp": "exp", "Log": "log", "Sqrt": "sqrt", "Abs": "abs", "Neg": "neg", "Reciprocal": "recip", "Erf": "erf",
    "Floor": "floor", "Ceil": "ceil", "Round": "round", "Sin": "sin", "Cos": "cos", "Not": "not_", "And": "and_",
    "Or": "or_", "Xor": "xor_", "Equal": "equal", "Greater": "greater", "Less": "less", "Where": "select",
    "Cast": "cast",
}  # fmt: skip


def record(step: BuildStep, draft: Draft) -> LayerRecord:
    operations = [_WORDS.get(operator.type, operator.type.lower()) for operator in step.operators]
    arguments = [f"arg{index}" for index in range(len(step.inputs))]
    literals = [f"literal{index}" for index in range(len(step.constants))]
    lines = []
    for index, operation in enumerate(operations):
        read = [*arguments, *literals] if index == 0 else [f"var{index - 1}"]
        lines.append(f"auto const var{index} = pwgen::{operation}({', '.join(read)});")
    parameters = {
        "ParameterType": "PointWise",
        "ParameterSubType": "PointWiseExpression",
        "NbInputArgs": len(arguments),
        "InputArgs": arguments,
        "NbOutputVars": 1,
        "OutputVars": [f"var{len(operations) - 1}"],
        "NbParams": 0,
        "Params": [],
        "NbLiterals": len(literals),
        "Literals": literals,
        "NbOperations": len(operations),
        "Operations": lines,
    }
    return LayerRecord("PointWiseV2", parameters, kernel_name(step, draft, "pointwise"))


ENTRY = LayerEntry(
    (StepKind.ACTIVATION, StepKind.CAST, StepKind.ELEMENTWISE, StepKind.POINTWISE, StepKind.SELECT), record
)
