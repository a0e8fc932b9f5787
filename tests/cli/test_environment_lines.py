"""The machine's examination as text: a verdict, one entry per check, commands whole."""

from __future__ import annotations

from trex.capture.environment import Check, Environment
from trex.cli.environment_lines import environment_lines
from trex.export.lines import plain

GOOD = (
    Check("driver", "works", "550 \x1b[31m"),
    Check("trtexec", "works", "10.4.0 (/usr/bin/trtexec)", purpose="building"),
    Check("temporary folder", "works", "/tmp"),
)
FIX = "sudo nvidia-smi -i 0 -lgc MIN,MAX before the run, " * 3


def test_a_good_machine() -> None:
    assert plain(environment_lines(Environment(GOOD))).splitlines() == [
        "engines can be built and profiled here",
        "  works    driver            550 \\x1b[31m",
        "  works    trtexec           10.4.0 (/usr/bin/trtexec)",
        "  works    temporary folder  /tmp",
    ]


def test_what_is_missing_and_broken() -> None:
    clocks = Check("locking clocks", "warning", "only an administrator may", FIX.strip(), "times that repeat")
    lines = plain(environment_lines(Environment((*GOOD[1:], clocks)), 60)).splitlines()
    assert lines[0] == "engines cannot be built or profiled here: missing or broken: driver"
    assert max(len(line) for line in lines[1:] if "→" not in line) <= 66
    assert any(FIX.strip() in line for line in lines)
    broken = Check("Graphviz", "broken", "dies")
    assert plain(environment_lines(Environment((*GOOD, broken)))).startswith(
        "engines can be built and profiled here, but broken: Graphviz\n"
    )
