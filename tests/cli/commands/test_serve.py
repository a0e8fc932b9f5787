"""The command ``trex serve``."""

from __future__ import annotations

import json
import signal

from tests.simulated_examples import SIMULATED
from trex.cli.stopping import Stopped
from trex.server.http_server import EngineServer


def test_it_prints_an_address_of_this_machine_and_ends_with_ctrl_c(trex, monkeypatch):
    def interrupted(server: EngineServer) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(EngineServer, "serve_forever", interrupted)
    said = trex("serve", SIMULATED)
    assert said.code == 0 and said.out.startswith("http://127.0.0.1:") and len(said.out.split("/")[3]) >= 24


def test_another_signal_is_no_success(trex, monkeypatch):
    def ended(server: EngineServer) -> None:
        raise Stopped(signal.SIGTERM)

    monkeypatch.setattr(EngineServer, "serve_forever", ended)
    said = trex("serve", SIMULATED)
    assert (said.code, said.err.splitlines()[-1]) == (143, "trex serve: stopped by SIGTERM")


def test_the_list_as_json(trex):
    rows = json.loads(trex("serve", SIMULATED, "--json").out)["sections"]["engines"]["tables"]["engines"]["rows"]
    assert [row["folder"] for row in rows] == sorted({path.parent.name for path in SIMULATED.glob("*/*.graph.json")})
    assert all(row["from_ms"] < row["gpu_compute_ms"] < row["to_ms"] for row in rows)
    assert all("not measured" in row["times"] or "simulated" in row["times"] for row in rows)


def test_what_is_no_folder_is_an_error(trex, tmp_path):
    said = trex("serve", tmp_path / "none")
    assert said.code == 2 and "there is no such folder" in said.err
