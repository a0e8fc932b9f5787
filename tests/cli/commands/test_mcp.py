"""The command ``trex mcp``: what it refuses before it serves. ``tests/agents`` has what it answers."""

from __future__ import annotations

import pytest

from trex.agents import server


def test_roots_and_the_budget_are_checked(trex, tmp_path):
    said = trex("mcp", tmp_path / "none")
    assert said.code == 2 and "there is no such folder" in said.err
    assert "1000 to 100,000" in trex("mcp", tmp_path, "--tokens", 10).err


def test_it_serves_the_roots_by_default_the_working_directory(trex, tmp_path, monkeypatch):
    sessions = []
    monkeypatch.setattr(server, "serve", lambda session, budget: sessions.append((session.roots, budget)))
    monkeypatch.chdir(tmp_path)
    assert trex("mcp").code == 0 and trex("mcp", tmp_path, tmp_path, "--tokens", 2000).code == 0
    assert sessions == [((str(tmp_path),), 4000), ((str(tmp_path),) * 2, 2000)]


def test_without_the_package_the_extra_is_named(trex, tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mcp_types", None)
    said = trex("mcp", tmp_path)
    assert said.code == 2 and "tensorrt-engine-explorer[mcp]" in said.err


@pytest.mark.parametrize("words", [("--help",)])
def test_help_names_the_limits(trex, words):
    assert "Nothing is written" in trex("mcp", *words).out
