"""Layers and times of engines that Torch-TensorRT builds.

It builds with layer_names_only verbosity, which leaves the inspector little to print, unless its Debugger is active
(releases before it: debug=True); then it builds detailed.

(1) Export the model to ONNX and give it to trex process: detailed, any TensorRT, but fused as a whole and not in
Torch-TensorRT's partitions.

(2) Convert the exported program to one serialized engine inside the Debugger, when all of it converts, and measure
that engine.

(3) Write the layer information of each compiled submodule; with save_engine_profile=True and profile_format="trex"
the Debugger of Torch-TensorRT 2.14, on its C++ runtime, also writes times of layers, in a file that ends in
_engine_execution_profile.trace.

An engine that is inspected without input shapes, as get_layer_info does, has -1 where sizes are dynamic: measuring it
with trex process or the collector captures them all.

Sources: Torch-TensorRT 2.14 (its interpreter, Debugger and TorchTensorRTModule); issues 1467 and 783 of
pytorch/TensorRT.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_ONNX = """\
import torch

torch.onnx.export(model.eval(), (example,), "model.onnx", dynamo=True)
# then: trex process model.onnx out
"""

_ENGINE = """\
import torch
import torch_tensorrt

exported = torch.export.export(model.eval().cuda(), (example.cuda(),))
with torch_tensorrt.dynamo.Debugger():
    plan = torch_tensorrt.dynamo.convert_exported_program_to_serialized_trt_engine(
        exported, arg_inputs=(example.cuda(),)
    )
with open("model.engine", "wb") as file:
    file.write(plan)
# then: trex process model.engine out
"""

_LAYERS = """\
from pathlib import Path


def write_graphs(compiled, folder):
    \"\"\"A graph file for every engine inside a module that torch_tensorrt.compile made.\"\"\"
    Path(folder).mkdir(parents=True, exist_ok=True)
    for name, module in compiled.named_modules():
        if hasattr(module, "get_layer_info"):
            path = Path(folder, f"{name or 'model'}.graph.json")
            path.write_text(module.get_layer_info(), encoding="utf-8")


# with torch_tensorrt.dynamo.Debugger():
#     compiled = torch_tensorrt.compile(model, ir="dynamo", arg_inputs=(example,))
# write_graphs(compiled, "out")
"""

SNIPPETS = (
    Snippet("(1) By way of ONNX", _ONNX),
    Snippet("(2) The whole model as one engine", _ENGINE),
    Snippet("(3) The layers of every submodule", _LAYERS),
)
