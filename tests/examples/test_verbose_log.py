"""The log that trex makes is read as a real one, and says that it is none."""

from __future__ import annotations

from trex.builder.tactics import Tactics
from trex.examples.verbose_log import MADE_BY_TREX, verbose_log
from trex.ingest.build_log.build_log import parse_build_log


def test_it_is_read_as_a_build() -> None:
    text = "".join(verbose_log(layers=8, tactics=5))
    assert text.startswith(MADE_BY_TREX) and text == "".join(verbose_log(layers=8, tactics=5))
    tactics = Tactics(parse_build_log(text.encode(), "x.log"))
    (build,) = tactics.log.builds
    assert build.passed and build.name == "example.onnx" and not tactics.notes
    assert len(tactics.df) == 8 * 3 * 5 + 8 * 6 * 3 and len(tactics.choices) == 24
    assert set(tactics.ties()["layer"]) == {"conv0 + relu0", "conv4 + relu4"}
    assert tactics.choices["in_engine"].sum() == 8
