"""What was asked for → the builder's configuration, as far as this release has it."""

from __future__ import annotations

import re
from typing import Any

from trex.capture.tensorrt_api.arguments import Job
from trex.capture.tensorrt_api.fault import Fault
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


def configure(library: Library, config: Any, job: Job) -> None:
    """Raises Fault for what this release does not have, saying since when it does."""
    Settings(library, config, job).apply()


class Settings:
    """One configuration being filled."""

    def __init__(self, library: Library, config: Any, job: Job) -> None:
        self.library = library
        self.trt = library.trt
        self.config = config
        self.job = job

    def apply(self) -> None:
        job = self.job
        verbosity = job.text("profilingVerbosity", "detailed")
        self.config.profiling_verbosity = self._member("ProfilingVerbosity", _VERBOSITIES.get(verbosity, verbosity),
                                                       "profilingVerbosity")  # fmt: skip
        for word, flag in _FLAGS.items():
            if job.has(word):
                self.config.set_flag(self._member("BuilderFlag", flag, word))
        if job.has("noTF32"):
            self.config.clear_flag(self.trt.BuilderFlag.TF32)
        if job.text("sparsity", "disable") == "enable":
            self.config.set_flag(self.trt.BuilderFlag.SPARSE_WEIGHTS)
        self._precisions()
        for word, (attribute, since) in _ATTRIBUTES.items():
            if job.has(word):
                self._set(attribute, int(job.number(word, 0)), word, since)
        if job.has("setBuildRoute"):
            self._set("build_route", job.text("setBuildRoute"), "setBuildRoute", "11.1")
        self._levels()
        self._pools()
        self._previews()
        if job.has("useDLACore"):
            self.config.default_device_type = self.trt.DeviceType.DLA
            self.config.DLA_core = int(job.number("useDLACore", 0))

    @property
    def precisions(self) -> list:
        """Names of the flags that were asked for; ``best`` takes what there is."""
        names = [flag for word, flag in _PRECISIONS.items() if self.job.has(word)]
        if self.job.has("best"):
            names += [flag for flag in ("FP16", "INT8", "BF16") if hasattr(self.trt.BuilderFlag, flag)]
        return list(dict.fromkeys(names))

    def _precisions(self) -> None:
        asked = [word for word in [*_PRECISIONS, "best", "precisionConstraints"] if self.job.has(word)]
        if asked and self.library.release[0] >= 11:
            raise Fault(
                f"TensorRT {self.library.version} has no --{asked[0]}: since 11.0 all types come from the model",
                "leave it out; convert the model to typed ONNX (ModelOpt AutoCast), or quantize it with Q/DQ nodes",
            )
        for flag in self.precisions:
            self.config.set_flag(self._member("BuilderFlag", flag, flag.lower()))
        kind = self.job.text("precisionConstraints", "none")
        if kind in ("prefer", "obey"):
            flag = f"{kind.upper()}_PRECISION_CONSTRAINTS"
            self.config.set_flag(self._member("BuilderFlag", flag, "precisionConstraints"))

    def _levels(self) -> None:
        if self.job.has("tilingOptimizationLevel"):
            if not hasattr(self.trt, "TilingOptimizationLevel"):
                raise self._absent("tilingOptimizationLevel", "10.8")
            names = ("NONE", "FAST", "MODERATE", "FULL")
            level = int(self.job.number("tilingOptimizationLevel", 0))
            if not 0 <= level < len(names):
                raise Fault("--tilingOptimizationLevel goes from 0 to 3")
            self.config.tiling_optimization_level = getattr(self.trt.TilingOptimizationLevel, names[level])
        if self.job.has("hardwareCompatibilityLevel"):
            if not hasattr(self.trt, "HardwareCompatibilityLevel"):
                raise self._absent("hardwareCompatibilityLevel", "8.6")
            word = self.job.text("hardwareCompatibilityLevel")
            level_name = _HARDWARE.get(word, word)
            self.config.hardware_compatibility_level = self._member(
                "HardwareCompatibilityLevel", level_name, "hardwareCompatibilityLevel"
            )

    def _pools(self) -> None:
        """Sizes without a unit are MiB. TensorRT's own default is all of the device."""
        for part in filter(None, self.job.text("memPoolSize").split(",")):
            name, _, size = part.strip().rpartition(":")
            match = re.fullmatch(r"(\d{1,12}(?:\.\d{1,12})?)([BKMG]?)(?:iB|B)?", size, re.ASCII | re.IGNORECASE)
            if name not in _POOLS or match is None:
                raise Fault(f"{part!r} is no size of a memory pool", "write workspace:1024 for 1024 MiB")
            pool = self._member("MemoryPoolType", _POOLS[name], "memPoolSize")
            self.config.set_memory_pool_limit(pool, int(float(match[1]) * _UNITS[(match[2] or "M").upper()]))

    def _previews(self) -> None:
        for part in filter(None, self.job.text("preview").split(",")):
            name = part.lstrip("+-")
            feature = self._member("PreviewFeature", name, "preview")
            self.config.set_preview_feature(feature, not part.startswith("-"))

    def _member(self, kind: str, name: str, word: str) -> Any:
        """A value of an enumeration, by its name: numbers differ between releases."""
        members = getattr(self.trt, kind)
        if name not in members.__members__:
            there = ", ".join(sorted(members.__members__))
            raise Fault(f"TensorRT {self.library.version} has no {name} for --{word}", f"it has: {there}")
        return getattr(members, name)

    def _set(self, attribute: str, value: Any, word: str, since: str) -> None:
        if not hasattr(self.config, attribute):
            raise self._absent(word, since)
        setattr(self.config, attribute, value)

    def _absent(self, word: str, since: str) -> Fault:
        return Fault(f"TensorRT {self.library.version} has no --{word}", f"it came with {since}")
