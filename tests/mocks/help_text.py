"""``trtexec --help`` of a release: banner, sections, one line per option that its help text names."""

from __future__ import annotations

from collections.abc import Iterator

from tests.mocks.arguments import Release
from trex.ingest.spelling.trtexec_options import OPTIONS, OptionUse, OptionValue, TrtexecOption

_SHOWN = {
    OptionValue.SWITCH: "", OptionValue.NUMBER: "=N", OptionValue.TEXT: "=spec", OptionValue.FILE: "=<file>",
    OptionValue.SHAPES: "=spec",    OptionValue.POOLS: "=poolspec", OptionValue.FORMATS: "=spec",
}  # fmt: skip
_SECTIONS = {
    "Model Options": {"onnx", "uff", "model", "deploy", "output", "uffInput", "uffNHWC"},
    "System Options": {
        "device", "useDLACore", "allowGPUFallback", "plugins", "staticPlugins", "dynamicPlugins",
        "setPluginsToSerialize", "ignoreParsedPluginLibs",
    },
    "Reporting Options": {
        "verbose", "avgRuns", "percentile", "dumpRefit", "dumpOutput", "dumpRawBindingsToFile", "dumpProfile",
        "dumpLayerInfo", "exportTimes", "exportOutput", "exportProfile", "exportLayerInfo", "dumpOptimizationProfile",
    },
    "Help": {"help"},
}  # fmt: skip
_AFTER_MODEL = ("Model Options", "Build Options", "Inference Options", "Reporting Options", "System Options", "Help")
_BUILDS = {"saveEngine", "loadEngine", "profilingVerbosity", "skipInference", "getPlanVersionOnly"}
_ALIASES = {"versionCompatible": "vc", "nativeInstanceNorm": "ni", "pluginInstanceNorm": "pi"}


def help_lines(release: Release) -> Iterator[str]:
    listed = [option for option in OPTIONS.values() if option.is_listed_by(release)]
    for section in _AFTER_MODEL:
        yield f"=== {section} ==="
        for option in listed:
            if _section(option.name, option.use) == section and not _is_beside(option, release):
                short = ", -h" if option.name == "help" else ""
                alias = _ALIASES.get(option.name, "")
                shown = f"--{option.name}{_SHOWN[option.value]}{short}" + (f", --{alias}" if alias else "")
                yield f"  {shown:<27} {_what(option.value)} (mock)"
        yield ""


def _is_beside(option: TrtexecOption, release: Release) -> bool:
    """Another spelling, listed on the line of the first one."""
    return bool(option.same_as) and OPTIONS[option.same_as].is_parsed_by(release)


def _section(name: str, use: OptionUse) -> str:
    known = next((section for section, names in _SECTIONS.items() if name in names), "")
    if known:
        return known
    return "Build Options" if use in (OptionUse.BUILD, OptionUse.BOTH) or name in _BUILDS else "Inference Options"


def _what(value: OptionValue) -> str:
    return "Switches something on" if value is OptionValue.SWITCH else f"Takes a {value.value}"
