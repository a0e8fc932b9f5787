"""Network: an example ONNX model with its variants, created by its name."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from trex.core.errors import TrexError, missing_extra
from trex.core.near_names import did_you_mean
from trex.core.registry import Registry
from trex.core.shape import LARGEST_SIZE

if TYPE_CHECKING:
    import onnx

WEIGHTS = ("none", "random")
NAMES = ("numbers", "paths")


@dataclass(frozen=True)
class NetworkOptions:
    """How a network is written.

    variant: one of the network's. batch: None for a symbolic one. weights: ``none`` describes them without data (a
    small file, which trex reads and TensorRT does not), ``random`` stores them. names: of nodes and values, ``numbers``
    (Conv_0) as in exports of PyTorch before 1.13, or ``paths`` (/conv1/Conv) as since then; "" takes the names of the
    real engines of this variant. length: tokens of a text, 0 for the network's own.
    """

    variant: str = ""
    batch: int | None = 1
    weights: str = "none"
    names: str = ""
    length: int = 0


@dataclass(frozen=True)
class Network:
    """make: checked options → model. variants: name → description, the plain one first, called "".

    has_names: whether it has both kinds of names. has_length: whether it reads texts, of any length.
    """

    make: Callable[[NetworkOptions], onnx.ModelProto]
    variants: Mapping[str, str] = field(default_factory=lambda: {"": ""})
    has_names: bool = True
    has_length: bool = False


NETWORKS = Registry("trex.examples.networks", "NETWORK", kind=Network)


def network_names() -> dict[str, str]:
    """Name of every network and variant (``resnet18-qat``) → description, in the order of the registry."""
    names: dict[str, str] = {}
    for name, plug in NETWORKS.items():
        for variant, text in plug.value.variants.items():
            names[f"{name}-{variant}" if variant else name] = text or plug.summary.partition(": ")[2]
    return names


def make_network(
    name: str, batch: int | None = 1, *, weights: str = "none", names: str = "", length: int = 0
) -> onnx.ModelProto:
    """The ONNX model of an example network; the options are those of ``NetworkOptions``.

    Raises TrexError for an unknown name or option, and if the package ``onnx`` is not installed.
    """
    plain, network, variant = _network(name)
    _check("weights", weights, WEIGHTS)
    if names:
        _check("names", names, NAMES)
        if not network.has_names:
            raise TrexError(f"the network {plain!r} has only one kind of names", "omit the option names")
    if length < 0 or (length and not network.has_length):
        raise TrexError(f"the network {plain!r} cannot have a length of {length}", "omit the option length")
    if batch is not None and not 0 < batch <= LARGEST_SIZE:
        hint = f"give 1 to {LARGEST_SIZE:,}, or 0 on the command line for a symbolic one"
        raise TrexError(f"the batch cannot be {batch}", hint)
    if length > LARGEST_SIZE:
        raise TrexError(f"the length cannot be {length}", f"give at most {LARGEST_SIZE:,}")
    try:
        import onnx  # noqa: F401
    except ImportError as error:
        raise missing_extra("onnx", "onnx", "writing an ONNX model") from error
    return network.make(NetworkOptions(variant, batch, weights, names, length))


def write_network(name: str, path: str | os.PathLike[str], batch: int | None = 1, **options: str | int) -> Path:
    """Writes the model of ``make_network`` into a file and returns its path."""
    from trex.core.whole_file import write_whole

    data = make_network(name, batch, **options).SerializeToString()  # type: ignore[arg-type]
    return write_whole(Path(path), data)


def _network(name: str) -> tuple[str, Network, str]:
    for plain in sorted(NETWORKS.known_names, key=len, reverse=True):
        if name == plain or name.startswith(f"{plain}-"):
            network = NETWORKS.chosen(plain).value
            variant = name[len(plain) + 1 :]
            if variant in network.variants and bool(variant) == (name != plain):
                return plain, network, variant
    known = tuple(network_names())
    raise TrexError(f"no network is called {name!r}", did_you_mean(name, known, f"one of {', '.join(known)}"))


def _check(option: str, word: str, known: tuple[str, ...]) -> None:
    if word not in known:
        raise TrexError(f"{option} cannot be {word!r}", f"one of {', '.join(known)}")
