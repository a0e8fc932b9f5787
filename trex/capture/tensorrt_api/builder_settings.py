"""CollectorOptions → the builder's configuration."""

from __future__ import annotations

import re
from typing import Any

from trex.capture.tensorrt_api.arguments import CollectorOptions
from trex.capture.tensorrt_api.errors import CollectorError
from trex.capture.tensorrt_api.library import Library

_PRECISIONS = {"fp16": "FP16", "bf16": "BF16", "int8": "INT8", "fp8": "FP8", "int4": "INT4"}
_FLAGS = {
    "refit": "REFIT",
    "stripWeights": "STRIP_PLAN",
    "versionCompatible": "VERSION_COMPATIBLE",
    "excludeLeanRuntime": "EXCLUDE_LEAN_RUNTIME",
    "directIO": "DIRECT_IO",
    "allowGPUFallback": "GPU_FALLBACK",
    "allowWeightStreaming": "WEIGHT_STREAMING",
    "noBuilderCache": "DISABLE_TIMING_CACHE",
    "noCompilationCache": "DISABLE_COMPILATION_CACHE",
    "errorOnTimingCacheMiss": "ERROR_ON_TIMING_CACHE_MISS",
}
_ATTRIBUTES = {
    "builderOptimizationLevel": ("builder_optimization_level", "8.6"),
    "maxAuxStreams": ("max_aux_streams", "8.6"),
    "maxTactics": ("max_num_tactics", "10.4"),
    "l2LimitForTiling": ("l2_limit_for_tiling", "10.8"),
    "avgTiming": ("avg_timing_iterations", "8.0"),
}
_POOLS = {
    "workspace": "WORKSPACE",
    "dlaSRAM": "DLA_MANAGED_SRAM",
    "dlaLocalDRAM": "DLA_LOCAL_DRAM",
    "dlaGlobalDRAM": "DLA_GLOBAL_DRAM",
    "tacticSharedMem": "TACTIC_SHARED_MEMORY",
}
_HARDWARE = {"none": "NONE", "ampere+": "AMPERE_PLUS", "sameComputeCapability": "SAME_COMPUTE_CAPABILITY"}
_VERBOSITIES = {"detailed": "DETAILED", "layer_names_only": "LAYER_NAMES_ONLY", "none": "NONE"}
_UNITS = {"B": 1, "K": 2**10, "M": 2**20, "G": 2**30}


class BuilderSettings:
    """Sets one configuration."""

    def __init__(self, library: Library, config: Any, options: CollectorOptions) -> None:
        self.library = library
        self.trt = library.trt
        self.config = config
        self.options = options

    def apply(self) -> None:
        """Raises CollectorError for an option that this release lacks, with the release that introduced it."""
        options = self.options
        verbosity = options.text("profilingVerbosity", "detailed")
        self.config.profiling_verbosity = self._member("ProfilingVerbosity", _VERBOSITIES.get(verbosity, verbosity),
                                                       "profilingVerbosity")  # fmt: skip
        for name, flag in _FLAGS.items():
            if options.has(name):
                self.config.set_flag(self._member("BuilderFlag", flag, name))
        if options.has("noTF32"):
            self.config.clear_flag(self.trt.BuilderFlag.TF32)
        if options.text("sparsity", "disable") == "enable":
            self.config.set_flag(self.trt.BuilderFlag.SPARSE_WEIGHTS)
        self._precisions()
        self._targets()
        for name, (attribute, since) in _ATTRIBUTES.items():
            if options.has(name):
                self._set(attribute, int(options.number(name, 0)), name, since)
        if options.has("setBuildRoute"):
            self._set("build_route", options.text("setBuildRoute"), "setBuildRoute", "11.1")
        self._levels()
        self._pools()
        self._previews()
        if options.has("useDLACore"):
            self.config.default_device_type = self.trt.DeviceType.DLA
            self.config.DLA_core = int(options.number("useDLACore", 0))

    @property
    def precisions(self) -> list[str]:
        """Names of the requested flags; ``best`` is all that this release has."""
        names = [flag for name, flag in _PRECISIONS.items() if self.options.has(name)]
        if self.options.has("best"):
            names += [flag for flag in ("FP16", "INT8", "BF16") if hasattr(self.trt.BuilderFlag, flag)]
        return list(dict.fromkeys(names))

    def _precisions(self) -> None:
        requested = [name for name in [*_PRECISIONS, "best", "precisionConstraints"] if self.options.has(name)]
        if requested and self.library.release[0] >= 11:
            raise CollectorError(
                f"{self._name} has no --{requested[0]}: all types come from the model",
                "leave it out; convert the model to typed ONNX (ModelOpt AutoCast), or quantize it with Q/DQ nodes",
            )
        for flag in self.precisions:
            self.config.set_flag(self._member("BuilderFlag", flag, flag.lower()))
        kind = self.options.text("precisionConstraints", "none")
        if kind in ("prefer", "obey"):
            flag = f"{kind.upper()}_PRECISION_CONSTRAINTS"
            self.config.set_flag(self._member("BuilderFlag", flag, "precisionConstraints"))

    def _targets(self) -> None:
        """Compute capabilities to build for. TensorRT for RTX builds for 8.6, 8.9, 12.0, 12.1 and later without."""
        names = [name.strip().upper() for name in self.options.text("target").split(",") if name.strip()]
        if not names:
            return
        if not self.library.is_rtx:
            raise CollectorError("--target is an option of TensorRT for RTX", "--library tensorrt-rtx builds with it")
        self.config.num_compute_capabilities = len(names)
        for index, name in enumerate(names):
            capability = self._member("ComputeCapability", name, "target")
            if not self.config.set_compute_capability(capability, index):
                raise CollectorError(f"{self._name} takes no target {name}: {self.library.reason}")

    def _levels(self) -> None:
        if self.options.has("tilingOptimizationLevel"):
            if not hasattr(self.trt, "TilingOptimizationLevel"):
                raise self._missing("tilingOptimizationLevel", "10.8")
            names = ("NONE", "FAST", "MODERATE", "FULL")
            level = int(self.options.number("tilingOptimizationLevel", 0))
            if not 0 <= level < len(names):
                raise CollectorError("--tilingOptimizationLevel must be from 0 to 3")
            self.config.tiling_optimization_level = getattr(self.trt.TilingOptimizationLevel, names[level])
        if self.options.has("hardwareCompatibilityLevel"):
            if not hasattr(self.trt, "HardwareCompatibilityLevel"):
                raise self._missing("hardwareCompatibilityLevel", "8.6")
            text = self.options.text("hardwareCompatibilityLevel")
            level_name = _HARDWARE.get(text, text)
            self.config.hardware_compatibility_level = self._member(
                "HardwareCompatibilityLevel", level_name, "hardwareCompatibilityLevel"
            )

    def _pools(self) -> None:
        """Sizes without a unit are MiB. TensorRT's default is all memory of the device."""
        for part in filter(None, self.options.text("memPoolSize").split(",")):
            name, _, size = part.strip().rpartition(":")
            match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)([BKMG]?)(?:iB|B)?", size, re.ASCII | re.IGNORECASE)
            if name not in _POOLS or match is None:
                raise CollectorError(f"{part!r} is not the size of a memory pool", "write workspace:1024 for 1024 MiB")
            pool = self._member("MemoryPoolType", _POOLS[name], "memPoolSize")
            self.config.set_memory_pool_limit(pool, int(float(match[1]) * _UNITS[(match[2] or "M").upper()]))

    def _previews(self) -> None:
        for part in filter(None, self.options.text("preview").split(",")):
            name = part.lstrip("+-")
            feature = self._member("PreviewFeature", name, "preview")
            self.config.set_preview_feature(feature, not part.startswith("-"))

    @property
    def _name(self) -> str:
        return f"{self.library.name} {self.library.version}"

    def _member(self, kind: str, name: str, option: str) -> Any:
        """A member of an enumeration by name: numbers differ between releases."""
        members = getattr(self.trt, kind)
        if name not in members.__members__:
            names = ", ".join(sorted(members.__members__))
            raise CollectorError(f"{self._name} has no {name} for --{option}", f"it has: {names}")
        return getattr(members, name)

    def _set(self, attribute: str, value: Any, option: str, since: str) -> None:
        if not hasattr(self.config, attribute):
            raise self._missing(option, since)
        setattr(self.config, attribute, value)

    def _missing(self, option: str, since: str) -> CollectorError:
        return CollectorError(f"{self._name} has no --{option}", f"it came with {since}")
