"""Configuration: the settings of lint and of comparisons in ``trex.toml`` or ``pyproject.toml``, as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from fnmatch import fnmatchcase


@dataclass(frozen=True, slots=True)
class Suppression:
    """Findings to leave out, and why.

    rule: a code, a name or a glob. layers: globs of layer names. A finding whose layers all match is left out; if only
    some match, it reports the others, and its savings do not count the suppressed ones.
    expires: the last day on which it applies, None for no end. where: ``file:line``.
    """

    rule: str
    reason: str
    layers: tuple[str, ...] = ("*",)
    expires: date | None = None
    where: str = ""


@dataclass(frozen=True, slots=True)
class LintSettings:
    """select, ignore: codes, names or globs. limits: {code or name: {limit: number}}. fail_on: a severity or ""."""

    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    limits: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    fail_on: str = ""

    def with_more(self, more: LintSettings) -> LintSettings:
        """Both settings together: ``more`` wins, but what either ignores is ignored."""
        limits = {name: dict(values) for name, values in self.limits.items()}
        for name, values in more.limits.items():
            limits[name] = {**limits.get(name, {}), **values}
        return LintSettings(
            more.select or self.select, (*self.ignore, *more.ignore), limits, more.fail_on or self.fail_on
        )


@dataclass(frozen=True, slots=True)
class Preset:
    """Settings for the devices whose name matches ``device``, a glob, or with this compute capability (``8.7``).

    With neither, for devices whose name contains the preset's.
    """

    name: str
    settings: LintSettings
    device: str = ""
    compute_capability: str = ""

    def fits(self, device: str, compute_capability: tuple[int, int] | None) -> bool:
        if self.compute_capability:
            capability = "" if compute_capability is None else ".".join(map(str, compute_capability))
            if capability != self.compute_capability:
                return False
            if not self.device:
                return True
        return bool(device) and fnmatchcase(device.lower(), (self.device or f"*{self.name}*").lower())


@dataclass(frozen=True, slots=True)
class LintConfiguration:
    """settings: for all devices. where: the file, "" without one."""

    settings: LintSettings = field(default_factory=LintSettings)
    presets: tuple[Preset, ...] = ()
    suppressions: tuple[Suppression, ...] = ()
    where: str = ""

    @property
    def file_name(self) -> str:
        """The file without its folders; "" if it has no lint settings."""
        has_settings = self.presets or self.suppressions or self.settings != LintSettings()
        return self.where.replace("\\", "/").rpartition("/")[2] if has_settings else ""

    def for_device(self, name: str, compute_capability: tuple[int, int] | None) -> LintConfiguration:
        """This configuration with the settings of the presets for this device, in the order of the file."""
        settings = self.settings
        for preset in self.presets:
            if preset.fits(name, compute_capability):
                settings = settings.with_more(preset.settings)
        return replace(self, settings=settings)


@dataclass(frozen=True, slots=True)
class Limit:
    """How far a metric may grow. metric: ``latency``, ``compute``, ``enqueue`` or ``layer:GLOB``.

    allowed: ``+3%`` or ``+0.1ms``; "" for no limit. where: ``file:line``.
    """

    metric: str
    allowed: str
    where: str = ""


@dataclass(frozen=True, slots=True)
class CompareConfiguration:
    """limits: {metric: limit} for every engine. engines: (glob of engine names, limits instead), in the order of the
    file. baselines: folder of the baselines, "" if the file names none. where: the file, "" without one.
    """

    limits: Mapping[str, Limit] = field(default_factory=dict)
    engines: tuple[tuple[str, Mapping[str, Limit]], ...] = ()
    baselines: str = ""
    where: str = ""

    def limits_for(self, engine: str) -> tuple[Limit, ...]:
        """The limits for this engine: those for all, replaced by those whose glob matches it."""
        chosen = dict(self.limits)
        for glob, limits in self.engines:
            if fnmatchcase(engine.lower(), glob.lower()):
                chosen.update(limits)
        return tuple(limit for limit in chosen.values() if limit.allowed)
