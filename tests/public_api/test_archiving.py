"""trex.archiving: the classic names, without TensorRT."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import pytest

import trex
from trex import archiving
from trex.archiving import EngineArchive, get_reader, get_writer
from trex.core.errors import TrexError

ROOT = Path(trex.__file__).resolve().parent.parent
HELPERS = (
    "regular_file_writer regular_file_reader zip_file_writer zip_file_reader "
    "StreamTrtLogger NullTrtLogger get_writer get_reader"
)
METHODS = (
    "open close writef_txt writef_bin readf writer reader "
    "archive_build_config archive_timing_cache archive_plan_info Builder"
)


def test_the_classic_names_are_there() -> None:
    for name in HELPERS.split():
        assert callable(getattr(archiving, name))
    assert archiving.__all__ == ["EngineArchive", "get_reader", "get_writer"]
    assert list(inspect.signature(EngineArchive).parameters) == ["archive_filename", "override_files"]
    assert inspect.signature(EngineArchive).parameters["override_files"].default is True
    for name in METHODS.split():
        assert callable(getattr(EngineArchive, name)), name
    assert list(inspect.signature(EngineArchive.archive_build_config).parameters)[1:] == ["config", "build_duration"]


def test_it_needs_no_tensorrt(tmp_path: Path) -> None:
    program = (
        f"import sys; sys.path.insert(0, {str(ROOT)!r}); sys.modules['tensorrt'] = None\n"
        "from trex.archiving import EngineArchive\n"
        f"with EngineArchive({str(tmp_path / 'a.tea')!r}) as tea: tea.writef_txt('a', 'b')\n"
        f"assert EngineArchive({str(tmp_path / 'a.tea')!r}).readf('a') == b'b'\n"
        "print([m for m in ('pandas', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-I", "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


@pytest.mark.parametrize("has_archive", [True, False])
def test_writers_and_readers_with_and_without_an_archive(tmp_path: Path, has_archive: bool) -> None:
    log = tmp_path / "net.engine.build.log"
    tea = EngineArchive(tmp_path / "net.tea") if has_archive else None
    with get_writer(tea, log) as writer:
        writer.write("=== Model Options ===\n")
    if tea is not None:
        tea.close()
        assert tea.names == (log.name,)
    assert log.exists() is not has_archive
    with get_reader(tea, str(log)) as reader:
        assert reader.readlines() == ["=== Model Options ===\n"]


def test_loggers_need_tensorrt(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tensorrt", None)
    for make in (archiving.NullTrtLogger, lambda: archiving.StreamTrtLogger(None)):
        with pytest.raises(TrexError, match="tensorrt"):
            make()
