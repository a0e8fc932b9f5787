"""The command ``trex report``: its findings."""

from __future__ import annotations


def test_findings_obey_the_settings_of_the_folder(trex, tmp_path, monkeypatch):
    import json

    from trex.rules.rule import RULES

    monkeypatch.chdir(tmp_path)
    engine = "example:resnet18-int8"

    def findings_of(*words):
        return json.loads(trex("report", engine, "--json", *words).out)["parts"]["findings"]

    free = findings_of()
    (tmp_path / "trex.toml").write_text(
        '[lint]\nignore = ["QDQ*"]\n[[lint.suppress]]\nrule = "PREC003"\nreason = "the customer knows"\n', "utf-8"
    )
    bound = findings_of()
    left_out = sum(plug.value.code.startswith("QDQ") for plug in RULES.values())
    assert f"Settings of trex.toml apply: {left_out} rules left out, 1 suppression." in bound["statements"]
    text = json.dumps(bound)
    assert "QDQ001" in json.dumps(free) and "PREC003" not in text and '"QDQ' not in text
    redacted = json.dumps(findings_of("--redact"))
    assert "Settings of trex.toml apply" in redacted and "customer" not in redacted
    (tmp_path / "other.toml").write_text("", "utf-8")
    assert findings_of("--config", "other.toml")["statements"] == free["statements"]
    (tmp_path / "trex.toml").write_text("[lint\n", "utf-8")
    said = trex("report", engine)
    assert said.code == 2 and "trex.toml:1" in said.err
