"""U-Nets of any length: residual units on the way down, each kept for its counterpart on the way up."""

from __future__ import annotations

from tests.synthetic import layers as make
from tests.synthetic.description import Description, Region, Step

# The U-Nets of latent diffusion models keep a dozen values on the way down; twice that is the most here, so that a
# large engine has longer units and not more of those wires.
MOST_SKIPS = 24
# Every third unit halves the image, as long as something is left of it.
_UNITS_PER_LEVEL = 3
_LEVELS = 4


def unet(layers: int, type_: str = "FP16", seed: int = 0) -> Description:
    """A U-Net of exactly ``layers`` layers (at least 2): about a tenth of them are where a kept value comes in."""
    if layers < 2:
        raise ValueError("a network needs a first and a last layer")
    skips = min(MOST_SKIPS, layers // 10)
    each, _ = divmod(layers - 2, 2 * skips) if skips else (0, 0)
    maker = _Maker(64 * (1 + seed % 4), type_)
    image = Region("input", (2, 4, 64, 64), "FP32")
    first = Region("/conv_in/in", image.dims, type_, "linear")
    x = maker.add(make.reformat("Reformatting CopyNode for Input Tensor 0 to /conv_in/Conv", image, first))
    kept: list[tuple[Region, int]] = []
    level = 0
    for unit in range(skips):
        x = maker.unit(f"/down_blocks.{unit}", x, level, each)
        kept.append((x, level))
        if unit % _UNITS_PER_LEVEL == _UNITS_PER_LEVEL - 1:
            level = min(level + 1, _LEVELS - 1)
    x = maker.unit("/mid_block", x, level, layers - 2 - 2 * skips * each)
    for unit in range(skips):
        skip, level = kept.pop()
        x = maker.unit(f"/up_blocks.{unit}", x, level, each, skip)
    output = Region("output", (2, 4, 64, 64), type_, "linear")
    maker.add(make.convolution("/conv_out/Conv", x, output, (3, 3), origins=("/conv_out/Conv",)))
    return Description(f"unet-{layers}", tuple(maker.steps), (image,), (output,), f"a U-Net of {layers} layers")


class _Maker:
    def __init__(self, width: int, type_: str) -> None:
        self.width, self.type = width, type_
        self.steps: list[Step] = []

    def add(self, step: Step) -> Region:
        self.steps.append(step)
        return step.outputs[0]

    def unit(self, at: str, x: Region, level: int, count: int, skip: Region | None = None) -> Region:
        """``count`` layers: the kept value first, then convolutions with a sum after every second one."""
        dims = (2, self.width << level, 64 >> level, 64 >> level)
        identity = x
        for position in range(count):
            y = Region(f"{at}/t{position}_output_0", dims, self.type, "hwc8")
            if position == 0 and skip is not None:
                part = f"{at}/Add_skip"
                identity = x = self.add(make.pointwise(f"PWN({part})", (x, skip), y, ("iPlus",), (part,)))
            elif position % 3 == 2:
                part = f"{at}/Add{position}"
                identity = x = self.add(make.pointwise(f"PWN({part})", (x, identity), y, ("iPlus",), (part,)))
            else:
                part = f"{at}/conv{position}/Conv"
                x = self.add(make.convolution(part, x, y, (3, 3), origins=(part,)))
        return x
