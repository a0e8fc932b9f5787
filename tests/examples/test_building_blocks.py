"""Building blocks: each is a valid model, and every family has some."""

from __future__ import annotations

import pytest

from trex.core.errors import TrexError
from trex.examples.building_blocks import block_names, make_block

onnx = pytest.importorskip("onnx")


@pytest.mark.parametrize("name", block_names())
def test_a_block_is_a_valid_model_of_its_type(name: str) -> None:
    model = make_block(name)
    onnx.checker.check_model(model, full_check=True)
    kinds = {node.op_type for node in model.graph.node}
    assert ("QuantizeLinear" in kinds) is name.endswith("-qat")
    types = {tensor.data_type for tensor in model.graph.initializer if len(tensor.dims) > 1}
    assert (onnx.TensorProto.FLOAT16 in types) <= name.endswith("-fp16")
    assert len({node.name for node in model.graph.node}) == len(model.graph.node)


def test_an_unknown_name_is_refused() -> None:
    with pytest.raises(TrexError, match="no building block is called 'attention-fp8'"):
        make_block("attention-fp8")
