"""Runtime, engine, inspector, context, profiler: from a plan to its measurements."""

from __future__ import annotations

from typing import Any

from tests.mocks.network import Facts, Unreadable, description_of, graph_bytes, read_plan
from tests.mocks.tensorrt.building_calls import NO_GPU, ILogger
from tests.mocks.tensorrt.gpu import GPU, LAUNCH_MS
from tests.mocks.tensorrt.objects import Bound
from tests.synthetic.measurements import profile_rows


class IProfiler:
    def __init__(self) -> None:
        self._is_made = True

    def report_layer_time(self, layer_name: str, ms: float) -> None: ...


class EngineInspector(Bound):
    execution_context: Any = None

    def get_engine_information(self, format: Any) -> str:
        assert format == self._session.enums["LayerInformationFormat"].JSON
        engine: ICudaEngine = self._engine
        context: IExecutionContext | None = self.execution_context
        shapes = context._shape_texts() if context is not None else {}
        description = description_of(engine._facts, shapes)
        return graph_bytes(engine._facts, description, self._session.release, context is not None).decode()


class IExecutionContext(Bound):
    profiler: Any = None
    enqueue_emits_profile: Any = True

    def __init__(self) -> None:
        self._shapes: dict[str, tuple[int, ...]] = {}
        self._addresses: dict[str, int] = {}
        self._profile = 0
        self._pending: list[tuple[str, float]] = []
        self._runs = 0

    def set_optimization_profile_async(self, profile_index: int, stream_handle: int) -> bool:
        self._profile = profile_index
        return bool(profile_index < max(1, self._engine.num_optimization_profiles))

    def set_input_shape(self, name: str, shape: Any) -> bool:
        engine: ICudaEngine = self._engine
        own, dims = engine._inputs[name], tuple(shape)
        if len(own) != len(dims) or any(size not in (-1, given) for size, given in zip(own, dims)):
            return False
        if name in engine._ranges(self._profile):
            low, _, high = engine.get_tensor_profile_shape(name, self._profile)
            if any(not a <= b <= c for a, b, c in zip(low, dims, high)):
                engine._logger.log(
                    ILogger.ERROR,
                    f"IExecutionContext::setInputShape: Error Code 3: API Usage Error ({name}: {list(dims)} does not "
                    "satisfy any optimization profile)",
                )
                return False
        self._shapes[name] = dims
        return True

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        engine: ICudaEngine = self._engine
        if name in engine._inputs:
            return self._shapes.get(name, tuple(engine._inputs[name]))
        regions = {region.name: region for region in description_of(engine._facts, self._shape_texts()).outputs}
        return tuple(regions[name].dims)

    def get_max_output_size(self, name: str) -> int:
        return 1 << 20

    def set_tensor_address(self, name: str, memory: int) -> bool:
        assert isinstance(memory, int)
        self._addresses[name] = memory
        return True

    def execute_async_v3(self, stream_handle: int) -> bool:
        engine: ICudaEngine = self._engine
        session = self._session
        missing = [name for name in engine._names if not self._addresses.get(name)]
        if missing or session.fails("inference"):
            session.complain(engine._logger, f"Error Code 3: API Usage Error (no address for {missing})")
            return False
        if stream_handle in GPU.capturing and session.fails("capture"):
            GPU.refuses_capture = True
        description = description_of(engine._facts, self._shape_texts())
        rows = [(name, median) for name, _, median in profile_rows(description)]
        profiler = self.profiler

        def run() -> None:
            self._runs += 1
            left_out = session.behavior.get("skips") if self._runs % 2 else None
            calls = [(name, median) for name, median in rows if name != left_out]
            GPU.spend(0.93 * sum(median for _, median in calls))
            if profiler is not None and not session.behavior.get("no_report"):
                self._pending = calls

        if stream_handle not in GPU.capturing:
            GPU.spend(LAUNCH_MS)
        GPU.do(stream_handle, run)
        if profiler is not None and self.enqueue_emits_profile:
            self.report_to_profiler()
        return True

    def report_to_profiler(self) -> bool:
        calls, self._pending = self._pending, []
        for name, milliseconds in calls:
            self.profiler.report_layer_time(name, milliseconds)
        return bool(calls)

    def _shape_texts(self) -> dict[str, str]:
        return {name: "x".join(map(str, dims)) for name, dims in self._shapes.items()}


class ICudaEngine(Bound):
    name: Any = "mock"
    num_layers: Any = 0
    num_io_tensors: Any = 0
    num_optimization_profiles: Any = 1
    profiling_verbosity: Any = None
    device_memory_size: Any = 1 << 20

    def create_execution_context(self) -> IExecutionContext | None:
        if self._session.fails("context"):
            self._session.complain(self._logger, "Error Code 2: OutOfMemory (Requested size was 1073741824 bytes.)")
            return None
        context: Any = self._session.enums["IExecutionContext"]()
        context._engine = self
        return context

    def create_engine_inspector(self) -> EngineInspector:
        inspector: Any = self._session.enums["EngineInspector"]()
        inspector._engine = self
        return inspector

    def get_tensor_name(self, index: int) -> str:
        return self._names[index]

    def get_tensor_mode(self, name: str) -> Any:
        mode = self._session.enums["TensorIOMode"]
        return mode.INPUT if name in self._inputs else mode.OUTPUT

    def get_tensor_location(self, name: str) -> Any:
        location = self._session.enums["TensorLocation"]
        return location.HOST if name == self._session.behavior.get("shape_tensor") else location.DEVICE

    def get_tensor_dtype(self, name: str) -> Any:
        types = self._session.enums["DataType"]
        if name == self._session.behavior.get("shape_tensor"):
            return types.INT64 if hasattr(types, "INT64") else types.INT32
        return types.FLOAT

    def get_tensor_shape(self, name: str) -> tuple[int, ...]:
        return tuple(self._inputs.get(name, ()))

    def get_tensor_profile_shape(self, name: str, profile_index: int) -> list[tuple[int, ...]]:
        document = self._ranges(profile_index)[name]
        return [tuple(int(size) for size in side.split("x")) for side in document]

    def get_tensor_profile_values(self, name: int, profile_index: str) -> list[list[int]]:
        """The real bindings call the two so, and take them in this order: an index, then a name."""
        assert isinstance(name, int) and isinstance(profile_index, str)
        return [[1], [2], [4]]

    def get_profile_shape_input(self, profile_index: int, binding: str) -> list[list[int]]:
        return [[1], [2], [4]]

    def get_tensor_vectorized_dim(self, name: str) -> int:
        return -1

    def get_tensor_components_per_element(self, name: str) -> int:
        return 1

    def _ranges(self, profile: int) -> dict[str, list[str]]:
        return self._facts.profiles[profile] if profile < len(self._facts.profiles) else {}

    _facts: Facts
    _names: list[str]
    _inputs: dict[str, list[int]]
    _logger: ILogger


class Runtime(Bound):
    def __init__(self, logger: ILogger) -> None:
        if self._session.behavior.get("no_gpu"):
            self._session.complain(logger, "CUDA initialization failure with error: 35")
            raise TypeError(NO_GPU)
        self._logger = logger

    def deserialize_cuda_engine(self, serialized_engine: bytes) -> ICudaEngine | None:
        session = self._session
        try:
            facts, version = read_plan(serialized_engine)
        except Unreadable:
            self._logger.log(ILogger.ERROR, "Error Code 1: Serialization (magicTagRead == kMAGIC_TAG failed.)")
            return None
        if version != session.version or session.fails("load"):
            session.complain(self._logger, "Error Code 1: Serialization (stdVersionRead == kSERIALIZATION_VERSION)")
            return None
        description = description_of(facts)
        engine: ICudaEngine = session.enums["ICudaEngine"]()
        engine._facts, engine._logger = facts, self._logger
        engine._inputs = facts.inputs or {region.name: list(region.dims) for region in description.inputs}
        outputs = [region.name for region in description.outputs]
        engine._names = [*engine._inputs, *outputs]
        engine.num_io_tensors, engine.num_layers = len(engine._names), len(description.steps)
        engine.num_optimization_profiles = max(1, len(facts.profiles))
        verbosity = session.enums["ProfilingVerbosity"]
        engine.profiling_verbosity = (verbosity.LAYER_NAMES_ONLY, verbosity.NONE, verbosity.DETAILED)[facts.verbosity]
        return engine
