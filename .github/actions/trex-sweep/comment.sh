#!/usr/bin/env bash
# Writes TREX_OUTPUT/comment.md as the comment of the pull request, in place of its earlier one.
#
# Needs gh, GH_TOKEN, GITHUB_REPOSITORY and PULL_REQUEST. A token that may not write, as that of a fork, is a warning.
set -euo pipefail

marker='<!-- trex-sweep -->'
limit=60000
body="$TREX_OUTPUT/body.json"
# Names of layers are untrusted: no mentions. GitHub takes 65,536 characters.
python - "$TREX_OUTPUT/comment.md" "$marker" "$limit" "${RUN_URL:-}" >"$body" <<'PYTHON'
import json
import sys

path, marker, limit, url = sys.argv[1:]
with open(path, encoding="utf-8") as file:
    text = file.read().replace("@", "@<!-- -->")
if len(text) > int(limit):
    text = text[: int(limit)].rpartition("\n")[0] + "\n\nCut here: the page has all of it.\n"
link = f"\n[Page and data]({url})\n" if url else ""
print(json.dumps({"body": f"{marker}\n{text}{link}"}))
PYTHON

comments="repos/$GITHUB_REPOSITORY/issues/$PULL_REQUEST/comments"
failed() {
  echo "::warning title=trex sweep::no comment: the token may not write, or GitHub refused it"
  rm -f "$body"
  exit 0
}
earlier=$(gh api --paginate "$comments" --jq ".[] | select(.body | startswith(\"$marker\")) | .id" | head -n 1) || failed
if [ -n "$earlier" ]; then
  gh api --method PATCH "repos/$GITHUB_REPOSITORY/issues/comments/$earlier" --input "$body" >/dev/null || failed
else
  gh api --method POST "$comments" --input "$body" >/dev/null || failed
fi
rm -f "$body"
