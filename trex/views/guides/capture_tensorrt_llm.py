"""Layers and times of engines that TensorRT-LLM builds.

trtllm-build has --profiling_verbosity, whose default is layer_names_only: build with detailed. It writes
rank0.engine, and one engine more for each further GPU, into --output_dir. TensorRT-LLM's PyTorch backend, the default
of its newer releases, builds no engine: there is nothing for trex to read.

The engines hold TensorRT-LLM's plugins, so whoever loads one needs their library: --plugins of the collector, which
also registers them, or staticPlugins=FILE of trtexec. It must be the TensorRT that built the engine, with its
libraries on the loader's path.

The inputs of these engines belong together (lengths, positions, pages of the cache); made-up ones may fail or crash
the run. The layers are still available: --skip-inference inspects without running. Times come with real inputs
only: --load-inputs name:file,… gives them as raw bytes.

Sources: trtllm-build's options and TensorRT-LLM's plugin loader; issues 2501, 336 and 2159 of NVIDIA/TensorRT-LLM.
"""

from __future__ import annotations

from trex.views.guide import Snippet

_BUILD = """\
trtllm-build --checkpoint_dir checkpoint --output_dir engine \\
    --profiling_verbosity detailed
trex collector > collect.py
"""

_LIBRARY = """\
from importlib.util import find_spec
from pathlib import Path


def plugin_library():
    \"\"\"The library of TensorRT-LLM's plugins, found without importing it.\"\"\"
    package = Path(find_spec("tensorrt_llm").origin).parent
    return str(next(package.glob("libs/*nvinfer_plugin_tensorrt_llm*")))


print(plugin_library())
"""

_INSPECT = """\
python collect.py engine/rank0.engine out --skip-inference \\
    --plugins LIBRARY --shapes input_ids:8,position_ids:8
trex draw out -o engine.html --group-by block
"""

SNIPPETS = (
    Snippet("Build in detail", _BUILD, "bash"),
    Snippet("Where the plugins are", _LIBRARY),
    Snippet("Inspect (the shapes are an example: the collector names the inputs it misses)", _INSPECT, "bash"),
)
