"""trtexec's options: the releases that parse each, its kind of value, its replacement.

trtexec stops at an unknown option, and at a second copy of an option that may not repeat. Source: trtexec's option
parser in the public branches 8.0 to 11.1, and its help texts. 8.3 and the releases after 11.1 were not read and count
as the branch before them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from types import MappingProxyType

ReleaseNumbers = tuple[int, ...]


class OptionValue(Enum):
    """What follows the ``=``. A SWITCH takes no value: trtexec turns it on and ignores what follows."""

    SWITCH = "switch"
    NUMBER = "number"
    TEXT = "text"
    FILE = "file"
    SHAPES = "shapes"
    POOLS = "memory pools"
    FORMATS = "types and formats"


class OptionUse(Enum):
    """What an option affects: the build, the run, both, or only files and output."""

    BUILD = "build"
    RUN = "run"
    BOTH = "both"
    FILES = "files"


@dataclass(frozen=True, slots=True)
class TrtexecOption:
    """One option. name: without dashes. first, last: the releases that parse it (last None: no end).

    repeats: the first release in which it may be given more than once. deprecated: the first release that warns.
    no_effect: the first release that ignores it. hidden: the first release whose help text omits it. instead: its
    replacement, or why it is gone. same_as: the option that it is an alias of.
    """

    name: str
    value: OptionValue
    use: OptionUse
    first: ReleaseNumbers = (8, 0)
    last: ReleaseNumbers | None = None
    repeats: ReleaseNumbers | None = None
    deprecated: ReleaseNumbers | None = None
    no_effect: ReleaseNumbers | None = None
    hidden: ReleaseNumbers | None = None
    instead: str = ""
    same_as: str = ""

    def is_parsed_by(self, release: ReleaseNumbers) -> bool:
        return self.first <= release[:2] and (self.last is None or release[:2] <= self.last)

    def may_repeat(self, release: ReleaseNumbers) -> bool:
        return _since(self.repeats, release)

    def is_deprecated(self, release: ReleaseNumbers) -> bool:
        return _since(self.deprecated, release)

    def has_no_effect(self, release: ReleaseNumbers) -> bool:
        return _since(self.no_effect, release)

    def is_listed_by(self, release: ReleaseNumbers) -> bool:
        """Whether the help text of this release lists it."""
        return self.is_parsed_by(release) and not _since(self.hidden, release)


def options_of_release(release: ReleaseNumbers) -> dict[str, TrtexecOption]:
    """{name: option} of the options that this release parses."""
    return {name: option for name, option in OPTIONS.items() if option.is_parsed_by(release)}


def names_for(*uses: OptionUse) -> frozenset[str]:
    """Names of the options with any of these uses."""
    return frozenset(name for name, option in OPTIONS.items() if option.use in uses)


def _since(start: ReleaseNumbers | None, release: ReleaseNumbers) -> bool:
    return start is not None and release[:2] >= start


def _release(text: str) -> ReleaseNumbers:
    major, _, minor = text.partition(".")
    return int(major), int(minor)


_RELEASES = frozenset(("repeats", "deprecated", "no_effect", "hidden"))
_TYPED_MODEL = "since 11.0 all types come from the model: convert it to typed ONNX, for instance with ModelOpt AutoCast"
_QUANTIZED_MODEL = "since 11.0 a quantized model needs Q/DQ nodes in the ONNX: quantize it with ModelOpt"
_GONE_FORMATS = "export the model to ONNX: --onnx=MODEL.onnx"
_ONNX_HAS_BATCH = "ONNX models have the batch in their shapes: --shapes=NAME:BATCHx…"

_S, _N, _T, _F = OptionValue.SWITCH, OptionValue.NUMBER, OptionValue.TEXT, OptionValue.FILE
_BUILD, _RUN, _BOTH, _FILES = OptionUse.BUILD, OptionUse.RUN, OptionUse.BOTH, OptionUse.FILES


def _options(
    names: str,
    value: OptionValue,
    use: OptionUse,
    span: str = "8.0-",
    *,
    instead: str = "",
    same_as: str = "",
    **since: str,
) -> Iterator[TrtexecOption]:
    first, _, last = span.partition("-")
    for name in names.split():
        yield TrtexecOption(
            name,
            value,
            use,
            _release(first),
            _release(last) if last else None,
            **{key: _release(since[key]) for key in sorted(_RELEASES) if key in since},
            instead=instead,
            same_as=same_as,
        )


# fmt: off
_ROWS = (
    # input and output files
    _options("onnx", _F, _FILES),
    _options("uff uffInput model deploy output", _T, _FILES, "8.0-8.6", instead=_GONE_FORMATS),
    _options("uffNHWC", _S, _FILES, "8.0-8.6", instead=_GONE_FORMATS),
    _options("saveEngine loadEngine", _F, _FILES),
    _options("asyncFileReader", _S, _RUN, "10.7-"),
    _options("getPlanVersionOnly", _S, _FILES, "9.0-"),
    _options("profilingVerbosity", _T, _FILES, "8.2-"),
    _options("nvtxMode", _T, _FILES, "8.0-9.3", deprecated="8.2", hidden="8.2",
             instead="--profilingVerbosity=detailed"),
    _options("verbose", _S, _FILES),
    _options("dumpLayerInfo", _S, _FILES, "8.2-"),
    _options("exportLayerInfo", _F, _FILES, "8.2-"),
    _options("dumpProfile dumpOutput dumpRefit timeDeserialize", _S, _FILES),
    _options("exportProfile exportTimes exportOutput", _F, _FILES),
    _options("separateProfileRun", _S, _FILES, no_effect="11.0", instead="the profile always has its own run"),
    _options("avgRuns", _N, _FILES),
    _options("percentile", _T, _FILES),
    _options("dumpRawBindingsToFile", _S, _FILES, "8.6-"),
    _options("dumpOptimizationProfile", _S, _FILES, "9.0-"),
    _options("saveDebugTensors", _T, _FILES, "10.0-"),
    _options("saveAllDebugTensors", _T, _FILES, "10.12-"),
    _options("buildOnly", _S, _FILES, "8.0-9.3", deprecated="8.6", hidden="8.6", instead="--skipInference"),
    _options("skipInference", _S, _FILES, "8.6-"),
    _options("help", _S, _FILES),
    _options("h", _S, _FILES, same_as="help"),
    # shapes
    _options("minShapes optShapes maxShapes", OptionValue.SHAPES, _BUILD, repeats="9.0"),
    _options("shapes", OptionValue.SHAPES, _BOTH),
    _options("profile", _N, _BUILD, "9.0-", repeats="9.0"),
    _options("useProfile", _N, _RUN, "9.0-"),
    _options("inputIOFormats outputIOFormats", OptionValue.FORMATS, _BUILD),
    _options("directIO", _S, _BUILD, "8.2-", deprecated="10.8"),
    _options("explicitBatch explicitPrecision", _S, _BUILD, "8.0-9.3", no_effect="8.0", hidden="8.0",
             instead="ONNX models always have explicit batch and precision"),
    _options("batch", _N, _RUN, "8.0-8.6", instead=_ONNX_HAS_BATCH),
    _options("maxBatch", _N, _BUILD, "8.0-8.6", instead=_ONNX_HAS_BATCH),
    # the builder
    _options("workspace", _N, _BUILD, "8.0-9.3", deprecated="8.4", instead="--memPoolSize=workspace:MIB"),
    _options("memPoolSize", OptionValue.POOLS, _BUILD, "8.4-"),
    _options("minTiming", _N, _BUILD, "8.0-9.3", instead="--avgTiming=N"),
    _options("avgTiming", _N, _BUILD),
    _options("heuristic", _S, _BUILD, "8.5-9.3", instead="--builderOptimizationLevel=2"),
    _options("builderOptimizationLevel maxAuxStreams", _N, _BUILD, "8.6-"),
    _options("maxTactics", _N, _BUILD, "10.4-"),
    _options("tilingOptimizationLevel l2LimitForTiling", _N, _BUILD, "10.8-"),
    _options("timingCacheFile", _F, _BUILD),
    _options("noBuilderCache", _S, _BUILD),
    _options("noCompilationCache errorOnTimingCacheMiss", _S, _BUILD, "9.0-"),
    _options("tacticSources sparsity", _T, _BUILD),
    _options("preview", _T, _BUILD, "8.5-"),
    _options("noTF32 refit consistency", _S, _BUILD),
    _options("stripWeights", _S, _BUILD, "10.0-"),
    _options("weightless", _S, _BUILD, "9.2-10.16", deprecated="10.0", hidden="10.0", instead="--stripWeights",
             same_as="stripWeights"),
    _options("stripAllWeights", _S, _BUILD, "10.1-"),
    _options("versionCompatible", _S, _BUILD, "8.6-"),
    _options("vc", _S, _BUILD, "8.6-", same_as="versionCompatible"),
    _options("excludeLeanRuntime buildDLAStandalone", _S, _BUILD, "8.6-"),
    _options("hardwareCompatibilityLevel layerDeviceTypes", _T, _BUILD, "8.6-"),
    _options("runtimePlatform", _T, _BUILD, "10.2-"),
    _options("nativeInstanceNorm", _S, _BUILD, "8.6-9.3", instead="it is the default; --pluginInstanceNorm undoes it"),
    _options("ni", _S, _BUILD, "8.6-9.3", instead="it is the default; --pluginInstanceNorm undoes it",
             same_as="nativeInstanceNorm"),
    _options("pluginInstanceNorm", _S, _BUILD, "10.0-"),
    _options("pi", _S, _BUILD, "10.0-", same_as="pluginInstanceNorm"),
    _options("monitorMemory", _S, _BUILD, "10.6-"),
    _options("dumpKernelText", _S, _BUILD, "10.13-"),
    _options("markDebug", _T, _BUILD, "10.0-"),
    _options("markUnfusedTensorsAsDebugTensors distributiveIndependence", _S, _BUILD, "10.12-"),
    _options("decomposableAttentions", _T, _BUILD, "10.14-"),
    _options("enablePluginOverride cpuOnly", _S, _BUILD, "10.15-"),
    _options("adjustForDLA reportCapabilityDLA", _S, _BUILD, "10.16-"),
    _options("uint8AsymmetricQuantizationDLA", _S, _BUILD, "10.11-"),
    _options("remoteAutoTuningConfig", _T, _BUILD, "10.13-"),
    _options("setBuildRoute", _T, _BUILD, "11.1-"),
    # precision: removed in 11, which takes all types from the model
    _options("fp16 best", _S, _BUILD, "8.0-10.16", instead=_TYPED_MODEL),
    _options("int8", _S, _BUILD, "8.0-10.16", instead=_QUANTIZED_MODEL),
    _options("fp8", _S, _BUILD, "8.6-10.16", instead=_QUANTIZED_MODEL),
    _options("bf16", _S, _BUILD, "9.0-10.16", instead=_TYPED_MODEL),
    _options("int4", _S, _BUILD, "10.1-10.16", instead=_QUANTIZED_MODEL),
    _options("calib", _F, _BUILD, "8.0-10.16", instead=_QUANTIZED_MODEL),
    _options("minShapesCalib optShapesCalib maxShapesCalib", OptionValue.SHAPES, _BUILD, "8.0-10.16",
             instead=_QUANTIZED_MODEL),
    _options("calibProfile", _N, _BUILD, "9.0-10.16", instead=_QUANTIZED_MODEL),
    _options("precisionConstraints", _T, _BUILD, "8.2-10.16", instead=_TYPED_MODEL),
    _options("layerPrecisions layerOutputTypes", _T, _BUILD, "8.4-10.16", instead=_TYPED_MODEL),
    _options("stronglyTyped", _S, _BUILD, "9.0-", no_effect="11.0", instead="every network is strongly typed"),
    _options("restricted", _S, _BUILD, "8.2-10.16"),
    # the run
    _options("iterations warmUp duration sleepTime", _N, _RUN),
    _options("idleTime", _N, _RUN, "8.2-"),
    _options("exposeDMA threads timeRefit", _S, _RUN),
    _options("useManagedMemory", _S, _RUN, "8.2-"),
    _options("useCudaGraph", _S, _RUN, no_effect="11.0", instead="it is the default; --noCudaGraph undoes it"),
    _options("useSpinWait", _S, _RUN, no_effect="11.0", instead="it is the default; --noSpinWait undoes it"),
    _options("noDataTransfers", _S, _RUN, no_effect="11.0",
             instead="it is the default; --includeDataTransfers undoes it"),
    _options("noCudaGraph noSpinWait includeDataTransfers", _S, _RUN, "11.0-"),
    _options("streams", _N, _RUN, deprecated="8.6", hidden="8.6", instead="--infStreams=N", same_as="infStreams"),
    _options("infStreams", _N, _RUN, "8.6-"),
    _options("persistentCacheRatio", _N, _RUN, "8.5-"),
    _options("loadInputs", _T, _RUN, repeats="11.1"),  # as --loadRefOutputs, once after each --refPair
    _options("allocationStrategy", _T, _RUN, "10.0-"),
    _options("refitFromOnnx", _F, _RUN, "10.14-"),
    _options("useRuntime", _T, _RUN, "8.6-"),
    _options("leanDLLPath", _F, _RUN, "8.6-"),
    _options("loadRefOutputs", _T, _RUN, "11.1-", repeats="11.1"),
    _options("accuracyAlgorithm", _T, _RUN, "11.1-"),
    _options("refPair", _N, _RUN, "11.1-", repeats="11.1"),
    _options("atol rtol accuracyThreshold", _N, _RUN, "11.1-"),
    # the device, and options of both build and run
    _options("device useDLACore", _N, _BOTH),
    _options("allowGPUFallback safe", _S, _BOTH),
    _options("plugins", _F, _BOTH, repeats="8.0", deprecated="8.6", hidden="8.6", instead="--staticPlugins=FILE"),
    _options("staticPlugins dynamicPlugins", _F, _BOTH, "8.6-", repeats="8.6"),
    _options("setPluginsToSerialize", _F, _BUILD, "8.6-", repeats="8.6"),
    _options("safetyPlugins", _F, _BUILD, "10.13-", repeats="10.13"),
    _options("ignoreParsedPluginLibs", _S, _BOTH, "8.6-"),
    _options("allowWeightStreaming", _S, _BOTH, "10.0-"),
    _options("weightStreamingBudget", _T, _BOTH, "10.0-"),
    _options("tempdir", _F, _BOTH, "8.6-"),
    _options("tempfileControls", _T, _BOTH, "8.6-"),
    # the search over build routes
    _options("helpBuildRoute tuneBuildRoutes tuningSearch", _T, _FILES, "11.1-"),
    _options("tuneBuildRouteFile tuningCacheFile", _F, _FILES, "11.1-"),
    _options("tuningResultFile", _F, _FILES, "11.1-", hidden="11.1"),
    _options("tuningTimeOut", _N, _FILES, "11.1-"),
    _options("saveAllEngines dryRun continue", _S, _FILES, "11.1-"),
)
# fmt: on

OPTIONS: Mapping[str, TrtexecOption] = MappingProxyType({option.name: option for row in _ROWS for option in row})
