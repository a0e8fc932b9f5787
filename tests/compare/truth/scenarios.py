"""Scenarios: what is done to an engine, and how much the files of both sides tell of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from tests.compare.truth import changes as made
from tests.compare.truth.changes import Change
from tests.compare.truth.draft import Draft, built
from tests.compare.truth.network import NETWORKS
from tests.compare.truth.pair import Pair, pair_of
from tests.compare.truth.spelling import Spelled

NOISE = 0.01
STYLES = {"residual": "native", "inverted": "native", "encoder": "myelin", "denoiser": "myelin"}
"""{network: in whose style TensorRT would run it}."""

CHANGES: dict[str, tuple[Change, ...]] = {
    "nothing but noise": (),
    "reordered": (made.reordered,),
    "other kernels": (made.tactics(0.4),),
    "the same kernels, other times": (made.speeds(0.5),),
    "another precision throughout": (made.precision("FP32"),),
    "some layers in INT8": (made.precision("INT8", 0.6),),
    "split": (made.split(0.5),),
    "merged": (made.merge(0.5),),
    "merged into what follows": (made.merge(0.5, ahead=1.0),),
    "sums in the other branch": (made.sums_elsewhere,),
    "layers dropped": (made.dropped(0.15),),
    "another batch": (made.batched(4),),
    "attention unfused": (made.attention(False),),
    "split, merged, other kernels": (made.split(0.25), made.merge(0.25), made.tactics(0.4)),
    "all of it": (
        made.dropped(0.05),
        made.split(0.15),
        made.merge(0.15),
        made.precision("INT8", 0.3),
        made.tactics(0.2),
        made.reordered,
    ),
}
OVERLAID = {"all of it on the same layers": "all of it"}
"""{name: the change of which this is the same, but that layers may be touched by several}."""
SWAPPED = {"layers added": "layers dropped", "attention fused": "attention unfused"}
"""{name: the change of which it is the way back}."""
NEEDS_ATTENTION = frozenset(("attention unfused", "attention fused"))

_OLD, _NEW = Spelled(version="8.6"), Spelled(version="10.4", region=3, first=17, noise=NOISE)
TOLD: dict[str, tuple[Spelled, Spelled]] = {
    "both with ONNX origins": (_OLD, _NEW),
    "one side tells them": (Spelled(version="8.4", origins=False), _NEW),
    "names alone tell": (
        Spelled(version="8.4", origins=False),
        Spelled(version="8.4", origins=False, region=1, quantizers=True, noise=NOISE),
    ),
    "numbers given anew": (
        Spelled("numbered", "8.4", origins=False),
        Spelled("numbered", "8.4", 5, origins=False, region=1, quantizers=True, noise=NOISE),
    ),
    "another exporter": (
        Spelled("numbered", "8.4", origins=False),
        Spelled("path", "8.4", origins=False, region=1, quantizers=True, noise=NOISE),
    ),
    "no names": (
        Spelled("unnamed", "8.4", origins=False),
        Spelled("unnamed", "8.4", 7, origins=False, region=2, noise=NOISE),
    ),
    "files hold names only": (
        Spelled(version="8.4", origins=False, only_names=True),
        Spelled(version="8.4", origins=False, only_names=True, region=1, noise=NOISE),
    ),
}


def base_of(network: str, blocks: int, seed: int) -> Draft:
    return built(NETWORKS[network](blocks, seed), STYLES[network])


def pairs_of(change: str, told: str, blocks: int, seeds: int) -> Iterator[tuple[str, Callable[[], Pair]]]:
    """(what it is, its maker) of every network to which the change can be done."""
    left, right = TOLD[told]
    way = SWAPPED.get(change) or OVERLAID.get(change, change)
    for network in NETWORKS:
        if change in NEEDS_ATTENTION and network != "encoder":
            continue
        for seed in range(seeds):

            def make(network: str = network, seed: int = seed) -> Pair:
                found = pair_of(base_of(network, blocks, seed), CHANGES[way], left, right, seed, change not in OVERLAID)
                return found.swapped() if change in SWAPPED else found

            yield f"{network} {seed}", make
