"""Runner: launches one inference, kernel by kernel or as one CUDA graph."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.buffers import Buffer, buffer_bytes, fill_inputs, loaded_inputs, tensor_role
from trex.capture.tensorrt_api.context import PreparedContext
from trex.capture.tensorrt_api.errors import FAILED, CollectorError
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.shape_spec import shape_text


class Runner:
    """graph: the CUDA graph to launch, None to launch kernel by kernel."""

    def __init__(
        self, library: Library, cuda: Any, prepared: PreparedContext, options: CollectorOptions, stream: Any
    ) -> None:
        self.library = library
        self.cuda = cuda
        self.context = prepared.context
        self.stream = stream
        self.handle = cuda.handle(stream)
        self.graph: Any = None
        self.buffers = _buffers(library, cuda, prepared, options.has("includeDataTransfers"))
        fill_inputs(cuda, prepared.engine, self.buffers, loaded_inputs(options.text("loadInputs")), stream)

    def enqueue(self) -> None:
        if not self.context.execute_async_v3(self.handle):
            raise CollectorError(f"the inference failed: {self.library.reason}", "", FAILED)

    def launch(self) -> None:
        if self.graph is None:
            self.enqueue()
        else:
            self.cuda.launch(self.graph, self.stream)

    def finish(self) -> None:
        self.cuda.finish(self.stream)

    def run_plain(self) -> None:
        """One inference without a graph; TensorRT initializes in it what must not be captured."""
        self.graph = None
        self.enqueue()
        self.finish()

    def capture(self) -> None:
        """Captures the graph, after one plain inference."""
        log = self.library.log
        self.run_plain()
        if not self.cuda.has_graphs:
            log.warning(f"{self.cuda.name} has no CUDA graphs: the kernels are launched one by one")
            return
        log.info("Capturing CUDA graph for the current execution context")
        try:
            self.cuda.begin_capture(self.stream)
            try:
                self.enqueue()
            finally:
                graph = self.cuda.end_capture(self.stream)
        except CollectorError as error:
            log.warning(f"CUDA graph capture failed ({error.message}): the kernels are launched one by one")
            return
        self.graph = graph
        log.info("Successfully captured CUDA graph for the current execution context")

    def copy_inputs(self) -> None:
        for buffer in self.buffers:
            if buffer.is_input and buffer.device:
                self.cuda.copy_in(buffer.device, buffer.host, buffer.size, self.stream)

    def copy_outputs(self) -> None:
        for buffer in self.buffers:
            if not buffer.is_input and buffer.device:
                self.cuda.copy_out(buffer.host, buffer.device, buffer.size, self.stream)


def _buffers(library: Library, cuda: Any, prepared: PreparedContext, with_copies: bool) -> list[Buffer]:
    """Memory for every input and output, with its address set on the context."""
    buffers = []
    for name in prepared.names:
        is_input, is_on_host = tensor_role(prepared.engine, library.trt, name)
        if is_input and is_on_host:
            continue  # its values have their address already
        shape = tuple(prepared.context.get_tensor_shape(name))
        if any(size < 0 for size in shape):
            size = int(prepared.context.get_max_output_size(name))
            if is_input or size <= 0:
                raise CollectorError(f"the size of {name} is unknown: its shape is {shape_text(shape)}",
                                     "give every input a shape (--shapes)", FAILED)  # fmt: skip
        else:
            size = buffer_bytes(prepared.engine, name, shape)
        # Page-locked memory is scarce: outputs get it only if they are copied.
        host = cuda.host(size) if is_input or is_on_host or with_copies else 0
        device = 0 if is_on_host else cuda.allocate(size)
        if device:
            cuda.clear(device, size)
        if not prepared.context.set_tensor_address(name, device or host):
            raise CollectorError(f"TensorRT rejects the memory for {name}: {library.reason}", "", FAILED)
        kind = "Input" if is_input else "Output"
        library.log.detail(f"{kind} binding for {name} with dimensions {shape_text(shape)} is created.")
        buffers.append(Buffer(name, is_input, size, device, host))
    return buffers
