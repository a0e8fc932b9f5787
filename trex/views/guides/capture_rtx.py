"""A real engine on a machine without a GPU: TensorRT for RTX.

TensorRT for RTX builds ahead of time on the CPU, without a GPU, a driver or CUDA: a ResNet18 in one second, BERT-base
in two to twelve. Its libraries and its Python module are two wheels of the Python package index, for Linux x86-64
under NVIDIA's own license; their versions must agree, and the extra ``rtx`` installs two that do. trex loads them in
a process of their own.

The layers are real: what is fused, which precisions, tensors and constants. Times are not, without a GPU, and most
kernels are chosen on the user's GPU at run time, so their names are stubs. Nearly everything goes to Myelin, as in
TensorRT 11: convolutions are layers of type correlation, generated kernels kgen. ``trex lint`` judges the structure;
rules about a run or a chosen kernel do not run. An INT8 convolution always writes floats, which another kernel
quantizes; a depthwise one is padded to four times its channels.

All precisions are those of the ONNX model. An FP32 model becomes an FP32 engine: convert it first, to FP16 as below or
by ModelOpt AutoCast, which keeps in FP32 what needs it; to INT8 by Q/DQ nodes. ``--target`` takes compute
capabilities (sm75, sm80, sm86, sm89, sm120, sm121), names of GPUs, or all; without it the engine is for sm86 and
later. A target that lacks what the model needs ends the build: FP8 before sm89, products of FP32 matrices on sm75.
refit and stripWeights take a GPU while building.

``--device`` predicts the times of the real layers for a GPU. On a machine with a GPU of these capabilities and a CUDA
binding for Python, without ``--device``, they are measured.

Sources: builds by TensorRT for RTX 1.7.1 on a CPU, for this page and in the tests. Running them on a GPU was tried
with a mock of its Python module only: the one GPU at hand, an H100, it refuses ("does not support this compute
capability", 9.0), also engines built on that machine.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_BUILD = """\
pip install 'tensorrt-engine-explorer[rtx,onnx,report]'
trex process model.onnx out --backend tensorrt-rtx --device "RTX 4090"
trex process model.onnx out --backend tensorrt-rtx --device L4 shapes=x:1x3x224x224
trex process model.onnx out --backend tensorrt-rtx --target "RTX 4090" \\
    minShapes=x:1x3x224x224 optShapes=x:8x3x224x224 maxShapes=x:16x3x224x224
"""

_TO_FP16 = """\
# pip install onnxconverter-common
import onnx
from onnxconverter_common.float16 import convert_float_to_float16

model = convert_float_to_float16(onnx.load("model.onnx"), keep_io_types=True)
onnx.save(model, "model-fp16.onnx")
"""

_EXAMPLE = """\
trex examples --model resnet18-qat --weights random -o resnet18-qat.onnx
trex process resnet18-qat.onnx out --backend tensorrt-rtx --device "RTX 4090"
trex report out -o report.html
"""

SNIPPETS = (
    Snippet("Build a model of yours", _BUILD, "bash"),
    Snippet("Convert it to FP16", _TO_FP16, "python"),
    Snippet("Build an example network", _EXAMPLE, "bash"),
)
