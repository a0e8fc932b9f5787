"""Logger, network, parser, builder: from an ONNX file to a plan."""

from __future__ import annotations

import hashlib
import json
import threading
import time
from pathlib import Path
from typing import Any

from tests.mocks.network import Facts, Unreadable, description_of, plan_bytes, read_model
from tests.mocks.tensorrt.objects import Bound, HostMemory, Severity

NO_GPU = "pybind11::init(): factory function returned nullptr"
_CACHE_MARK = b"ptrt mock timing cache "
NO_TACTIC = 2**64 - 1


class ILogger:
    Severity: Any = Severity
    INTERNAL_ERROR, ERROR, WARNING = Severity.INTERNAL_ERROR, Severity.ERROR, Severity.WARNING
    INFO, VERBOSE = Severity.INFO, Severity.VERBOSE

    def __init__(self) -> None:
        self._is_made = True

    def log(self, severity: Any, msg: str) -> None:
        raise RuntimeError('Tried to call pure virtual function "ILogger::log"')


class IProgressMonitor:
    def __init__(self) -> None:
        self._is_made = True

    def phase_start(self, phase_name: str, parent_phase: str | None, num_steps: int) -> None: ...

    def step_complete(self, phase_name: str, step: int) -> bool:
        return True

    def phase_finish(self, phase_name: str) -> None: ...


class ITensor(Bound):
    name: Any = ""
    shape: Any = ()
    is_shape_tensor: Any = False
    dynamic_range: Any = None

    def set_dynamic_range(self, min: float, max: float) -> bool:
        self.dynamic_range = (min, max)
        return True


class ILayer(Bound):
    type: Any = None
    num_outputs: Any = 1

    def get_output(self, index: int) -> ITensor:
        return self._output


class INetworkDefinition(Bound):
    num_inputs: Any = 0
    num_layers: Any = 0

    def get_input(self, index: int) -> ITensor:
        return self._inputs[index]

    def get_layer(self, index: int) -> ILayer:
        return self._layers[index]


class ParserError(Bound):
    def desc(self) -> str:
        return self._told[3]

    def node(self) -> int:
        return self._told[0]

    def node_name(self) -> str:
        return self._told[1]

    def node_operator(self) -> str:
        return self._told[2]


class OnnxParser(Bound):
    num_errors: Any = 0

    def __init__(self, network: INetworkDefinition, logger: ILogger) -> None:
        self._network, self._logger = network, logger
        self._errors: list[ParserError] = []

    def parse_from_file(self, model: str) -> bool:
        session = self._session
        message = list(session.behavior.get("parser_errors", ()))
        try:
            facts = read_model(Path(model).read_bytes())
        except Unreadable:
            message.append((-1, "", "", "Failed to parse ONNX model from file: " + model))
        for error in message:
            result = session.enums["ParserError"]()
            result._told = tuple(error)
            self._errors.append(result)
        self.num_errors = len(self._errors)
        if message:
            return False
        network: Any = self._network
        network._facts = facts
        network._inputs = [self._tensor(name, dims) for name, dims in _inputs(facts).items()]
        network._layers = []
        for _ in description_of(facts).steps:
            layer = session.enums["ILayer"]()
            layer.type = session.enums["LayerType"].CONVOLUTION
            layer._output = session.enums["ITensor"]()
            network._layers.append(layer)
        network.num_inputs, network.num_layers = len(network._inputs), len(network._layers)
        self._logger.log(Severity.VERBOSE, "Parsing node: conv1 [Conv]")
        return True

    def get_error(self, index: int) -> ParserError:
        return self._errors[index]

    def _tensor(self, name: str, dims: list[int]) -> ITensor:
        tensor: ITensor = self._session.enums["ITensor"]()
        tensor.name, tensor.shape = name, tuple(dims)
        tensor.is_shape_tensor = self._session.behavior.get("shape_tensor") == name
        return tensor


class IOptimizationProfile(Bound):
    def __init__(self) -> None:
        self._ranges: dict[str, list[list[int]]] = {}
        self._values: dict[str, list[list[int]]] = {}

    def set_shape(self, input: str, min: Any, opt: Any, max: Any) -> None:
        sides = [list(min), list(opt), list(max)]
        if len({len(side) for side in sides}) > 1 or any(not a <= b <= c for a, b, c in zip(*sides)):
            raise ValueError(f"Shapes provided for {input} are inconsistent")
        self._ranges[input] = sides

    def set_shape_input(self, input: str, min: list[int], opt: list[int], max: list[int]) -> None:
        self._values[input] = [list(min), list(opt), list(max)]


class TimingCacheKey(Bound):
    _text = ""

    def __str__(self) -> str:
        return self._text

    @staticmethod
    def parse(text: str) -> TimingCacheKey:
        key = TimingCacheKey()
        key._text = text
        return key


class TimingCacheValue(Bound):
    tacticHash: Any = NO_TACTIC
    timingMSec: Any = -1.0

    def __init__(self, arg0: int, arg1: float) -> None:
        self.tacticHash, self.timingMSec = arg0, arg1


class ITimingCache(Bound):
    """As NVIDIA documents it: entries can be changed and deleted, not added; what is missing has no tactic."""

    _data = b""

    def __init__(self) -> None:
        self._tactics: dict[str, tuple[int, float]] = {}

    def serialize(self) -> Any:
        return HostMemory(self._data)

    def queryKeys(self) -> list[TimingCacheKey]:
        return [TimingCacheKey.parse(text) for text in self._tactics]

    def query(self, key: TimingCacheKey) -> TimingCacheValue:
        return TimingCacheValue(*self._tactics.get(str(key), (NO_TACTIC, -1.0)))

    def update(self, key: TimingCacheKey, value: TimingCacheValue) -> bool:
        text = str(key)
        if text not in self._tactics or self._session.behavior.get("rejects"):
            return False
        if value.timingMSec != value.timingMSec:
            del self._tactics[text]
        else:
            self._tactics[text] = (value.tacticHash, value.timingMSec)
        return True


class IBuilderConfig(Bound):
    profiling_verbosity: Any = None
    builder_optimization_level: Any = 3
    max_aux_streams: Any = -1
    max_num_tactics: Any = -1
    max_workspace_size: Any = 0
    avg_timing_iterations: Any = 1
    tiling_optimization_level: Any = None
    l2_limit_for_tiling: Any = -1
    hardware_compatibility_level: Any = None
    progress_monitor: Any = None
    build_route: Any = ""
    default_device_type: Any = None
    DLA_core: Any = -1

    def __init__(self) -> None:
        self._flags: set[str] = set()
        self._pools: dict[str, int] = {}
        self._profiles: list[IOptimizationProfile] = []
        self._cache: ITimingCache | None = None

    def set_flag(self, flag: Any) -> None:
        assert isinstance(flag, self._session.enums["BuilderFlag"]), "incompatible function arguments"
        self._flags.add(flag.name)

    def clear_flag(self, flag: Any) -> None:
        self._flags.discard(flag.name)

    def set_memory_pool_limit(self, pool: Any, pool_size: int) -> None:
        assert isinstance(pool, self._session.enums["MemoryPoolType"]), "incompatible function arguments"
        self._pools[pool.name] = pool_size

    def set_preview_feature(self, feature: Any, enable: bool) -> None: ...

    def add_optimization_profile(self, profile: IOptimizationProfile) -> int:
        self._profiles.append(profile)
        return len(self._profiles) - 1

    def create_timing_cache(self, serialized_timing_cache: bytes) -> ITimingCache | None:
        assert isinstance(serialized_timing_cache, bytes)
        cache: ITimingCache = self._session.enums["ITimingCache"]()
        cache._data = serialized_timing_cache
        if serialized_timing_cache.startswith(_CACHE_MARK):  # from anything else TensorRT makes an empty one
            cache._tactics = {key: tuple(value) for key, value in json.loads(serialized_timing_cache[64:]).items()}
        return cache

    def set_timing_cache(self, cache: ITimingCache, ignore_mismatch: bool) -> bool:
        if cache._data and not cache._data.startswith(_CACHE_MARK + str(self._session.release).encode()):
            return False
        self._cache = cache
        return True

    def get_timing_cache(self) -> ITimingCache | None:
        return self._cache


class Builder(Bound):
    def __init__(self, logger: ILogger) -> None:
        assert isinstance(logger, ILogger) and logger._is_made, "ILogger.__init__() must be called"
        if self._session.behavior.get("no_gpu"):
            self._session.complain(logger, "CUDA initialization failure with error: 35")
            raise TypeError(NO_GPU)
        self._logger = logger

    def create_network(self, flags: int = 0) -> INetworkDefinition:
        enums = self._session.enums
        known = 0
        for flag in enums["NetworkDefinitionCreationFlag"]:
            known |= 1 << int(flag)
        assert not flags & ~known, "a flag that this release does not have"
        network: INetworkDefinition = enums["INetworkDefinition"]()
        network._is_implicit = self._session.release < (10, 0) and not flags & 1
        return network

    def create_builder_config(self) -> IBuilderConfig:
        config: IBuilderConfig = self._session.enums["IBuilderConfig"]()
        config.profiling_verbosity = self._session.enums["ProfilingVerbosity"].LAYER_NAMES_ONLY
        return config

    def create_optimization_profile(self) -> IOptimizationProfile:
        result: IOptimizationProfile = self._session.enums["IOptimizationProfile"]()
        return result

    def build_serialized_network(self, network: INetworkDefinition, config: IBuilderConfig) -> Any:
        session = self._session
        message: Any = network
        assert not message._is_implicit, "ONNX models need an explicit batch"
        dynamic = [t.name for t in message._inputs if any(size < 0 for size in t.shape) or t.is_shape_tensor]
        for name in dynamic:
            if not any(name in profile._ranges or name in profile._values for profile in config._profiles):
                self._logger.log(
                    Severity.ERROR,
                    f"Error Code 4: Internal Error ({name}: dynamic input is missing dimensions in profile 0.)",
                )
                return None
        monitor = getattr(config, "progress_monitor", None)  # 9.0
        is_deaf = monitor is None or session.behavior.get("deaf", False)
        if monitor is not None:
            _tell_progress(monitor)
        end = time.monotonic() + session.behavior.get("build_s", 0)
        while time.monotonic() < end:
            time.sleep(max(0.0, end - time.monotonic()) if is_deaf else 0.02)
            if monitor is not None and not is_deaf and not monitor.step_complete("Building Engine", 3):
                return None
        if session.fails("build"):
            session.complain(self._logger, "Error Code 2: OutOfMemory (Requested size was 1073741824 bytes.)")
            return None
        self._logger.log(Severity.VERBOSE, "=============== Computing costs for conv1")
        self._logger.log(Severity.INFO, "Engine generation completed in 9.5 seconds.")
        if config._cache is not None and not _times_tactics(self, message, config, config._cache):
            return None
        return HostMemory(plan_bytes(_built(message._facts, config), session.version))


def _tell_progress(monitor: IProgressMonitor) -> None:
    """From another thread than the builder's, as TensorRT does."""

    def report() -> None:
        monitor.phase_start("Building Engine", None, 4)
        for step in range(4):
            assert monitor.step_complete("Building Engine", step) is True
        monitor.phase_finish("Building Engine")

    thread = threading.Thread(target=report)
    thread.start()
    thread.join()


def _times_tactics(builder: Any, network: Any, config: IBuilderConfig, cache: ITimingCache) -> bool:
    """Chooses a tactic for each layer, or takes the recorded one; False if it lacks one and must not time it."""
    session = builder._session
    for number, step in enumerate(description_of(network._facts).steps):
        key = "0x" + hashlib.sha256(f"{number} {step.name}".encode()).hexdigest()[:32]
        is_silent = number in session.behavior.get("silent", ())
        if key in cache._tactics and not is_silent:
            continue
        if "ERROR_ON_TIMING_CACHE_MISS" in config._flags and not is_silent:
            session.complain(builder._logger, "Error Code 2: Internal Error (Assertion !errorOnMiss failed. )")
            return False
        cache._tactics[key] = (1000 + number + session.behavior.get("noise", 0) + 500 * is_silent, 0.25)
    cache._data = (_CACHE_MARK + str(session.release).encode()).ljust(64) + json.dumps(cache._tactics).encode()
    return True


def _built(facts: Facts, config: IBuilderConfig) -> Facts:
    from dataclasses import replace

    verbosity = {"LAYER_NAMES_ONLY": 0, "NONE": 1, "DETAILED": 2}[config.profiling_verbosity.name]
    profiles = tuple(
        {name: ["x".join(map(str, side)) for side in sides] for name, sides in profile._ranges.items()}
        for profile in config._profiles
    )
    low = next((name for name in ("INT8", "FP8", "FP16", "BF16") if name in config._flags), facts.type)
    is_compatible = "VERSION_COMPATIBLE" in config._flags
    return replace(facts, type=low, verbosity=verbosity, profiles=profiles, version_compatible=is_compatible)


def _inputs(facts: Facts) -> dict[str, list[int]]:
    """Of the model file; a model that names none has that of the network result for it."""
    first = description_of(facts).inputs[0]
    return facts.inputs or {first.name: list(first.dims)}
