"""Floor 5 — readings become pictures as data: tables, summaries, diagrams; nothing is rendered here."""
