"""Which release offers what of TensorRT's Python module, where that is not all of 8.5 to 11.1.

Source: the reference's lists of what was added and removed. A range names the first and the last release, None for
still there.
"""

from __future__ import annotations

Release = tuple[int, int]
Range = tuple[Release, Release | None]

ALWAYS: Range = ((8, 5), None)
_UNTIL_9: Range = ((8, 5), (9, 3))
_UNTIL_10: Range = ((8, 5), (10, 16))

RANGES: dict[str, Range] = {
    "IProgressMonitor": ((9, 0), None),
    "HardwareCompatibilityLevel": ((8, 6), None),
    "HardwareCompatibilityLevel.SAME_COMPUTE_CAPABILITY": ((10, 9), None),
    "TilingOptimizationLevel": ((10, 8), None),
    "IBuilderConfig.builder_optimization_level": ((8, 6), None),
    "IBuilderConfig.max_aux_streams": ((8, 6), None),
    "IBuilderConfig.hardware_compatibility_level": ((8, 6), None),
    "IBuilderConfig.max_num_tactics": ((10, 4), None),
    "IBuilderConfig.tiling_optimization_level": ((10, 8), None),
    "IBuilderConfig.l2_limit_for_tiling": ((10, 8), None),
    "IBuilderConfig.progress_monitor": ((9, 0), None),
    "IBuilderConfig.build_route": ((11, 1), None),
    "ITimingCache.queryKeys": ((10, 8), None),
    "ITimingCache.query": ((10, 8), None),
    "ITimingCache.update": ((10, 8), None),
    "TimingCacheKey": ((10, 8), None),
    "TimingCacheValue": ((10, 8), None),
    "IBuilderConfig.max_workspace_size": _UNTIL_9,
    "ICudaEngine.get_tensor_profile_values": ((10, 0), None),
    "ICudaEngine.get_profile_shape_input": _UNTIL_9,
    "ICudaEngine.device_memory_size": _UNTIL_10,
    "ParserError.node_name": ((10, 0), None),
    "ParserError.node_operator": ((10, 0), None),
    "ITensor.set_dynamic_range": _UNTIL_10,
    "ITensor.dynamic_range": _UNTIL_10,
    "NetworkDefinitionCreationFlag.EXPLICIT_BATCH": _UNTIL_10,
    "NetworkDefinitionCreationFlag.STRONGLY_TYPED": ((9, 0), None),
    "ProfilingVerbosity.DEFAULT": _UNTIL_9,
    "ProfilingVerbosity.VERBOSE": _UNTIL_9,
    "MemoryPoolType.TACTIC_SHARED_MEMORY": ((10, 0), None),
    "BuilderFlag.FP16": _UNTIL_10,
    "BuilderFlag.INT8": _UNTIL_10,
    "BuilderFlag.FP8": ((8, 6), (10, 16)),
    "BuilderFlag.BF16": ((9, 0), (10, 16)),
    "BuilderFlag.INT4": ((10, 0), (10, 16)),
    "BuilderFlag.FP4": ((10, 8), (10, 16)),
    "BuilderFlag.OBEY_PRECISION_CONSTRAINTS": _UNTIL_10,
    "BuilderFlag.PREFER_PRECISION_CONSTRAINTS": _UNTIL_10,
    "BuilderFlag.VERSION_COMPATIBLE": ((8, 6), None),
    "BuilderFlag.EXCLUDE_LEAN_RUNTIME": ((8, 6), None),
    "BuilderFlag.DISABLE_COMPILATION_CACHE": ((9, 0), None),
    "BuilderFlag.ERROR_ON_TIMING_CACHE_MISS": ((9, 0), None),
    "BuilderFlag.EDITABLE_TIMING_CACHE": ((10, 8), None),
    "BuilderFlag.STRIP_PLAN": ((10, 0), None),
    "BuilderFlag.WEIGHT_STREAMING": ((10, 0), None),
    "DataType.FP8": ((8, 6), None),
    "DataType.BF16": ((9, 0), None),
    "DataType.INT64": ((9, 0), None),
    "DataType.INT4": ((10, 0), None),
    "DataType.FP4": ((10, 8), None),
    "DataType.E8M0": ((10, 12), None),
}

ENUMERATIONS: dict[str, tuple[str, ...]] = {
    "NetworkDefinitionCreationFlag": ("EXPLICIT_BATCH", "STRONGLY_TYPED"),
    "BuilderFlag": (
        "FP16", "INT8", "DEBUG", "GPU_FALLBACK", "REFIT", "DISABLE_TIMING_CACHE", "TF32", "SPARSE_WEIGHTS",
        "OBEY_PRECISION_CONSTRAINTS", "PREFER_PRECISION_CONSTRAINTS", "DIRECT_IO", "FP8", "BF16", "INT4", "FP4",
        "VERSION_COMPATIBLE", "EXCLUDE_LEAN_RUNTIME", "DISABLE_COMPILATION_CACHE", "ERROR_ON_TIMING_CACHE_MISS",
        "STRIP_PLAN", "WEIGHT_STREAMING", "EDITABLE_TIMING_CACHE",
    ),
    "ProfilingVerbosity": ("LAYER_NAMES_ONLY", "DETAILED", "NONE", "DEFAULT", "VERBOSE"),
    "MemoryPoolType": ("WORKSPACE", "DLA_MANAGED_SRAM", "DLA_LOCAL_DRAM", "DLA_GLOBAL_DRAM", "TACTIC_DRAM",
                       "TACTIC_SHARED_MEMORY"),
    "DataType": ("FLOAT", "HALF", "INT8", "INT32", "BOOL", "UINT8", "FP8", "BF16", "INT64", "INT4", "FP4", "E8M0"),
    "LayerInformationFormat": ("ONELINE", "JSON"),
    "TensorIOMode": ("NONE", "INPUT", "OUTPUT"),
    "TensorLocation": ("DEVICE", "HOST"),
    "DeviceType": ("GPU", "DLA"),
    "LayerType": ("CONVOLUTION", "QUANTIZE", "DEQUANTIZE"),
    "HardwareCompatibilityLevel": ("NONE", "AMPERE_PLUS", "SAME_COMPUTE_CAPABILITY"),
    "TilingOptimizationLevel": ("NONE", "FAST", "MODERATE", "FULL"),
}  # fmt: skip


def is_offered(name: str, release: Release) -> bool:
    """name: ``Class`` or ``Class.attribute``."""
    first, last = RANGES.get(name, ALWAYS)
    return first <= release and (last is None or release <= last)
