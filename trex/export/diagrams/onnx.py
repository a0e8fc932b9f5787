"""ONNX: a model whose nodes are the engine's layers, to be looked at in Netron; needs the extra ``onnx``."""

from __future__ import annotations

from trex.export.diagram import DiagramFormat, Drawing


def render(drawing: Drawing) -> bytes:
    from trex.export.onnx_graph import onnx_model

    model = onnx_model(drawing.whole_graph)
    model.doc_string = drawing.plan.statement
    result: bytes = model.SerializeToString()
    return result


FORMAT = DiagramFormat((".onnx",), render, is_text=False)
