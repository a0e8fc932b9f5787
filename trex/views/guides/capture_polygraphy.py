"""Layers and times of engines that Polygraphy builds.

It builds detailed unless --profiling-verbosity says otherwise (CreateConfig: profiling_verbosity), so that its
engines contain everything. trex reads the text of polygraphy inspect model --show layers attrs: names, types, tensors
and tactic ids of the layers. Attributes, weights and kernel names are only in the inspector's JSON, which a few lines
of Python write, as does trex process model.engine out, which measures, too.

Times: trex reads the results of polygraphy run (--save-outputs results.json: a name with an ending; a folder of one
file per iteration is not read) and the average in its log. They are host times of whole inferences, with copies and
Python's overhead: a figure of their own, never taken for GPU compute or latency. Add --sequential-runners --warm-up 10.

Shapes: what Polygraphy calls --trt-min-shapes x:[1,3,224,224] is minShapes=x:1x3x224x224 for trex.

Sources: Polygraphy 0.53 (its arguments and CreateConfig); TensorRT's pages of EngineInspector.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_BUILD = """\
polygraphy convert model.onnx --fp16 --profiling-verbosity detailed \\
    -o model.engine
trex process model.engine out
"""

_RUN = """\
polygraphy run model.engine --model-type engine --trt --iterations 100 \\
    --sequential-runners --warm-up 10 --save-outputs out/results.json
trex summary out
"""

_INSPECT = """\
import tensorrt


def write_graph(engine, path, shapes=None):
    \"\"\"The graph file of any engine; shapes: {input: dimensions}, of dynamic ones.\"\"\"
    context = engine.create_execution_context()
    for name, dimensions in (shapes or {}).items():
        context.set_input_shape(name, dimensions)
    inspector = engine.create_engine_inspector()
    inspector.execution_context = context  # without it sizes and formats are missing
    text = inspector.get_engine_information(tensorrt.LayerInformationFormat.JSON)
    with open(path, "w", encoding="utf-8", errors="replace") as file:
        file.write(text)


# from polygraphy.backend.common import bytes_from_path
# from polygraphy.backend.trt import engine_from_bytes
# engine = engine_from_bytes(bytes_from_path("model.engine"))
# write_graph(engine, "model.graph.json", {"x": (1, 3, 224, 224)})
"""

SNIPPETS = (
    Snippet("On the command line", _BUILD, "bash"),
    Snippet("In Python, any engine", _INSPECT),
    Snippet("Times on the host, by Polygraphy", _RUN, "bash"),
)
