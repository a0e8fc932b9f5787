"""What a build through TensorRT's Python API leaves behind, as the members of an archive.

Every fact is asked for by its name and left out where this release does not have it.
"""

from __future__ import annotations

import io
import json
import math
import sys
import time
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from trex.core.errors import TrexError, missing_extra
from trex.ingest.lenient_json import parse

if TYPE_CHECKING:
    from trex.capture.engine_archive import EngineArchive

_LETTERS = {"INTERNAL_ERROR": "F", "ERROR": "E", "WARNING": "W", "INFO": "I", "VERBOSE": "V"}


def import_tensorrt(purpose: str) -> Any:
    """The module ``tensorrt``. Raises TrexError: naming the extra when it is absent, else why it cannot be loaded."""
    try:
        import tensorrt
    except ModuleNotFoundError:
        raise missing_extra("tensorrt", "tensorrt", purpose) from None
    except (ImportError, OSError) as error:
        hint = "trex doctor tells where its libraries are looked for"
        raise TrexError(f"{purpose} needs TensorRT, which cannot be loaded: {error}", hint) from error
    return tensorrt


def recording_builder(archive: EngineArchive, logger: Any) -> Any:
    """A builder that writes into the archive; what cannot be written is a Note there, and the build goes on."""
    trt = import_tensorrt("building into an archive")

    class RecordingBuilder(trt.Builder):  # type: ignore[misc, name-defined]
        """Builds as ``tensorrt.Builder`` does, and records."""

        def __init__(self) -> None:
            self._recorded_log = stream_trt_logger(logger, archive.writer("build.txt"))
            trt.Builder.__init__(self, self._recorded_log)

        def build_serialized_network(self, network: Any, config: Any) -> Any:
            start = time.monotonic()
            plan = trt.Builder.build_serialized_network(self, network, config)
            seconds = time.monotonic() - start
            steps: list[tuple[str, Callable[[], None]]] = [
                ("build_cfg.json", lambda: archive.archive_build_config(config, seconds)),
                ("timing.cache", lambda: archive.archive_timing_cache(config)),
            ]
            if plan is not None:
                steps.insert(0, ("engine.trt", lambda: archive.writef_bin("engine.trt", plan)))
                steps.append(("plan_cfg.json", lambda: archive.archive_plan_info(plan)))
            for name, step in steps:
                try:
                    step()
                except Exception as error:  # the plan is there, and nothing may take it away
                    archive.note("not-archived", f"{name} was not written: {error}")
            return plan

    return RecordingBuilder()


def stream_trt_logger(user_logger: Any, stream: Any = None) -> Any:
    """A logger that writes every message into ``stream`` (a StringIO by default), in TensorRT's own form, and hands it
    on to ``user_logger``, if there is one.
    """
    trt = import_tensorrt("a logger of TensorRT's")
    target = io.StringIO() if stream is None else stream

    class StreamTrtLogger(trt.ILogger):  # type: ignore[misc, name-defined]
        """Keeps what TensorRT says."""

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
    """A logger that says nothing."""
    trt = import_tensorrt("a logger of TensorRT's")

    class NullTrtLogger(trt.ILogger):  # type: ignore[misc, name-defined]
        """Says nothing."""

        def __init__(self) -> None:
            trt.ILogger.__init__(self)

        def log(self, severity: Any, msg: str) -> None:
            pass

    return NullTrtLogger()


def config_facts(config: Any, build_duration: float | None) -> dict[str, Any]:
    """What a builder's configuration is set to, by the API's names; flags that are on, limits of memory in bytes."""
    trt = sys.modules.get("tensorrt")
    facts: dict[str, Any] = {} if build_duration is None else {"build_duration_s": round(build_duration, 3)}
    facts |= _plain_facts(config)
    if trt is not None:
        flags = _members(trt, "BuilderFlag")
        facts["flags"] = [name for name, flag in flags if _asked(config, "get_flag", flag)]
        limits = (
            (name, _asked(config, "get_memory_pool_limit", pool)) for name, pool in _members(trt, "MemoryPoolType")
        )
        facts["memory_pool_limits"] = {name: limit for name, limit in limits if isinstance(limit, int)}
    return facts


def timing_cache_bytes(config: Any) -> bytes | None:
    """The serialized timing cache; None when the configuration has none."""
    cache = config.get_timing_cache()
    if cache is None:
        return None
    content = cache.serialize()
    return None if content is None else bytes(content)


def plan_document(plan: Any) -> dict[str, Any]:
    """Layers and bindings in the words of TensorRT's inspector, and under ``engine`` what else an engine tells.

    plan: an engine or its serialized bytes. Raises TrexError when these cannot be loaded here.
    """
    engine = plan if hasattr(plan, "num_layers") else _loaded(plan)
    document = _inspected(engine)
    document["engine"] = {**_plain_facts(engine), "io_tensors": list(_io_tensors(engine))}
    return document


def as_json(document: dict[str, Any]) -> str:
    return json.dumps(document, indent=1, ensure_ascii=False, default=str)


def _loaded(plan: Any) -> Any:
    trt = import_tensorrt("reading a serialized engine")
    runtime = trt.Runtime(null_trt_logger())
    engine = runtime.deserialize_cuda_engine(plan)
    if engine is None:
        raise TrexError(
            "TensorRT does not load the engine", "it needs the TensorRT and the kind of GPU it is built for"
        )
    return engine


def _inspected(engine: Any) -> dict[str, Any]:
    """The inspector's JSON, since 8.2; {} where there is none or it cannot be read."""
    trt = sys.modules.get("tensorrt")
    if trt is None or not hasattr(engine, "create_engine_inspector"):
        return {}
    text = engine.create_engine_inspector().get_engine_information(trt.LayerInformationFormat.JSON)
    # Layer names stand in it as they are: control characters, quotes and all.
    documents = parse(text.encode("utf-8", "replace")).documents
    return dict(documents[0]) if documents and isinstance(documents[0], dict) else {}


def _io_tensors(engine: Any) -> Iterator[dict[str, Any]]:
    """Inputs and outputs: by name since 8.5, by place before 10.0."""
    if hasattr(engine, "num_io_tensors"):
        for name in map(engine.get_tensor_name, range(engine.num_io_tensors)):
            facts = {
                key: _value(_asked(engine, f"get_tensor_{key}", name))
                for key in ("mode", "shape", "dtype", "location", "format_desc")
            }
            yield {"name": name, **{key: value for key, value in facts.items() if value is not None}}
        return
    for place in range(getattr(engine, "num_bindings", 0)):
        yield {
            "name": engine.get_binding_name(place),
            "mode": "INPUT" if engine.binding_is_input(place) else "OUTPUT",
            "shape": list(engine.get_binding_shape(place)),
            "dtype": _value(engine.get_binding_dtype(place)),
        }


def _plain_facts(of: Any) -> dict[str, Any]:
    """Every attribute that is a number, a word or a member of an enumeration."""
    facts = {}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of attributes that are going to disappear
        for name in dir(of):
            if name.startswith("_"):
                continue
            with suppress(Exception):  # asked for on the wrong kind of engine, an attribute may raise anything
                value = _value(getattr(of, name))
                if isinstance(value, (str, int, float)):
                    facts[name] = value
    return facts


def _value(value: Any) -> Any:
    """A value that JSON can hold; None for what it cannot."""
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


def _asked(of: Any, method: str, argument: Any) -> Any:
    """What a method answers; None where there is none or it refuses."""
    with warnings.catch_warnings(), suppress(Exception):
        warnings.simplefilter("ignore")
        return getattr(of, method)(argument)
    return None
