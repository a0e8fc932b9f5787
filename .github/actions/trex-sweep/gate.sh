#!/usr/bin/env bash
# Compares what the sweep has at TREX_COMMIT with what it had at TREX_BASE, else at the latest other commit.
#
# Writes comment.md, gate.json and report.html to the folder TREX_OUTPUT, the Markdown to GITHUB_STEP_SUMMARY, and
# result=… and page=… to GITHUB_OUTPUT. TREX_FAIL_ON: one condition per line. Never fails because of a result.
set -euo pipefail

mkdir -p "$TREX_OUTPUT"
page="$TREX_OUTPUT/report.html"
rm -f "$TREX_OUTPUT/comment.md" "$TREX_OUTPUT/gate.json" "$page" # of an earlier run
conditions=()
while IFS= read -r line; do
  [ -n "${line// /}" ] && conditions+=("$line")
done <<<"${TREX_FAIL_ON:-}"
words=(sweep gate "$TREX_SWEEP" --store "$TREX_STORE" --commit "$TREX_COMMIT")
[ -n "${TREX_BASE:-}" ] && words+=(--base "$TREX_BASE")
[ "${#conditions[@]}" -gt 0 ] && words+=(--fail-on "${conditions[@]}")

code=0
trex "${words[@]}" -o "$TREX_OUTPUT/comment.md" 2>"$TREX_OUTPUT/error.txt" || code=$?
case "$code" in
  0) result=passed ;;
  1) result=failed ;;
  3) result=inconclusive ;;
  *)
    cat "$TREX_OUTPUT/error.txt" >&2
    exit "$code"
    ;;
esac
rm -f "$TREX_OUTPUT/error.txt"
trex "${words[@]}" -o "$TREX_OUTPUT/gate.json" >/dev/null || true
trex sweep report "$TREX_SWEEP" --store "$TREX_STORE" -o "$page" >/dev/null ||
  echo "::warning title=trex sweep::the page could not be written"
[ -f "$page" ] || page=

cat "$TREX_OUTPUT/comment.md" >>"${GITHUB_STEP_SUMMARY:-/dev/stdout}"
{
  echo "result=$result"
  echo "page=$page"
} >>"${GITHUB_OUTPUT:-/dev/stdout}"
