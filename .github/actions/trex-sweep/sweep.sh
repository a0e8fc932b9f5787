#!/usr/bin/env bash
# Runs what is new of a sweep. TREX_SWEEP: its file. TREX_STORE, TREX_COMMIT, TREX_WORKERS: as of trex sweep.
# Jobs that fail do not end the step: they fail the gate.
set -euo pipefail

code=0
trex sweep "$TREX_SWEEP" --store "$TREX_STORE" --commit "$TREX_COMMIT" --workers "${TREX_WORKERS:-2}" || code=$?
if [ "$code" -eq 1 ]; then
  echo "::warning title=trex sweep::some jobs failed"
elif [ "$code" -ne 0 ]; then
  exit "$code"
fi
