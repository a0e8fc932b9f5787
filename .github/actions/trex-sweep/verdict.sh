#!/usr/bin/env bash
# Ends with 1 if the gate failed. RESULT: of gate.sh. INCONCLUSIVE: pass or fail.
set -euo pipefail

case "${INCONCLUSIVE:-pass}" in
  pass | fail) ;;
  *)
    echo "::error title=trex sweep::inconclusive is pass or fail"
    exit 2
    ;;
esac
case "$RESULT" in
  passed) ;;
  failed)
    echo "::error title=trex sweep::the gate failed: see the summary"
    exit 1
    ;;
  inconclusive)
    if [ "${INCONCLUSIVE:-pass}" = fail ]; then
      echo "::error title=trex sweep::the gate is inconclusive: see the summary"
      exit 1
    fi
    echo "::warning title=trex sweep::the gate is inconclusive: see the summary"
    ;;
  *)
    echo "::error title=trex sweep::the gate has no result"
    exit 1
    ;;
esac
