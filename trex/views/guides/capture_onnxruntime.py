"""Layers and times of what ONNX Runtime gives to TensorRT.

Its TensorRT execution provider builds with TensorRT's default verbosity and has no option for another (asked for in
microsoft/onnxruntime issue 28582, open in 2026). An engine out of its cache can be measured, layer by layer, but
contains no more than the names of its layers.

For details build the same subgraphs again: with trt_dump_subgraphs the provider writes each ONNX subgraph that it
gives to TensorRT into the working directory. Give each to trex process with the session's own choices: the provider's
options have the names below, and its shapes are written as trtexec's. Do so with the TensorRT that ONNX Runtime was
built for, or the engines differ.

Of a cached engine (trt_engine_cache_enable, trt_engine_cache_path) the times are the session's own: trex process FILE
out, where FILE ends in .engine. trt_detailed_build_log makes the provider print how long each build takes; TensorRT's
own verbose log is not among what it prints (issue 14122).

Sources: ONNX Runtime's page of the TensorRT execution provider; issues 28582, 18803, 14122 and 22244 of
microsoft/onnxruntime.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_SESSION = """\
import onnxruntime

options = {
    "trt_fp16_enable": True,
    "trt_dump_subgraphs": True,  # the ONNX files that TensorRT is given
    "trt_engine_cache_enable": True,
    "trt_engine_cache_path": "cache",  # the engines that it builds of them
    "trt_profile_min_shapes": "x:1x3x224x224",
    "trt_profile_opt_shapes": "x:8x3x224x224",
    "trt_profile_max_shapes": "x:16x3x224x224",
}
session = onnxruntime.InferenceSession(
    "model.onnx",
    providers=[("TensorrtExecutionProvider", options), "CUDAExecutionProvider"],
)
# one inference builds the engines: session.run(None, {"x": batch})
"""

_WORDS = """\
SAME = {
    "trt_fp16_enable": "fp16",
    "trt_bf16_enable": "bf16",
    "trt_int8_enable": "int8",
    "trt_sparsity_enable": "sparsity=enable",
    "trt_builder_optimization_level": "builderOptimizationLevel={}",
    "trt_auxiliary_streams": "maxAuxStreams={}",
    "trt_profile_min_shapes": "minShapes={}",
    "trt_profile_opt_shapes": "optShapes={}",
    "trt_profile_max_shapes": "maxShapes={}",
}
OFF = (False, 0, "0", "false", "False", "")


def trex_words(options):
    \"\"\"Options of the provider as words for: trex process SUBGRAPH.onnx OUT WORDS.\"\"\"
    numbers = ("trt_builder_optimization_level", "trt_auxiliary_streams")
    words = []
    for name, value in options.items():
        if name in numbers:
            is_wanted = str(value) != "-1"
        else:
            is_wanted = value not in OFF
        if name in SAME and is_wanted:
            words.append(SAME[name].format(value))
    return words
"""

SNIPPETS = (
    Snippet("A session that leaves its subgraphs and engines behind", _SESSION),
    Snippet("Its options in trex's words", _WORDS),
)
