"""Blocks of elementwise operations, conditions and recurrent layers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from trex.examples.net import Net
from trex.examples.patterns.parts import ROWS, WIDTH, Block, rows_input, scalar

if TYPE_CHECKING:
    import onnx


def _pointwise_chain(net: Net) -> tuple[str, tuple[int, ...]]:
    x, other, at = rows_input(net), rows_input(net, "other"), "/chain"
    y = net.node("Mul", net.node("Add", x, other, at=at), scalar(net, 0.5), at=at)
    y = net.node("Sub", net.node("Exp", net.node("Neg", y, at=at), at=at), x, at=at)
    return net.node("Sqrt", net.node("Abs", y, at=at), at=at), ROWS


def _softmax(net: Net) -> tuple[str, tuple[int, ...]]:
    y = net.node("Mul", rows_input(net), scalar(net, 0.125), at="/scale")
    return net.node("Softmax", y, at="/softmax", axis=-1), ROWS


def _branch(net: Net) -> tuple[str, tuple[int, ...]]:
    """A condition that is an input chooses one of two linear layers."""
    from onnx import TensorProto

    x, condition = rows_input(net), net.input("condition", (), TensorProto.BOOL)
    weights = [net.weight(f"{name}.weight", WIDTH, WIDTH) for name in ("then", "else")]
    bodies = [_body(net, name, [("MatMul", (x, weight), "product"), ("Relu", ("product",), "y")])
              for name, weight in zip(("then", "else"), weights, strict=True)]  # fmt: skip
    return net.node("If", condition, at="/if", then_branch=bodies[0], else_branch=bodies[1]), ROWS


def _body(net: Net, name: str, nodes: Sequence[tuple[str, tuple[str, ...], str]]) -> onnx.GraphProto:
    from onnx import helper

    operators = [
        helper.make_node(kind, list(reads), [f"{name}_{out}"], f"/{name}/{kind}") for kind, reads, out in nodes
    ]
    for operator in operators:
        operator.input[:] = [
            f"{name}_{read}" if read in {out for _, _, out in nodes} else read for read in operator.input
        ]
    return helper.make_graph(
        operators, name, [], [helper.make_tensor_value_info(operators[-1].output[0], net.type, ROWS)]
    )


def _recurrent(kind: str, gates: int) -> Block:
    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        x, hidden = net.input("x", (16, 1, 64)), 64
        parameters = [net.weight(f"rnn.{name}", 1, gates * hidden, 64) for name in ("weight", "recurrence")]
        y = net.node(kind, x, *parameters, net.weight("rnn.bias", 1, 2 * gates * hidden), at="/rnn", hidden_size=hidden)
        return net.node("Squeeze", y, net.constant([1], (1,)), at="/rnn"), (16, 1, 64)

    return block


BLOCKS: Mapping[str, Block] = {
    "pointwise-chain": _pointwise_chain,
    "softmax": _softmax,
    "branch": _branch,
    "lstm": _recurrent("LSTM", 4),
    "gru": _recurrent("GRU", 3),
}
