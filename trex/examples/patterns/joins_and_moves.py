"""Blocks that join, split, resize and shuffle images."""

from __future__ import annotations

from collections.abc import Mapping

from trex.examples.net import FLOAT, Net
from trex.examples.patterns.parts import CHANNELS, EXTENT, IMAGE, Block, conv, image_input


def _dense_connection(net: Net) -> tuple[str, tuple[int, ...]]:
    x = conv(net, image_input(net), "stem")
    y = net.node("Concat", x, conv(net, x, "conv1"), at="/concat", axis=1)
    y = net.node("Concat", y, conv(net, y, "conv2", into=2 * CHANNELS), at="/concat", axis=1)
    return conv(net, y, "conv3", into=3 * CHANNELS, kernel=1), IMAGE


def _inception(net: Net) -> tuple[str, tuple[int, ...]]:
    x = image_input(net)
    branches = [
        conv(net, x, "one", kernel=1),
        conv(net, conv(net, x, "three.reduce", kernel=1), "three"),
    ]
    branches.append(conv(net, conv(net, x, "five.reduce", kernel=1), "five", kernel=5))
    branches.append(conv(net, net.max_pool(x, "/pool", 3, 1, 1), "pool.project", kernel=1))
    y = net.node("Concat", *branches, at="/concat", axis=1)
    return conv(net, y, "head", into=4 * CHANNELS, kernel=1), IMAGE


def _split_branches(net: Net) -> tuple[str, tuple[int, ...]]:
    """Half of the channels through a bottleneck, all halves joined, as in YOLO's C2f."""
    half = CHANNELS // 2
    y = conv(net, image_input(net), "cv1", "silu", kernel=1)
    axes, ends = net.constant([1], (1,)), [net.constant([number], (1,)) for number in (0, half, CHANNELS)]
    first, second = (net.node("Slice", y, *ends[index : index + 2], axes, at="/split") for index in (0, 1))
    z = conv(net, conv(net, second, "m.cv1", "silu", half, half), "m.cv2", "silu", half, half)
    parts = (first, second, net.node("Add", second, z, at="/m"))
    return conv(net, net.node("Concat", *parts, at="/concat", axis=1), "cv2", "silu", 3 * half, kernel=1), IMAGE


def _pyramid_pooling(net: Net) -> tuple[str, tuple[int, ...]]:
    """Max poolings in a row, joined, as in YOLO's SPPF."""
    parts = [conv(net, image_input(net), "cv1", "silu", kernel=1)]
    for _ in range(3):
        parts.append(net.max_pool(parts[-1], "/pool", 5, 1, 2))
    return conv(net, net.node("Concat", *parts, at="/concat", axis=1), "cv2", "silu", 4 * CHANNELS, kernel=1), IMAGE


def _resized(mode: str) -> Block:
    """A coarse map enlarged and joined with a fine one, as in feature pyramids and U-Nets."""

    def block(net: Net) -> tuple[str, tuple[int, ...]]:
        coarse = conv(net, image_input(net, "coarse", extent=EXTENT // 2), "lateral")
        scales = net.stored_constant("scales", [1.0, 1.0, 2.0, 2.0], (4,), FLOAT)
        how = {"mode": mode, "coordinate_transformation_mode": "asymmetric" if mode == "nearest" else "half_pixel"}
        how |= {"nearest_mode": "floor"} if mode == "nearest" else {}
        wide = net.node("Resize", coarse, "", scales, at="/resize", **how)
        y = net.node("Concat", wide, image_input(net, "fine"), at="/concat", axis=1)
        return conv(net, y, "head", into=2 * CHANNELS), IMAGE

    return block


def _pixel_shuffle(net: Net) -> tuple[str, tuple[int, ...]]:
    y = conv(net, image_input(net, extent=EXTENT // 2), "conv", "relu", CHANNELS, 4 * CHANNELS)
    return conv(net, net.node("DepthToSpace", y, at="/shuffle", blocksize=2, mode="CRD"), "head"), IMAGE


def _channel_shuffle(net: Net) -> tuple[str, tuple[int, ...]]:
    half, at = CHANNELS // 2, "/shuffle"
    y = net.node(
        "Reshape",
        conv(net, image_input(net), "conv1", kernel=1),
        net.constant([1, 2, half, EXTENT, EXTENT], (5,)),
        at=at,
    )
    y = net.node("Transpose", y, at=at, perm=[0, 2, 1, 3, 4])
    y = net.node("Reshape", y, net.constant(IMAGE, (4,)), at=at)
    return conv(net, y, "depthwise", "", group=CHANNELS), IMAGE


BLOCKS: Mapping[str, Block] = {
    "dense-connection": _dense_connection,
    "inception": _inception,
    "split-branches": _split_branches,
    "pyramid-pooling": _pyramid_pooling,
    "resize-nearest": _resized("nearest"),
    "resize-linear": _resized("linear"),
    "pixel-shuffle": _pixel_shuffle,
    "channel-shuffle": _channel_shuffle,
}
