"""TensorRT's Python objects (IBuilderConfig, ICudaEngine) → documents for an archive; loggers that record.

Every fact is read by its name and left out where this release does not have it.
"""

from __future__ import annotations

import io
import json
import math
import sys
import time
import warnings
from collections.abc import Iterable, Iterator
from contextlib import suppress
from typing import Any

from trex.capture.tensorrt_api.context import inspector_bytes
from trex.core.errors import TrexError, missing_extra
from trex.ingest.lenient_json import parse

_LETTERS = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}


def import_tensorrt(purpose: str) -> Any:
    """The module ``tensorrt``. Raises TrexError with the extra to install, or why it cannot be loaded."""
    try:
        import tensorrt
    except ModuleNotFoundError:
        raise missing_extra("tensorrt", "tensorrt", purpose) from None
    except (ImportError, OSError) as error:
        hint = "trex doctor lists where its libraries are searched"
        raise TrexError(f"{purpose} needs TensorRT, which cannot be loaded: {error}", hint) from error
    return tensorrt


def stream_trt_logger(user_logger: Any, stream: Any = None) -> Any:
    """A logger that writes every message into ``stream`` (a StringIO by default) in TensorRT's own form, and passes it
    on to ``user_logger``, if there is one.
    """
    trt = import_tensorrt("a logger of TensorRT")
    target = io.StringIO() if stream is None else stream

    class StreamTrtLogger(trt.ILogger):  # type: ignore[misc, name-defined]
        """Keeps TensorRT's messages."""

        def __init__(self) -> None:
            trt.ILogger.__init__(self)
            self.stream = target
            self.user_logger = user_logger

        def log(self, severity: Any, msg: str) -> None:
            letter = _LETTERS.get(getattr(severity, "name", ""), "I")
            # An exception would end up in TensorRT's own threads.
            with suppress(Exception):
                target.write(f"[{time.strftime('%m/%d/%Y-%H:%M:%S')}] [TRT] [{letter}] {msg}\n")
            with suppress(Exception):
                if user_logger is not None:
                    user_logger.log(severity, msg)

    return StreamTrtLogger()


def null_trt_logger() -> Any:
    """A logger that drops every message."""
    trt = import_tensorrt("a logger of TensorRT")

    class NullTrtLogger(trt.ILogger):  # type: ignore[misc, name-defined]
        """Drops every message."""

        def __init__(self) -> None:
            trt.ILogger.__init__(self)

        def log(self, severity: Any, msg: str) -> None:
            pass

    return NullTrtLogger()


def config_facts(config: Any, build_duration_s: float | None) -> dict[str, Any]:
    """Settings of an IBuilderConfig by the API's names; names of the flags that are set; memory limits in bytes."""
    trt = sys.modules.get("tensorrt")
    facts: dict[str, Any] = {} if build_duration_s is None else {"build_duration_s": round(build_duration_s, 3)}
    facts |= _plain_facts(config)
    if trt is not None:
        flags = _members(trt, "BuilderFlag")
        facts["flags"] = [name for name, flag in flags if _call(config, "get_flag", flag)]
        limits = (
            (name, _call(config, "get_memory_pool_limit", pool)) for name, pool in _members(trt, "MemoryPoolType")
        )
        facts["memory_pool_limits"] = {name: limit for name, limit in limits if isinstance(limit, int)}
    return facts


def timing_cache_bytes(config: Any) -> bytes | None:
    """The serialized timing cache; None if the configuration has none."""
    cache = config.get_timing_cache()
    if cache is None:
        return None
    content = cache.serialize()
    return None if content is None else bytes(content)


def plan_document(plan: Any) -> dict[str, Any]:
    """Layers and bindings as TensorRT's inspector writes them, and further facts under ``engine``.

    plan: an engine or its serialized bytes. Raises TrexError if these cannot be loaded here.
    """
    engine = plan if hasattr(plan, "num_layers") else _load(plan)
    document = _inspector_document(engine)
    document["engine"] = {**_plain_facts(engine), "io_tensors": list(_io_tensors(engine))}
    return document


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, default=str)


def _load(plan: Any) -> Any:
    trt = import_tensorrt("reading a serialized engine")
    runtime = trt.Runtime(null_trt_logger())
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        raise TrexError(
            "TensorRT does not load the engine", "it needs the TensorRT and the kind of GPU that it was built for"
        )
    return engine


def _inspector_document(engine: Any) -> dict[str, Any]:
    """The inspector's JSON, since 8.2; {} if there is none or it cannot be read."""
    trt = sys.modules.get("tensorrt")
    if trt is None or not hasattr(engine, "create_engine_inspector"):
        return {}
    # Layer names in it are not escaped: control characters, quotes, bytes that are no UTF-8.
    documents = parse(inspector_bytes(engine.create_engine_inspector(), trt)).documents
    return dict(documents[0]) if documents and isinstance(documents[0], dict) else {}


def _io_tensors(engine: Any) -> Iterator[dict[str, Any]]:
    """Inputs and outputs: by name since 8.5, by index before 10.0."""
    if hasattr(engine, "num_io_tensors"):
        for name in map(engine.get_tensor_name, range(engine.num_io_tensors)):
            facts = {
                key: _plain_value(_call(engine, f"get_tensor_{key}", name))
                for key in ("mode", "shape", "dtype", "location", "format_desc")
            }
            yield {"name": name, **{key: value for key, value in facts.items() if value is not None}}
        return
    for index in range(getattr(engine, "num_bindings", 0)):
        yield {
            "name": engine.get_binding_name(index),
            "mode": "INPUT" if engine.binding_is_input(index) else "OUTPUT",
            "shape": list(engine.get_binding_shape(index)),
            "dtype": _plain_value(engine.get_binding_dtype(index)),
        }


def _plain_facts(owner: Any) -> dict[str, Any]:
    """Every attribute that is a number, text or a member of an enumeration."""
    facts = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of deprecated attributes
        for name in dir(owner):
            if name.startswith("_"):
                continue
            with suppress(Exception):  # an attribute for another kind of engine may raise anything
                value = _plain_value(getattr(owner, name))
                if isinstance(value, (str, int, float)):
                    facts[name] = value
    return facts


def _plain_value(value: Any) -> Any:
    """A value that JSON can hold, or None."""
    if isinstance(value, bool | str) or (isinstance(value, float) and math.isfinite(value)):
        return value
    name = getattr(value, "name", None)
    if isinstance(name, str) and not callable(value) and hasattr(type(value), "__members__"):
        return name
    if type(value) is int:
        return value
    if isinstance(value, Iterable) and not isinstance(value, (bytes, dict)):
        with suppress(Exception):
            return [int(item) for item in value]
    return None


def _members(trt: Any, enumeration: str) -> list[tuple[str, Any]]:
    return list(getattr(getattr(trt, enumeration, None), "__members__", {}).items())


def _call(owner: Any, method: str, argument: Any) -> Any:
    """The method's result; None if there is no such method or it raises."""
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        return getattr(owner, method)(argument)
    return None
