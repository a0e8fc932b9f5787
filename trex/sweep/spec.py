"""SweepSpec: what a sweep runs: axes, exclusions, settings per axis value, resources and limits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from math import prod

from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.core.shape import LARGEST_SIZE

AXES: Mapping[str, str] = {
    "model": "ONNX files, globs of them, or example:NAME (a network of `trex examples`)",
    "batch": "batch sizes: the first dimension of inputs that leave it open",
    "shapes": "shapes as for trtexec, {batch} stands for the batch size: x:{batch}x3x224x224",
    "precision": "model (its own types), fp32, fp16, bf16, int8, fp8, best, or int8+fp16",
    "options": 'options of trtexec, in one text: "builderOptimizationLevel=5 noTF32"',
    "backend": "trtexec, tensorrt (its Python API), tensorrt-rtx, simulated",
    "gpu": "GPU to run on, or to build and predict for (tensorrt-rtx, simulated): A100, T4",
    "tensorrt": "release to predict (simulated); elsewhere the release that must be installed",
}
"""{axis: what its values are}, the slowest first."""

TRTEXEC, PYTHON_API, RTX, SIMULATED = BACKENDS = ("trtexec", "tensorrt", "tensorrt-rtx", "simulated")
ON_CPU = (RTX, SIMULATED)
AS_MODEL = "model"
_NO_FLAG = ("", AS_MODEL, "fp32")
PRECISIONS = (AS_MODEL, "fp32", "fp16", "bf16", "int8", "fp8", "best")
DEFAULTS: Mapping[str, tuple[str, ...]] = {"precision": (AS_MODEL,), "backend": (TRTEXEC,)}
MOST_JOBS = 100_000
"""Of one sweep; each is a minute on a GPU, or a second of prediction."""
_MOST_CHECKS = 20_000_000
"""A minute."""

Combination = Mapping[str, str]
"""{axis: value}, of every axis; "" for an axis that the sweep does not have."""


@dataclass(frozen=True, slots=True)
class AxisSelector:
    """Axis values, or globs of them. where: its place in the file, for errors."""

    patterns: Mapping[str, tuple[str, ...]]
    where: str = ""
    _known: dict[tuple[str, str], bool] = field(default_factory=dict, init=False, repr=False, compare=False)

    def applies_to(self, combination: Combination) -> bool:
        return all(self._fits(axis, combination[axis]) for axis in self.patterns)

    def _fits(self, axis: str, value: str) -> bool:
        fits = self._known.get((axis, value))
        if fits is None:
            fits = any(fnmatchcase(value, pattern) for pattern in self.patterns[axis])
            self._known[axis, value] = fits
        return fits

    @property
    def text(self) -> str:
        return ", ".join(f"{axis} {' or '.join(patterns)}" for axis, patterns in self.patterns.items())


@dataclass(frozen=True, slots=True)
class Setting:
    """Options of `trex process` for the combinations that a selector selects. arguments: for trtexec."""

    selector: AxisSelector
    arguments: tuple[str, ...] = ()
    flags: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Resources:
    """gpu: of the workers that run jobs on a GPU, "" for any. is_exclusive: a job has its GPU for itself."""

    gpu: str = ""
    is_exclusive: bool = True


@dataclass(frozen=True, slots=True)
class SweepSpec:
    """name: a label of its runs. folder: relative paths start there. time_limit_s: of a job, None for none.

    retries: how often a failed job is repeated at once. quarantine: failures, of this and earlier sweeps, after which a
    job is not tried again; 0 for never. file: for errors.
    """

    name: str
    axes: Mapping[str, tuple[str, ...]]
    exclude: tuple[AxisSelector, ...] = ()
    settings: tuple[Setting, ...] = ()
    resources: Resources = Resources()
    repetitions: int = 1
    time_limit_s: float | None = None
    retries: int = 0
    quarantine: int = 3
    store: str = ""
    folder: str = "."
    file: str = ""

    def __post_init__(self) -> None:
        if self.name in ("", ".", "..") or not self.name.isprintable() or set(self.name) & set("/\\"):
            raise TrexError(f"no folder can have the sweep's name {self.name!r}", 'name = "nightly"', self.file)

    def values(self, axis: str) -> tuple[str, ...]:
        return self.axes.get(axis) or DEFAULTS.get(axis, ("",))

    @property
    def needs_gpu(self) -> bool:
        """Whether some jobs run on a GPU."""
        return any(backend not in ON_CPU for backend in self.values("backend"))


def check_axis(axis: str, where: str = "") -> None:
    """Raises TrexError for a name that no axis has."""
    if axis not in AXES:
        raise TrexError(f"there is no axis {axis!r}", did_you_mean(axis, AXES, f"axes: {', '.join(AXES)}"), where)


def check_value(axis: str, value: str, where: str = "") -> None:
    """Raises TrexError for a value that its axis can't have."""
    if axis == "backend" and value not in BACKENDS:
        raise TrexError(
            f"there is no backend {value!r}", did_you_mean(value, BACKENDS, f"one of {', '.join(BACKENDS)}"), where
        )
    if axis == "batch" and not (value.isascii() and value.isdecimal() and 0 < int(value[:20]) <= LARGEST_SIZE):
        message = f"the batch size {value!r} is not a whole number from 1 to {LARGEST_SIZE:,}"
        raise TrexError(message, "batch = [1, 8, 32]", where)
    if axis == "precision":
        precision_words(value, where)


def precision_words(precision: str, where: str = "") -> tuple[str, ...]:
    """trtexec's options for a precision: ``int8+fp16`` → (int8, fp16). Raises TrexError for an unknown one."""
    words = [word.strip() for word in precision.split("+")] if precision not in _NO_FLAG else []
    for word in words:
        if word not in PRECISIONS or word in _NO_FLAG:
            hint = did_you_mean(word, PRECISIONS, f"one of {', '.join(PRECISIONS)}, or several: int8+fp16")
            raise TrexError(f"there is no precision {precision!r}", hint, where)
    return tuple(words)


def combinations_of(spec: SweepSpec, axes: Mapping[str, Sequence[str]]) -> list[Combination]:
    """Every combination that no exclusion removes, in the order of the axes.

    axes: the values of all axes, globs replaced. Raises TrexError for an exclusion or a setting that applies to
    nothing, and if nothing is left.
    """
    from itertools import product

    count = prod(len(axes[axis]) for axis in AXES) * spec.repetitions
    if count > MOST_JOBS:
        hint = "fewer values or repetitions, or several sweeps: exclusions apply after the count"
        raise TrexError(f"the sweep has {count:,} combinations, more than {MOST_JOBS:,}", hint, spec.file)
    selectors = len(spec.exclude) + len(spec.settings)
    if count * selectors > _MOST_CHECKS:
        message = f"{count:,} combinations and {selectors:,} exclusions and settings are too many together"
        raise TrexError(message, "several sweeps, or globs in an exclusion", spec.file)
    everything: list[Combination] = [
        dict(zip(AXES, values, strict=True)) for values in product(*(axes[axis] for axis in AXES))
    ]
    for selector in (*spec.exclude, *(setting.selector for setting in spec.settings)):
        for axis, patterns in selector.patterns.items():
            for pattern in patterns:
                if not any(fnmatchcase(value, pattern) for value in axes[axis]):
                    known = [value for value in axes[axis] if value]
                    hint = did_you_mean(pattern, known, f"its values: {', '.join(known) or 'none'}")
                    raise TrexError(f"no {axis} of this sweep is {pattern!r}", hint, selector.where)
    left = [combination for combination in everything if not any(c.applies_to(combination) for c in spec.exclude)]
    if not left:
        removed = "; ".join(selector.text for selector in spec.exclude)
        raise TrexError(
            "the matrix is empty: the exclusions remove every combination",
            f"drop one of them: {removed}",
            spec.exclude[-1].where if spec.exclude else spec.file,
        )
    for setting in spec.settings:
        if not any(setting.selector.applies_to(combination) for combination in left):
            raise TrexError(
                f"this setting applies to nothing: {setting.selector.text} is excluded",
                "drop the setting or the exclusion",
                setting.selector.where,
            )
    return left
