"""The table of trtexec's options against what trtexec itself says in its help texts and command lines."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from trex.ingest.logs.banner import parse_banner
from trex.ingest.spelling.trtexec_options import (
    OPTIONS,
    OptionUse,
    OptionValue,
    names_for,
    options_of_release,
)

RELEASES = ((8, 2), (8, 4), (8, 5), (8, 6), (9, 3), (10, 0), (10, 4), (10, 16), (11, 0), (11, 1))
_ROW = re.compile(r"  --([A-Za-z0-9]+)(\[?=\S+)?(?:, -(\w))?")
# An option whose help line leaves out the value that it takes.
_VALUE_NOT_SHOWN = {"maxBatch", "plugins", "persistentCacheRatio"}


def listed(text: str) -> dict[str, bool]:
    """{option: whether its line shows a value}, from a help text."""
    options = {}
    for line in text.splitlines():
        if match := _ROW.match(line):
            options[match[1]] = match[2] is not None
            if match[3]:
                options[match[3]] = False
    return options


@pytest.mark.parametrize(
    ("file", "release"), [("trt8.2-trtexec-help.txt", (8, 2)), ("trt8.5-trtexec-help.txt", (8, 5))]
)
def test_the_table_lists_what_the_help_text_lists(file: str, release: tuple[int, int], shared_logs: Path) -> None:
    options = listed((shared_logs / file).read_text(encoding="utf-8"))
    assert len(options) > 70
    table = {name for name, option in OPTIONS.items() if option.is_listed_by(release)}
    assert set(options) == table
    for name, shows_a_value in options.items():
        assert shows_a_value == (OPTIONS[name].value is not OptionValue.SWITCH) or name in _VALUE_NOT_SHOWN, name


# Names that the parsers of three public branches take: read off their source, not off the table.
PARSED = {
    (8, 4): """
        onnx uff model uffNHWC uffInput deploy output inputIOFormats outputIOFormats explicitBatch minShapes
        optShapes maxShapes minShapesCalib optShapesCalib maxShapesCalib explicitPrecision workspace memPoolSize
        maxBatch minTiming avgTiming best refit noTF32 fp16 int8 safe consistency restricted buildOnly directIO
        precisionConstraints layerPrecisions layerOutputTypes sparsity calib nvtxMode profilingVerbosity loadEngine
        saveEngine tacticSources noBuilderCache timingCacheFile device useDLACore allowGPUFallback plugins streams
        iterations duration warmUp sleepTime idleTime exposeDMA noDataTransfers useManagedMemory useSpinWait threads
        useCudaGraph separateProfileRun timeDeserialize timeRefit loadInputs shapes batch percentile avgRuns verbose
        dumpRefit dumpOutput dumpProfile dumpLayerInfo exportTimes exportOutput exportProfile exportLayerInfo help h
    """,
    (10, 14): """
        onnx inputIOFormats outputIOFormats calibProfile profile minShapes optShapes maxShapes minShapesCalib
        optShapesCalib maxShapesCalib memPoolSize avgTiming best refit weightless stripWeights stripAllWeights vc
        versionCompatible pi pluginInstanceNorm uint8AsymmetricQuantizationDLA excludeLeanRuntime noCompilationCache
        monitorMemory noTF32 fp16 bf16 int8 fp8 int4 stronglyTyped distributiveIndependence safe dumpKernelText
        buildDLAStandalone allowGPUFallback consistency restricted skipInference directIO precisionConstraints
        layerPrecisions layerOutputTypes layerDeviceTypes decomposableAttentions markDebug
        markUnfusedTensorsAsDebugTensors sparsity calib profilingVerbosity loadEngine asyncFileReader
        getPlanVersionOnly saveEngine tacticSources noBuilderCache timingCacheFile errorOnTimingCacheMiss
        builderOptimizationLevel maxTactics runtimePlatform hardwareCompatibilityLevel maxAuxStreams preview tempdir
        tempfileControls useRuntime leanDLLPath allowWeightStreaming tilingOptimizationLevel l2LimitForTiling
        remoteAutoTuningConfig device useDLACore plugins staticPlugins setPluginsToSerialize dynamicPlugins
        safetyPlugins ignoreParsedPluginLibs streams infStreams iterations duration warmUp sleepTime idleTime
        exposeDMA noDataTransfers useManagedMemory useSpinWait threads useCudaGraph separateProfileRun
        timeDeserialize timeRefit persistentCacheRatio loadInputs shapes useProfile allocationStrategy
        weightStreamingBudget saveDebugTensors saveAllDebugTensors refitFromOnnx avgRuns verbose dumpRefit
        dumpOutput dumpRawBindingsToFile dumpProfile dumpLayerInfo dumpOptimizationProfile exportTimes exportOutput
        exportProfile exportLayerInfo percentile help h
    """,
    (11, 1): """
        onnx cpuOnly inputIOFormats outputIOFormats profile minShapes optShapes maxShapes memPoolSize avgTiming
        refit stripWeights stripAllWeights vc versionCompatible pi pluginInstanceNorm uint8AsymmetricQuantizationDLA
        reportCapabilityDLA adjustForDLA enablePluginOverride excludeLeanRuntime noCompilationCache monitorMemory
        noTF32 stronglyTyped distributiveIndependence safe dumpKernelText buildDLAStandalone allowGPUFallback
        consistency skipInference directIO layerDeviceTypes decomposableAttentions markDebug
        markUnfusedTensorsAsDebugTensors sparsity profilingVerbosity loadEngine asyncFileReader getPlanVersionOnly
        saveEngine saveAllEngines tacticSources noBuilderCache timingCacheFile errorOnTimingCacheMiss
        builderOptimizationLevel maxTactics runtimePlatform hardwareCompatibilityLevel maxAuxStreams preview tempdir
        tempfileControls useRuntime leanDLLPath setBuildRoute allowWeightStreaming tilingOptimizationLevel
        l2LimitForTiling remoteAutoTuningConfig device useDLACore plugins setPluginsToSerialize dynamicPlugins
        safetyPlugins ignoreParsedPluginLibs staticPlugins helpBuildRoute tuneBuildRoutes tuneBuildRouteFile
        tuningSearch tuningTimeOut tuningCacheFile continue dryRun tuningResultFile streams infStreams iterations
        duration warmUp sleepTime idleTime exposeDMA noDataTransfers includeDataTransfers useManagedMemory
        useSpinWait noSpinWait threads useCudaGraph noCudaGraph separateProfileRun timeDeserialize timeRefit
        persistentCacheRatio refPair loadInputs loadRefOutputs accuracyAlgorithm atol rtol accuracyThreshold shapes
        useProfile allocationStrategy weightStreamingBudget saveDebugTensors saveAllDebugTensors refitFromOnnx
        avgRuns verbose dumpRefit dumpOutput dumpRawBindingsToFile dumpProfile dumpLayerInfo dumpOptimizationProfile
        exportTimes exportOutput exportProfile exportLayerInfo percentile help h
    """,
}


@pytest.mark.parametrize("release", PARSED)
def test_the_table_parses_what_the_parser_parses(release: tuple[int, int]) -> None:
    assert set(options_of_release(release)) == set(PARSED[release].split())


def test_every_option_of_a_run_that_passed_is_parsed_by_its_release(shared_logs: Path) -> None:
    seen = 0
    for file in sorted(shared_logs.glob("trt*.log")):
        with file.open(encoding="utf-8", errors="replace") as lines:
            banner = parse_banner(next(lines).rstrip("\n"))
        if banner is None or banner.kind != "RUNNING" or not banner.tensorrt_version or "rtx" in file.name:
            continue
        release = tuple(int(part) for part in banner.tensorrt_version.split("."))
        for word in banner.command_line.split()[1:]:
            name, _, value = word.removeprefix("--").partition("=")
            option = OPTIONS[name]
            assert option.is_parsed_by(release), word
            assert (value == "") == (option.value is OptionValue.SWITCH), word
            seen += 1
    assert seen > 40


def test_a_row_is_consistent() -> None:
    for name, option in OPTIONS.items():
        assert option.name == name and re.fullmatch(r"[A-Za-z0-9]+", name)
        assert option.last is None or option.first <= option.last
        for since in (option.repeats, option.deprecated, option.no_effect, option.hidden):
            assert since is None or (since >= option.first and (option.last is None or since <= option.last)), name
        if option.deprecated and name != "directIO":
            assert option.instead, name
        if option.same_as:
            assert option.same_as in OPTIONS
        for written in re.findall(r"--([A-Za-z0-9]+)", option.instead):
            after = option.last or (99, 0)
            later = [release for release in RELEASES if release > after] or [(11, 1)]
            assert any(OPTIONS[written].is_parsed_by(release) for release in later), (name, written)


@pytest.mark.parametrize(
    ("name", "has", "lacks"),
    [
        ("fp16", [(8, 2), (10, 16)], [(11, 0), (11, 1), (11, 4)]),
        ("workspace", [(8, 2), (9, 3)], [(10, 0), (11, 1)]),
        ("memPoolSize", [(8, 4), (11, 1)], [(8, 2), (8, 3)]),
        ("buildOnly", [(8, 2), (8, 6), (9, 3)], [(10, 0)]),
        ("skipInference", [(8, 6), (11, 1)], [(8, 5)]),
        ("separateProfileRun", [(8, 2), (10, 16), (11, 1)], []),
        ("noCudaGraph", [(11, 0), (11, 4)], [(8, 2), (10, 16)]),
        ("nvtxMode", [(8, 2), (9, 3)], [(10, 0)]),
        ("int4", [(10, 1), (10, 16)], [(9, 3), (10, 0), (11, 0)]),
    ],
)
def test_ranges(name: str, has: list[tuple[int, int]], lacks: list[tuple[int, int]]) -> None:
    for release in has:
        assert name in options_of_release((*release, 3))
    for release in lacks:
        assert name not in options_of_release((*release, 3))


def test_in_11_what_became_the_default_has_no_effect() -> None:
    same = {name for name, option in OPTIONS.items() if option.has_no_effect((11, 0))}
    assert same == {
        "separateProfileRun", "stronglyTyped", "useCudaGraph", "useSpinWait", "noDataTransfers",
        "explicitBatch", "explicitPrecision",
    }  # fmt: skip
    assert not OPTIONS["useCudaGraph"].has_no_effect((10, 16, 1))


def test_shapes_of_several_profiles_can_be_given_since_9() -> None:
    assert not OPTIONS["minShapes"].may_repeat((8, 6, 1))
    assert OPTIONS["minShapes"].may_repeat((9, 0))
    assert OPTIONS["plugins"].may_repeat((8, 2)) and not OPTIONS["fp16"].may_repeat((10, 4))


def test_names_by_use() -> None:
    assert {"onnx", "verbose"} <= names_for(OptionUse.FILES) and "shapes" not in names_for(
        OptionUse.BUILD, OptionUse.RUN
    )
