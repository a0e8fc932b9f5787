"""An engine in which nothing repeats: every layer has a shape of its own and reads what chance gives it."""

from __future__ import annotations

from random import Random

from tests.synthetic import layers as make
from tests.synthetic.description import Description, Region, Step

# A second operand comes from this far back; now and then from anywhere.
_NEAR, _SECOND = 3, 12
_SECOND_SHARE, _FAR_SHARE = 0.3, 0.005


def irregular(layers: int, type_: str = "FP16", seed: int = 0) -> Description:
    """A network of exactly ``layers`` layers (at least 2) of random widths and wiring; the same for the same seed."""
    if layers < 2:
        raise ValueError("a network needs a first and a last layer")
    source = Random(f"irregular {layers} {seed}")
    image = Region("input", (1, 8, 16, 16), type_, "hwc8")
    values, steps = [image], list[Step]()
    read = {0}
    for number in range(layers - 1):
        dims = (1, 8 * source.randint(1, 4000), 16, 16)
        y = Region(f"/t{number}_output_0", dims, type_, "hwc8")
        near = max(0, len(values) - 1 - source.randrange(_NEAR))
        # What no one has read yet goes first, so that few values lead nowhere.
        unread = max(0, len(values) - _NEAR)
        first = unread if unread not in read else near
        name = f"/node{number}"
        if source.random() < _SECOND_SHARE:
            back = len(values) if source.random() < _FAR_SHARE else _SECOND
            second = max(0, len(values) - 1 - source.randrange(back))
            part = f"{name}/Sum"
            steps.append(make.pointwise(f"PWN({part})", (values[first], values[second]), y, ("iPlus",), (part,)))
            read |= {first, second}
        else:
            part = f"{name}/Conv"
            steps.append(make.convolution(part, values[first], y, (3, 3), origins=(part,)))
            read.add(first)
        values.append(y)
    output = Region("output", (1, 8, 16, 16), type_, "hwc8")
    steps.append(make.convolution("/last/Conv", values[-1], output, (1, 1), origins=("/last/Conv",), padding=(0, 0)))
    return Description(
        f"irregular-{layers}", tuple(steps), (image,), (output,), f"a network of {layers} layers of which none repeats"
    )
