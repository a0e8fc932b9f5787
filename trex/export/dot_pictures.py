"""DOT text → picture: by Graphviz, as a system's ``dot`` or as the library in pygraphviz's wheels."""

from __future__ import annotations

import importlib.util
import shutil
import subprocess
import sys

from trex.core.errors import TrexError

# Graphviz takes 33 s for a thousand layers and minutes for five thousand: there is a time limit.
TIMEOUT_S = 120.0
SYSTEM_GRAPHVIZ = "install Graphviz with the system's packages, which bring the libraries: apt-get install graphviz"
# In a process of its own, which can be stopped.
_BY_LIBRARY = (
    "import sys, pygraphviz\n"
    "graph = pygraphviz.AGraph(string=sys.stdin.buffer.read().decode('utf-8'))\n"
    "sys.stdout.buffer.write(graph.draw(format=sys.argv[1], prog='dot'))\n"
)


def has_graphviz() -> bool:
    """Whether Graphviz can be called here: as a program, or through pygraphviz."""
    return shutil.which("dot") is not None or importlib.util.find_spec("pygraphviz") is not None


def picture_of(source: str, format: str, timeout_s: float = TIMEOUT_S) -> bytes:
    """A DOT document drawn by Graphviz in one of its formats (``svg``, ``png``, ``pdf`` …).

    Raises TrexError when Graphviz is absent, refuses the document or format, or needs longer than ``timeout_s``.
    """
    if not (format.isascii() and format.replace("_", "").isalnum()):
        raise TrexError(f"{format!r} is no picture format", "one of svg, png, pdf")
    program = shutil.which("dot")
    if program is not None:
        command = [program, f"-T{format}"]
    elif importlib.util.find_spec("pygraphviz") is not None:
        command = [sys.executable, "-I", "-c", _BY_LIBRARY, format]
    else:
        raise TrexError(
            f"drawing {format.upper()} needs Graphviz, which is not installed",
            "pip install 'tensorrt-engine-explorer[graphviz]', or leave the drawing to trex: SVG needs nothing else",
        )
    try:
        done = subprocess.run(
            command, input=source.encode("utf-8", "replace"), capture_output=True, timeout=timeout_s, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise TrexError(
            f"Graphviz did not finish within {timeout_s:g} s", "draw SVG, for which it is not needed, or a part"
        ) from error
    except OSError as error:
        raise TrexError(f"Graphviz cannot be started: {error.strerror}", "draw SVG, which needs nothing") from error
    if done.returncode or not done.stdout:
        messages = done.stderr.decode("utf-8", "replace").strip().splitlines() or [""]
        if messages[-1].startswith("ImportError: "):
            raise library_broken(messages[-1].partition(": ")[2])
        raise TrexError(
            f"Graphviz cannot draw this as {format}",
            "svg, png or pdf by trex itself, without --engine dot",
            excerpt=messages[-1],
        )
    return done.stdout


def library_broken(reason: str) -> TrexError:
    """The error for a pygraphviz that is there and does not load: its wheels leave glib and X11 to the system."""
    return TrexError("pygraphviz cannot be loaded", SYSTEM_GRAPHVIZ, excerpt=reason)
