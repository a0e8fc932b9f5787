"""BaselineKey: model, GPU and TensorRT version, which identify a baseline."""

from __future__ import annotations

import re
from dataclasses import dataclass

UNKNOWN_GPU, UNKNOWN_VERSION = "unknown-gpu", "unknown-version"
_NO_WORD = re.compile(r"[^a-z0-9.]+")
_ENDINGS = (".engine", ".plan", ".trt", ".onnx")


@dataclass(frozen=True, slots=True, order=True)
class BaselineKey:
    """Three words of lower-case letters, digits, dashes and dots; they also name the folders and the file."""

    model: str
    gpu: str
    version: str

    @classmethod
    def of(cls, model: str, gpu: str | None, version: str | None) -> BaselineKey:
        """From names as files write them: ``resnet18.onnx.engine``, ``NVIDIA A100-SXM4-40GB``, ``v10.4.0``."""
        return cls(
            model_word(model),
            word((gpu or "").lower().replace("nvidia", "")) or UNKNOWN_GPU,
            word((version or "").lower().removeprefix("v")) or UNKNOWN_VERSION,
        )

    @property
    def text(self) -> str:
        return f"{self.model}/{self.gpu}/{self.version}"


def model_word(name: str) -> str:
    """The word for a model, or for an engine built from it."""
    return word(short_name(name)) or "engine"


def short_name(name: str) -> str:
    """``Net-INT8.onnx.engine`` → ``net-int8``."""
    short = name.lower()
    end = len(short)
    while ending := next((suffix for suffix in _ENDINGS if short.endswith(suffix, 0, end)), ""):
        end -= len(ending)
    return short[:end]


def word(text: str) -> str:
    """``GeForce RTX 4090`` → ``geforce-rtx-4090``; "" if nothing is left, never a path to another folder."""
    return _NO_WORD.sub("-", text.lower()).strip("-.")[:100].rstrip("-.")
