"""Shapes in the user's words, compared with one another and with the inputs of the model: what a build would refuse
after minutes is refused before it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from trex.capture.word_values import shapes_from_text
from trex.core.errors import TrexError
from trex.core.near_names import did_you_mean
from trex.ingest.onnx_inputs import OnnxInput

GROUPED = ("minShapes", "optShapes", "maxShapes")

_SMALLEST = GROUPED[0]
_ANY = -1


@dataclass(frozen=True, slots=True)
class ProfileShapes:
    """One optimization profile: shapes as trtexec reads them, minimum and maximum "" where only the optimum is given.

    index: what ``--profile=`` said, None for the one profile that needs no number.
    """

    index: int | None
    minimum: str = ""
    optimum: str = ""
    maximum: str = ""

    @property
    def words(self) -> tuple[str, ...]:
        """In trtexec's order: what follows ``--profile=N`` belongs to that profile."""
        opened = () if self.index is None else (f"--profile={self.index}",)
        return (*opened, *(f"--{name}={text}" for name, text in self.given))

    @property
    def given(self) -> Iterator[tuple[str, str]]:
        """(option, its text) of those that are given."""
        named = zip(GROUPED, (self.minimum, self.optimum, self.maximum), strict=True)
        return ((name, text) for name, text in named if text)


def check_order(profile: ProfileShapes) -> None:
    """Raises TrexError where a profile's sizes do not grow from minimum to maximum."""
    sides = [(name, text, shapes_from_text(text)) for name, text in profile.given]
    for (name, text, smaller), (other, _, larger) in pairwise(sides):
        for tensor, dims in smaller.items():
            most = larger.get(tensor, dims)
            told = f"{name} gives {tensor} {_text(dims)}, {other} gives it {_text(most)}"
            if len(dims) != len(most):
                raise TrexError(f"{told}: not as many dimensions", "give all three as many", f"{name}={text}")
            if any(a > b for a, b in zip(dims, most, strict=True)):
                hint = "minShapes must not be larger than optShapes, nor these than maxShapes, in any dimension"
                raise TrexError(f"{told}, which is less", hint, f"{name}={text}")


def check_run_shapes(profiles: Sequence[ProfileShapes], used: int, shapes: str) -> None:
    """Raises TrexError for shapes of a run that lie outside of the profile that it uses."""
    profile = next((p for p in profiles if (p.index or 0) == used), None)
    if profile is None or not profile.minimum or not shapes:
        return
    low, high = shapes_from_text(profile.minimum), shapes_from_text(profile.maximum)
    for name, dims in shapes_from_text(shapes).items():
        least, most = low.get(name, dims), high.get(name, dims)
        fits = len(least) == len(dims) == len(most)
        if not fits or any(not a <= size <= b for a, size, b in zip(least, dims, most, strict=True)):
            raise TrexError(
                f"the shape of {name} in --shapes lies outside of minShapes and maxShapes",
                "choose shapes within them, or widen them",
                f"shapes={shapes}",
            )


def check_with_model(given: Iterable[tuple[str, str]], inputs: Sequence[OnnxInput], takes_fixed: bool = False) -> None:
    """given: (option, its text). takes_fixed: whether shapes may be told of inputs that have no others.

    Raises TrexError for an input that the model does not have, and a shape that it cannot take.
    """
    by_name = {each.name: each for each in inputs}
    read = [(option, text, shapes_from_text(text)) for option, text in given]
    for option, text, shapes in read:
        if unknown := next((name for name in shapes if name not in by_name), None):
            hint = did_you_mean(unknown, by_name, f"its inputs: {', '.join(map(_told, inputs)) or 'none'}")
            raise TrexError(f"the model has no input {unknown}", hint, f"{option}={text}")
    if read and not takes_fixed and all(each.is_fixed for each in inputs):
        option, text, _ = read[0]
        own = ", ".join(map(_told, inputs))
        raise TrexError(
            f"the model has fixed shapes ({own}), and trtexec builds no such model with {option}",
            f"leave {option} out, or export the model with dynamic axes",
            f"{option}={text}",
        )
    for option, text, shapes in read:
        for name, dims in shapes.items():
            _check_one(option, text, by_name[name], dims)


def _check_one(option: str, text: str, own: OnnxInput, dims: tuple[int, ...]) -> None:
    if own.dimensions is None or own.may_hold_sizes:
        return
    where = f"{option}={text}"
    fits = len(dims) == len(own.dimensions)
    if not fits or any(size not in (_ANY, given) for size, given in zip(own.dimensions, dims, strict=True)):
        others = dims if fits else (1,) * len(own.dimensions)
        example = tuple(
            given if size == _ANY else size for size, given in zip(own.dimensions, others, strict=True)
        )  # fmt: skip
        raise TrexError(
            f"{option} gives the input {own.name} {_text(dims)}, and the model has {_text(own.dimensions)} there"
            + ("; -1 is any size" if _ANY in own.dimensions else ""),
            f"write, for instance, {option}={own.name}:{_text(example)}",
            where,
        )
    if 0 in dims and option != _SMALLEST:
        raise TrexError(
            f"{option} gives the input {own.name} {_text(dims)}, of which nothing can be measured",
            "give every dimension 1 or more; minShapes alone may have a 0",
            where,
        )


def _told(one: OnnxInput) -> str:
    return f"{one.name}:{'of any shape' if one.dimensions is None else _text(one.dimensions)}"


def _text(dims: Sequence[int]) -> str:
    return "x".join(map(str, dims)) or "scalar"
