"""-o: files whole or not at all; devices, pipes and links stay what they are."""

from __future__ import annotations

import errno
import json
import os
import shutil
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from tests.waiting import wait_until
from trex.core.errors import TrexError
from trex.core.whole_file import _lock as lock
from trex.core.whole_file import is_stream, remove_unfinished, whole_file, write_whole
from trex.examples import folder as example_folder

EXAMPLE = "example:resnet18-int8"
REPOSITORY = Path(__file__).resolve().parents[2]
posix = pytest.mark.skipif(os.name == "nt", reason="devices, FIFOs and links of POSIX")

COMMANDS = {
    "document": ("summary", EXAMPLE, "--format", "json", "-o"),
    "exporter": ("lint", EXAMPLE, "--format", "sarif", "-o"),
    "page": ("report", EXAMPLE, "-f", "html", "-o"),
    "picture": ("draw", EXAMPLE, "-o"),
    "graph": ("draw", EXAMPLE, "-f", "dot", "-o"),
    "schema": ("schema", "summary", "-o"),
    "collector": ("collector", "-o"),
    "model": ("examples", "--model", "alexnet", "-o"),
    "device file": ("devices", "L4", "--save"),
    "best of each": ("compare", EXAMPLE, "example:resnet18-int8", "--best-of-each"),
}
"""One for each way in which a command writes a file; its path comes last."""


def shell(line: str, *words: object) -> subprocess.CompletedProcess[str]:
    """Through bash; ``$0`` is trex, ``$1`` … are the words."""
    environment = {**os.environ, "PYTHONPATH": str(REPOSITORY), "PY": sys.executable}
    line = 'trex() { "$PY" -m trex "$@"; }; ' + line
    return subprocess.run(
        ["bash", "-c", line, "trex", *map(str, words)],
        capture_output=True, text=True, env=environment, timeout=120,
    )  # fmt: skip


@pytest.fixture(params=COMMANDS)
def command(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return COMMANDS[request.param]


def content_of(trex, command: tuple[str, ...], tmp_path: Path) -> bytes:
    path = tmp_path / "plain.out"
    path.mkdir()
    path = path / ("x.svg" if command[0] == "draw" and "dot" not in command else "x.json")
    said = trex(*command, path)
    assert said.code in (0, 1), said.err
    return path.read_bytes()


@posix
def test_a_device_stays_a_device(trex, command, tmp_path):
    """A device of the test's own where it may be made, since a mistake would take the machine's."""
    device = tmp_path / "null"
    try:
        os.mknod(device, 0o666 | stat.S_IFCHR, os.makedev(1, 3))
        with device.open("wb"):
            pass
    except OSError:
        if os.geteuid() == 0:
            pytest.skip("no device can be made here")
        device = Path(os.devnull)
    said = trex(*command, device)
    assert said.code in (0, 1), said.err
    assert stat.S_ISCHR(device.stat().st_mode) and str(device) not in said.out
    assert [path.name for path in tmp_path.iterdir()] == ([device.name] if device.parent == tmp_path else [])


@posix
def test_a_fifo_is_written_through(trex, command, tmp_path):
    expected = content_of(trex, command, tmp_path)
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    got: list[bytes] = []
    reader = threading.Thread(target=lambda: got.append(fifo.read_bytes()))
    reader.start()
    said = trex(*command, fifo)
    reader.join(60)
    assert said.code in (0, 1) and got == [expected]
    assert stat.S_ISFIFO(fifo.stat().st_mode)


@posix
def test_a_link_stays_and_its_target_is_replaced(trex, command, tmp_path):
    expected = content_of(trex, command, tmp_path)
    name = "x.svg" if command[0] == "draw" and "dot" not in command else "x.json"
    (tmp_path / "far").mkdir()
    target, link = tmp_path / "far" / name, tmp_path / name
    target.write_bytes(b"old")
    link.symlink_to(Path("far") / name)
    said = trex(*command, link)
    assert said.code in (0, 1), said.err
    assert link.is_symlink() and target.read_bytes() == expected and not target.is_symlink()
    target.unlink()
    trex(*command, link)  # a link to nothing
    assert link.is_symlink() and target.read_bytes() == expected
    assert [path.name for path in (tmp_path / "far").iterdir()] == [name]


def test_a_link_to_itself_is_an_error(trex, tmp_path):
    link = tmp_path / "x.tar"
    link.symlink_to(link)
    assert trex("store", "add", "example:resnet18-int8", "--store", tmp_path / "s").code == 0
    for words in (
        ("store", "export", link),
        ("store", "export", link / "x"),
        ("summary", "example:resnet18-int8", "-o", link),
    ):
        said = trex(*words, *(("--store", tmp_path / "s") if words[0] == "store" else ()))
        assert said.code == 2 and str(link) in said.err


def test_a_dash_is_standard_output(trex, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    expected = content_of(trex, command, tmp_path)
    said = trex(*command, "-")
    assert said.code in (0, 1) and expected.decode(errors="replace").strip() in said.out
    assert not Path("-").exists()


@posix
def test_process_substitution_and_descriptors(tmp_path):
    done = shell('trex summary $1 --json -o >(cat > "$2"); wait', EXAMPLE, tmp_path / "got")
    assert done.returncode == 0 and done.stdout == "", done.stderr
    wait_until(lambda: (tmp_path / "got").is_file() and (tmp_path / "got").stat().st_size)
    assert json.loads((tmp_path / "got").read_text())["schema"] == "trex.summary/1"
    done = shell('echo first > "$2"; trex summary $1 --json -o /dev/stdout >> "$2"', EXAMPLE, tmp_path / "log")
    first, _, rest = (tmp_path / "log").read_text().partition("\n")
    assert first == "first" and json.loads(rest)["schema"] == "trex.summary/1", done.stderr
    done = shell("trex draw $1 -o /dev/stdout | head -c 5; trex summary $1 -o - | head -1", EXAMPLE)
    assert done.stdout.startswith("<?xml") or done.stdout.startswith("<svg"), done.stdout
    assert "resnet18" in done.stdout


@posix
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_device(trex, command):
    said = trex(*command, "/dev/full")
    assert said.code == 2 and "cannot be written: No space left on device" in said.err
    assert "Traceback" not in said.err and stat.S_ISCHR(Path("/dev/full").stat().st_mode)


def test_a_full_disk_leaves_what_was_there(trex, command, tmp_path, monkeypatch):
    """The disk is full at the end of the file: what was written by then is not to be seen."""
    path = tmp_path / ("x.svg" if command[0] == "draw" and "dot" not in command else "x.json")
    path.write_bytes(b"old")

    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(shutil, "copymode", full)
    said = trex(*command, path)
    assert said.code == 2 and "No space left on device" in said.err and "Traceback" not in said.err
    assert path.read_bytes() == b"old" and list(tmp_path.iterdir()) == [path]


@posix
def test_a_real_full_disk(trex, command, tmp_path):
    """A file system of 16 KiB, where one may be mounted."""
    mounted = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", tmp_path], capture_output=True)
    if mounted.returncode:
        pytest.skip("nothing can be mounted here")
    try:
        path = tmp_path / ("x.svg" if command[0] == "draw" and "dot" not in command else "x.json")
        path.write_bytes(b"o" * 15000)
        said = trex(*command, path)
        assert said.code in (0, 1, 2) and "Traceback" not in said.err
        if said.code == 2:
            assert "No space left on device" in said.err and path.read_bytes() == b"o" * 15000
        else:
            assert path.stat().st_size < 16384
        assert list(tmp_path.iterdir()) == [path]
    finally:
        subprocess.run(["umount", tmp_path], check=True)


@posix
@pytest.mark.skipif(hasattr(os, "geteuid") and os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(trex, command, tmp_path):
    tmp_path.chmod(0o555)
    said = trex(*command, tmp_path / ("x.svg" if command[0] == "draw" and "dot" not in command else "x.json"))
    tmp_path.chmod(0o755)
    assert said.code == 2 and "cannot be written: Permission denied" in said.err
    assert not list(tmp_path.iterdir())


@posix
def test_a_read_only_file_system(trex, command, tmp_path):
    options = ["mount", "-t", "tmpfs", "-o", "ro", "none", tmp_path]
    if subprocess.run(options, capture_output=True).returncode:
        pytest.skip("nothing can be mounted here")
    try:
        said = trex(*command, tmp_path / ("x.svg" if command[0] == "draw" and "dot" not in command else "x.json"))
        assert said.code == 2 and "cannot be written: Read-only file system" in said.err
    finally:
        subprocess.run(["umount", tmp_path], check=True)


def test_every_command_writes_through_one_function():
    """No command calls what writes a file itself."""
    for path in sorted((REPOSITORY / "trex" / "cli").rglob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name != "output.py":
            assert not [word for word in ("write_whole", "write_bytes(p", ".write_text(", 'open("w') if word in text], (
                path
            )


@posix
def test_streams(tmp_path):
    (tmp_path / "file").touch()
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "link").symlink_to("fifo")
    (tmp_path / "circle").symlink_to("circle")
    kinds = {name: is_stream(str(tmp_path / name)) for name in ("file", "none", "fifo", "link", "circle", ".")}
    assert kinds == {"file": False, "none": False, "fifo": True, "link": True, "circle": False, ".": False}
    assert is_stream("/dev/fd/0") and is_stream("/dev/stdout") and is_stream(os.devnull) and not is_stream("a\0b")
    with pytest.raises(TrexError, match="Bad file descriptor"):
        write_whole("/dev/fd/987", b"x")


@posix
def test_files_of_killed_processes_are_removed_and_those_of_running_ones_are_not(tmp_path):
    name = "ü" * 60 + ".svg"
    code = (
        "import sys, os; from pathlib import Path; from trex.core.whole_file import whole_file\n"
        "with whole_file(sys.argv[1]) as file: file.write(b'half'); file.flush(); os.kill(os.getpid(), 9)"
    )
    dead = subprocess.run([sys.executable, "-c", code, tmp_path / name], cwd=REPOSITORY)
    assert dead.returncode == -9 and len(list(tmp_path.iterdir())) == 1
    for other in (".x.abcdefgh.writing", f".{name}.abcdefgh.written", f".{name[:56]}.ABCDEFGH.writing", "mine"):
        (tmp_path / other).touch()
    with whole_file(tmp_path / name) as file:
        file.write(b"whole")
        remove_unfinished(tmp_path, [name])
    assert (tmp_path / name).read_bytes() == b"whole" and len(list(tmp_path.iterdir())) == 5


@posix
def test_the_next_file_in_its_place_removes_what_a_killed_process_left(tmp_path):
    ours, others, old, running = (tmp_path / f".{name}.abcdefgh.writing" for name in ("a", "a.b", "old", "running"))
    for path in (ours, others, old, running):
        path.touch()
    pipe = tmp_path / ".a.pipe_123.writing"
    os.mkfifo(pipe)  # is not waited for
    for path in (old, running):
        os.utime(path, (0, 0))
    with running.open() as file:
        lock(file.fileno())
        write_whole(tmp_path / "a", b"whole")
        ours.touch()
        write_whole(tmp_path / "b", b"looks into a folder once")
    assert {path.name for path in tmp_path.iterdir()} == {"a", "b", ours.name, others.name, running.name, pipe.name}


@posix
def test_a_file_that_another_process_took_for_a_left_one_is_made_anew(tmp_path, monkeypatch):
    made = []

    def slow(handle):
        made.append(handle)
        if len(made) == 1:
            raise BlockingIOError
        if len(made) == 2:
            for path in tmp_path.iterdir():
                path.unlink()
        return lock(handle)

    monkeypatch.setattr("trex.core.whole_file._lock", slow)
    write_whole(tmp_path / "a", b"whole")
    assert len(made) == 3 and (tmp_path / "a").read_bytes() == b"whole"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no pipes")
@pytest.mark.parametrize(
    "words",
    [
        ("lint", "example:resnet18-fp16", "--config", "PIPE"),
        ("perf", "example:resnet18-fp16", "--device", "./PIPE"),
        ("process", "PIPE", "out", "--backend", "simulated", "--device", "A100"),
        ("whatif", "PIPE", "--device", "A100"),
    ],
    ids=lambda words: words[0],
)
def test_a_pipe_is_not_waited_for(trex, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    os.mkfifo("PIPE.json")
    said = trex(*(word.replace("PIPE", "PIPE.json") for word in words))
    assert said.code == 2 and ("pipe" in said.err or "no regular file" in said.err)


@posix
@pytest.mark.parametrize("words", [["rules"], ["rules", "--json"], ["report", "--help"]])
def test_what_a_full_disk_cuts_is_an_error(words, tmp_path):
    """Without buffers of Python's own, a short write is no error there."""
    import resource

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (1024, 1024))

    with (tmp_path / "out").open("wb") as out:
        environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
        done = subprocess.run(
            [sys.executable, "-m", "trex", *words], stdout=out, stderr=subprocess.PIPE, env=environment, timeout=60,
            preexec_fn=limited, text=True,
        )  # fmt: skip
    assert done.returncode == 2 and "cannot write to standard output" in done.stderr


def test_help_is_printed_in_ascii(tmp_path):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    done = subprocess.run([sys.executable, "-m", "trex", "--help"], capture_output=True, env=environment, timeout=60)
    assert done.returncode == 0 and done.stdout.isascii() and b"trex COMMAND" in done.stdout


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full")
@pytest.mark.parametrize("buffers", ["", "1"])
def test_where_not_even_the_error_can_be_written_the_exit_code_stays(buffers):
    with Path("/dev/full").open("wb") as full:
        environment = {**os.environ, "PYTHONUNBUFFERED": buffers}
        words = [sys.executable, "-m", "trex", "rules"]
        done = subprocess.run(words, stdout=full, stderr=full, env=environment, timeout=60)
    assert done.returncode == 2


OVER_INPUTS = {
    "a table": ("layers", "engine", "-o", "engine/a.graph.json"),
    "a picture through a link": ("draw", "engine", "-o", "link.svg"),
    "a bundle": ("doctor", "engine", "--bundle", "engine/a.profile.json"),
    "a picture": ("summary", "engine", "--svg", "engine/a.profile.json"),
    "settings": ("lint", EXAMPLE, "-f", "json", "-o", "trex.toml"),
    "settings through a hard link": ("report", EXAMPLE, "-o", "hard.html"),
    "a file found beside the one that is named": ("draw", "engine/a.graph.json", "-o", "./engine/a.profile.json"),
    "a baseline": ("baseline", "list", "--folder", "baselines", "--json", "-o", "BASELINE"),
    "a store's file": ("store", "list", "--store", "store", "--json", "-o", "STORE"),
    "a store's run by its export": ("store", "export", "STORE", "--store", "store"),
    "a table of another store": ("layers", "engine", "-f", "csv", "-o", "TABLE"),
    "the best of each": ("compare", "engine/a.graph.json", EXAMPLE, "--best-of-each", "engine/a.graph.json"),
}


@pytest.mark.parametrize("what", OVER_INPUTS)
def test_no_command_writes_over_what_it_reads(what, trex, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {"graph": "engine/a.graph.json", "profile": "engine/a.profile.json"}
    Path("engine").mkdir()
    for kind, name in names.items():
        Path(name).write_bytes((example_folder("resnet18-int8") / f"resnet18-int8.{kind}.json").read_bytes())
    Path("link.svg").symlink_to("engine/a.graph.json")
    Path("trex.toml").write_text("[lint]\n")
    os.link("trex.toml", "hard.html")
    made = {}
    if "baseline" in what:
        trex("baseline", "add", EXAMPLE, "--folder", "baselines", "--model", "m", "--device", "A100")
        made["BASELINE"] = next(Path("baselines").rglob("*.json"))
    if "store" in what:
        trex("store", "add", EXAMPLE, "--store", "store")
        made = {"STORE": next(Path("store").rglob("run.json")), "TABLE": next(Path("store").rglob("*.parquet"))}
    before = {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()}
    said = trex(*(made.get(word, word) for word in OVER_INPUTS[what]))
    told = (
        "a run store has written this file" if "store" in what else "the command reads this file, and would replace it"
    )
    assert said.code == 2 and told in said.err
    assert {path: path.read_bytes() for path in Path().rglob("*") if path.is_file()} == before
    for _ in range(2):  # its own results are no inputs
        assert trex("lint", "engine", "-o", "engine/lint.json").code in (0, 1)
