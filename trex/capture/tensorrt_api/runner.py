"""Runner: one inference launched as asked for: kernels one by one, or all of them as one CUDA graph."""

from __future__ import annotations

from typing import Any

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.buffers import Buffer, buffer_bytes, fill_inputs, loaded_inputs, pair
from trex.capture.tensorrt_api.context import Ready
from trex.capture.tensorrt_api.fault import FAILED, Fault
from trex.capture.tensorrt_api.library import Library
from trex.capture.tensorrt_api.shape_spec import shape_text


class Runner:
    """graph: what launch replays, None while kernels are launched one by one."""

    def __init__(self, library: Library, cuda: Any, ready: Ready, job: Job, stream: Any) -> None:
        self.library = library
        self.cuda = cuda
        self.context = ready.context
        self.stream = stream
        self.handle = cuda.handle(stream)
        self.graph: Any = None
        self.buffers = _buffers(library, cuda, ready, job.has("includeDataTransfers"))
        fill_inputs(cuda, ready.engine, self.buffers, loaded_inputs(job.text("loadInputs")), stream)

    def enqueue(self) -> None:
        if not self.context.execute_async_v3(self.handle):
            raise Fault("the inference failed: %s" % (self.library.log.reason or "TensorRT does not say why"),
                        "", FAILED)  # fmt: skip

    def launch(self) -> None:
        if self.graph is None:
            self.enqueue()
        else:
            self.cuda.launch(self.graph, self.stream)

    def finish(self) -> None:
        self.cuda.finish(self.stream)

    def capture(self) -> None:
        """Makes the graph, after one plain inference, in which TensorRT sets up what must not be captured."""
        log = self.library.log
        self.graph = None
        self.enqueue()
        self.finish()
        if not self.cuda.has_graphs:
            log.warning(f"{self.cuda.name} knows no CUDA graphs: the kernels are launched one by one")
            return
        log.info("Capturing CUDA graph for the current execution context")
        try:
            self.cuda.begin_capture(self.stream)
            try:
                self.enqueue()
            finally:
                graph = self.cuda.end_capture(self.stream)
        except Fault as fault:
            log.warning(f"CUDA graph capture failed ({fault.message}): the kernels are launched one by one")
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


def _buffers(library: Library, cuda: Any, ready: Ready, with_copies: bool) -> list[Buffer]:
    """Memory for every input and output, told to the context."""
    buffers = []
    for name in ready.names:
        is_input, is_on_host = pair(ready.engine, library.trt, name)
        if is_input and is_on_host:
            continue  # its values have their address already
        dims = tuple(ready.context.get_tensor_shape(name))
        if any(size < 0 for size in dims):
            size = int(ready.context.get_max_output_size(name))
            if is_input or size <= 0:
                raise Fault(f"nothing tells how large {name} becomes: its shape is {shape_text(dims)}",
                            "give every input a shape (--shapes)", FAILED)  # fmt: skip
        else:
            size = buffer_bytes(ready.engine, name, dims)
        # Page-locked memory is dear: outputs have it only where they are copied.
        host = cuda.host(size) if is_input or is_on_host or with_copies else 0
        device = 0 if is_on_host else cuda.allocate(size)
        if device:
            cuda.clear(device, size)
        if not ready.context.set_tensor_address(name, device or host):
            raise Fault(f"TensorRT does not take the memory for {name}: {library.log.reason}", "", FAILED)
        side = "Input" if is_input else "Output"
        library.log.detail(f"{side} binding for {name} with dimensions {shape_text(dims)} is created.")
        buffers.append(Buffer(name, is_input, size, device, host))
    return buffers
