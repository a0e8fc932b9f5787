"""U-Net: a small denoising network with two resolutions and attention, as diffusion pipelines export it.

Source of the structure: Rombach et al. 2022, section 3.3. Inputs: latents of 4×32×32, a time step, a text of 77 tokens.
Blocks of group normalizations, SiLU and convolutions with the time added; self- and cross-attention with a gated GELU
at the lower resolution; skip connections from the encoder to the decoder. The sizes are small, to be quick.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trex.examples.blocks import attention, dense, gelu, layer_norm, list_path
from trex.examples.net import FLOAT, HALF, Net
from trex.examples.network import Network, NetworkOptions

if TYPE_CHECKING:
    import onnx

_LATENT, _EXTENT = 4, 32
_CHANNELS = (64, 128)
_TIME, _FREQUENCIES = 256, 32
_TEXT, _TOKENS, _HEADS, _GROUPS = 256, 77, 4, 32


class _UNet:
    """Parts of the network. time: value of the embedded step. text: value that cross-attention reads."""

    def __init__(self, net: Net, step: str, text: str) -> None:
        self.net = net
        self.text = text
        self.time = self._embedded(step)

    def _embedded(self, step: str) -> str:
        net, at = self.net, "/time_proj"
        speeds = net.stored_constant(
            "time_proj.speeds", [10000.0 ** (-index / _FREQUENCIES) for index in range(_FREQUENCIES)],
            (1, _FREQUENCIES), net.type,
        )  # fmt: skip
        angles = net.node("Mul", net.node("Unsqueeze", step, net.constant([1], (1,), at), at=at), speeds, at=at)
        waves = [net.node(name, angles, at=at) for name in ("Sin", "Cos")]
        x = net.linear(net.node("Concat", *waves, at=at, axis=-1), "time_embedding.linear_1", (2 * _FREQUENCIES, _TIME))
        return net.linear(self.silu(x, "/time_embedding/act"), "time_embedding.linear_2", (_TIME, _TIME))

    def silu(self, x: str, at: str) -> str:
        return self.net.node("Mul", x, self.net.node("Sigmoid", x, at=at), at=at)

    def group_norm(self, x: str, module: str, channels: int, extent: int) -> str:
        """As PyTorch exports it: groups as channels of an InstanceNormalization, then scale and bias."""
        net, at = self.net, list_path(module)
        ones = net.stored_constant("group_norm.ones", [1.0] * _GROUPS, (_GROUPS,), net.type)
        zeros = net.stored_constant("group_norm.zeros", [0.0] * _GROUPS, (_GROUPS,), net.type)
        grouped = net.node("Reshape", x, net.constant([0, _GROUPS, -1], (3,), at), at=at)
        y = net.node("InstanceNormalization", grouped, ones, zeros, at=at, epsilon=1e-5)
        y = net.node("Reshape", y, net.constant([0, channels, extent, extent], (4,), at), at=at)
        y = net.node("Mul", y, net.weight(f"{module}.weight", channels, 1, 1, around=1.0), at=at)
        return net.node("Add", y, net.weight(f"{module}.bias", channels, 1, 1), at=at)

    def conv(self, x: str, module: str, into: int, out: int, kernel: int = 3, stride: int = 1) -> str:
        return self.net.conv(x, module, (into, out), kernel, stride=stride, name=f"{list_path(module)}/Conv")

    def resnet(self, x: str, at: str, into: int, out: int, extent: int) -> str:
        net, path = self.net, list_path(at)
        y = self.silu(self.group_norm(x, f"{at}.norm1", into, extent), f"{path}/nonlinearity")
        y = self.conv(y, f"{at}.conv1", into, out)
        time = net.linear(self.silu(self.time, f"{path}/nonlinearity"), f"{at}.time_emb_proj", (_TIME, out))
        y = net.node("Add", y, net.node("Unsqueeze", time, net.constant([2, 3], (2,), path), at=path), at=path)
        y = self.silu(self.group_norm(y, f"{at}.norm2", out, extent), f"{path}/nonlinearity")
        y = self.conv(y, f"{at}.conv2", out, out)
        shortcut = x if into == out else self.conv(x, f"{at}.conv_shortcut", into, out, 1)
        return net.node("Add", shortcut, y, at=path)

    def transformer(self, x: str, at: str, width: int, extent: int) -> str:
        net, path = self.net, list_path(at)
        y = self.conv(self.group_norm(x, f"{at}.norm", width, extent), f"{at}.proj_in", width, width, 1)
        y = net.node("Reshape", y, net.constant([0, width, extent * extent], (3,), path), at=path)
        y = net.node("Transpose", y, at=path, perm=[0, 2, 1])
        block = f"{at}.transformer_blocks.0"
        for index, (part, text) in enumerate((("attn1", ""), ("attn2", self.text)), 1):
            normed = layer_norm(net, y, f"{block}.norm{index}", width, 1e-5)
            y = net.node("Add", self._attended(normed, text, f"{block}.{part}", width), y, at=list_path(block))
        normed = layer_norm(net, y, f"{block}.norm3", width, 1e-5)
        y = net.node("Add", self._gated(normed, f"{block}.ff.net", width), y, at=list_path(block))
        y = net.node("Transpose", y, at=path, perm=[0, 2, 1])
        y = net.node("Reshape", y, net.constant([0, width, extent, extent], (4,), path), at=path)
        return net.node("Add", self.conv(y, f"{at}.proj_out", width, width, 1), x, at=path)

    def _attended(self, x: str, text: str, at: str, width: int) -> str:
        net = self.net
        read = {"q": (x, width), "k": (text or x, _TEXT if text else width), "v": (text or x, _TEXT if text else width)}
        rows = [
            dense(net, value, f"{at}.to_{name}", into, width, has_bias=False) for name, (value, into) in read.items()
        ]
        return dense(net, attention(net, rows, list_path(at), _HEADS, width), f"{at}.to_out.0", width, width)

    def _gated(self, x: str, at: str, width: int) -> str:
        net, path = self.net, list_path(f"{at}.0")
        wide = dense(net, x, f"{at}.0.proj", width, 8 * width)
        value, gate = net.split(wide, 2, 4 * width, path)
        return dense(net, net.node("Mul", value, gelu(net, gate, path), at=path), f"{at}.2", 4 * width, width)


def _make(options: NetworkOptions) -> onnx.ModelProto:
    type = HALF if options.variant == "fp16" else FLOAT
    net = Net("unet", weights=options.weights, type=type)
    high, low = _CHANNELS
    half = _EXTENT // 2
    sample = net.input("sample", (options.batch, _LATENT, _EXTENT, _EXTENT))
    unet = _UNet(net, net.input("timestep", (1,)), net.input("encoder_hidden_states", (options.batch, _TOKENS, _TEXT)))
    first = unet.conv(sample, "conv_in", _LATENT, high)
    second = unet.resnet(first, "down_blocks.0.resnets.0", high, high, _EXTENT)
    x = unet.conv(second, "down_blocks.0.downsamplers.0.conv", high, high, stride=2)
    x = unet.resnet(x, "down_blocks.1.resnets.0", high, low, half)
    third = unet.transformer(x, "down_blocks.1.attentions.0", low, half)
    x = unet.resnet(third, "mid_block.resnets.0", low, low, half)
    x = unet.transformer(x, "mid_block.attentions.0", low, half)
    x = unet.resnet(x, "mid_block.resnets.1", low, low, half)
    x = net.node("Concat", x, third, at="/up_blocks.0", axis=1)
    x = unet.resnet(x, "up_blocks.0.resnets.0", 2 * low, low, half)
    x = unet.transformer(x, "up_blocks.0.attentions.0", low, half)
    scales = net.stored_constant("up_blocks.0.upsamplers.0.scales", [1.0, 1.0, 2.0, 2.0], (4,), FLOAT)
    how = {"mode": "nearest", "nearest_mode": "floor", "coordinate_transformation_mode": "asymmetric"}
    x = net.node("Resize", x, "", scales, at="/up_blocks.0/upsamplers.0", **how)
    net.describe(x, (options.batch, low, _EXTENT, _EXTENT))
    x = unet.conv(x, "up_blocks.0.upsamplers.0.conv", low, low)
    x = net.node("Concat", x, second, at="/up_blocks.1", axis=1)
    x = unet.resnet(x, "up_blocks.1.resnets.0", low + high, high, _EXTENT)
    x = net.node("Concat", x, first, at="/up_blocks.1", axis=1)
    x = unet.resnet(x, "up_blocks.1.resnets.1", 2 * high, high, _EXTENT)
    x = unet.silu(unet.group_norm(x, "conv_norm_out", high, _EXTENT), "/conv_act")
    net.output("out_sample", unet.conv(x, "conv_out", high, _LATENT), (options.batch, _LATENT, _EXTENT, _EXTENT))
    return net.model(opset=17, ir_version=8)


NETWORK = Network(
    _make,
    {
        "": "a small U-Net with self- and cross-attention in FP32",
        "fp16": "the same with FP16 tensors, for strongly typed builds",
    },
    has_names=False,
)
