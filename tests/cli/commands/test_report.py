"""The command ``trex report``: its findings."""

from __future__ import annotations

from tests.simulated_examples import SIMULATED


def test_findings_obey_the_settings_of_the_folder(trex, tmp_path, monkeypatch):
    import json

    monkeypatch.chdir(tmp_path)
    engine = str(SIMULATED / "resnet18-int8")

    def told(*words):
        return json.loads(trex("report", engine, "--json", *words).out)["sections"]["findings"]

    free = told()
    (tmp_path / "trex.toml").write_text(
        '[lint]\nignore = ["QDQ*"]\n[[lint.suppress]]\nrule = "CONV003"\nreason = "the customer knows"\n', "utf-8"
    )
    bound = told()
    assert "Settings: trex.toml (7 rules ignored, 1 suppression)" in bound["text"]
    text = json.dumps(bound["findings"])
    assert "QDQ001" in json.dumps(free["findings"]) and "CONV003" not in text and '"code": "QDQ' not in text
    redacted = json.dumps(told("--redact"))
    assert "Settings: trex.toml" in redacted and "customer" not in redacted
    (tmp_path / "other.toml").write_text("", "utf-8")
    assert told("--config", "other.toml")["findings"] == free["findings"]
    (tmp_path / "trex.toml").write_text("[lint\n", "utf-8")
    said = trex("report", engine)
    assert said.code == 2 and "trex.toml:1" in said.err
