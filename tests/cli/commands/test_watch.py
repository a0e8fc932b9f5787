"""trex watch on a log that a mock of the builder writes while it is read."""

from __future__ import annotations

import io
import json
import os
import re
import signal

import pytest

from tests.build_log_text import MODERN
from trex.builder.build_watch import BuildProgress, BuildWatch
from trex.cli.commands import watch as command
from trex.cli.main import main
from trex.cli.stopping import Stopped
from trex.ingest.build_log.messages import messages
from trex.ingest.logs.raw_lines import RawLines


def test_a_growing_log_is_shown_until_its_build_ends(tmp_path) -> None:
    path = tmp_path / "build.log"
    path.touch()
    lines = MODERN.splitlines(keepends=True)
    shown: list[BuildProgress] = []
    now = 0.0

    def sleep(_: float) -> None:
        nonlocal now
        now += 1.0
        with path.open("a") as file:
            file.write("".join(lines[:4]))
        del lines[:4]

    watch = BuildWatch(str(path))
    progress = command.watched(str(path), watch, shown.append, 1.0, [], sleep=sleep, clock=lambda: now)
    assert not lines and progress.is_over and progress.passed
    numbers = [one.layer_number for one in shown]
    assert 5 < len(shown) < 20 and {1, 2} <= set(numbers) and {one.layers for one in shown} >= {7}


def test_a_finished_log_at_once(tmp_path, capsys) -> None:
    path = tmp_path / "build.log"
    path.write_text(MODERN, encoding="utf-8")
    assert main(["watch", str(path)]) == 0
    text = capsys.readouterr().out
    assert text.startswith(
        "m.onnx\nBuild ended after 3 s.\n6 tactics timed in 0.61 s, 1 skipped, 1 runner from the cache"
    )
    assert "Conv_0 + Relu_1" in text and "reformats" in text
    assert main(["watch", str(path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["sections"]["build"]["data"]
    path.write_text(MODERN.replace("&&&& PASSED", "&&&& FAILED"), encoding="utf-8")
    assert main(["watch", str(path)]) == 1 and "Build failed after 3 s." in capsys.readouterr().out
    assert (data["phase"], data["passed"], data["timings"], data["left_s"]) == ("done", True, 6, None)


def test_standard_input(tmp_path, monkeypatch, capsys) -> None:
    path = tmp_path / "build.log"
    path.write_text(MODERN[: MODERN.index("Tactic Name: sm80_b")], encoding="utf-8")
    with path.open() as file:
        monkeypatch.setattr("sys.stdin", file)
        assert main(["watch", "-"]) == 0
    assert "Building for 0 s: layer 1 of about 7." in capsys.readouterr().out


def test_ctrl_c_ends_with_what_is_known_and_no_other_signal_does(tmp_path) -> None:
    path = tmp_path / "build.log"
    path.write_text(MODERN[: MODERN.index("Tactic Name: sm80_b")], encoding="utf-8")

    def watched(number: signal.Signals) -> BuildProgress:
        def sleep(_: float) -> None:
            raise Stopped(number)

        return command.watched(str(path), BuildWatch("x"), lambda one: None, 1.0, [], sleep=sleep)

    progress = watched(signal.SIGINT)
    assert progress.layer == "Conv_0 + Relu_1" and not progress.is_over
    with pytest.raises(Stopped):
        watched(signal.SIGTERM)


@pytest.mark.parametrize(
    "text, words",
    [
        ("[I] [TRT] Local timing cache in use.\n[I] Engine built in 3.0 sec.\n", "the log is not verbose"),
        ("hello\n", "not the log of a build"),
        ("", "not the log of a build"),
    ],
)
def test_logs_without_layers_say_so(tmp_path, capsys, text, words) -> None:
    path = tmp_path / "build.log"
    path.write_text(text, encoding="utf-8")
    arguments = ["watch", str(path)]
    if not text.endswith("sec.\n"):
        os.utime(path, (0, 0))  # of long ago: nothing more will come
    main(arguments)
    output = capsys.readouterr()
    assert words in output.out + output.err


def test_an_earlier_log_without_times_is_refused(tmp_path, capsys) -> None:
    path = tmp_path / "build.log"
    path.write_text("[I] Engine built in 3.0 sec.\n", encoding="utf-8")
    assert main(["watch", str(path), "--like", str(path)]) == 2
    assert "no build that timed layers" in capsys.readouterr().err


def test_the_terminal_fits_80_columns() -> None:
    from rich.console import Console

    watch = BuildWatch("x")
    text = MODERN.replace("Conv_0", "a_\x1b[31mvery_long_name" * 20)
    watch.read(messages(RawLines(text[: text.index("Tactic: 0x0000000000000000 Time")].encode())))
    out = io.StringIO()
    Console(file=out, width=80, force_terminal=False).print(command._display(watch.progress(), 80))
    lines = out.getvalue().splitlines()
    assert max(map(len, lines)) <= 80 and "layer 2 of about 7" in out.getvalue() and "\x1b" not in out.getvalue()


@pytest.mark.parametrize("name", ["watch", "tactics"])
@pytest.mark.parametrize("number", ["1e999", "9e99"])
def test_a_duration_without_end_is_not_counted(tmp_path, name, number) -> None:
    (tmp_path / "b.log").write_text(re.sub(r"completed in [\d.]+", f"completed in {number}", MODERN))
    assert main([name, str(tmp_path / "b.log")]) == 0
