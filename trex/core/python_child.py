"""Child processes of Python that import nothing from the current folder, where files of others may lie.

With ``-m`` and ``-c`` Python looks there first: a ``json.py`` next to an engine would run.
"""

from __future__ import annotations

import sys
from pathlib import Path

_HAS_FLAG = sys.version_info >= (3, 11)
_RUN = "import sys; del sys.path[0]; import runpy; runpy.run_module({!r}, run_name='__main__', alter_sys=True)"


def module_words(module: str) -> tuple[str, ...]:
    """What stands behind the interpreter to run a module; its arguments follow."""
    if _imports_from_here():  # whoever started this process chose it
        return ("-m", module)
    return ("-P", "-m", module) if _HAS_FLAG else ("-c", _RUN.format(module))


def keep_workers_out() -> None:
    """For every process that ``multiprocessing`` starts from now on; it gets the path of this process as its first
    step.
    """
    from multiprocessing import util

    own = util._args_from_interpreter_flags  # type: ignore[attr-defined]
    if getattr(own, "is_of_trex", False):
        return
    flag = "-P" if _HAS_FLAG else "-I"

    def flags() -> list[str]:
        given: list[str] = own()
        return given if flag in given else [*given, flag]

    flags.is_of_trex = True  # type: ignore[attr-defined]
    util._args_from_interpreter_flags = flags  # type: ignore[attr-defined]


def _imports_from_here() -> bool:
    try:
        return "" in sys.path or str(Path.cwd()) in sys.path
    except OSError:  # the folder is gone
        return False
