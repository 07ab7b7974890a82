#!/usr/bin/env bash
# Opens the pages of `dtau paper`, `dtau check` and `dtau bench` in headless Chromium, at three widths, light and dark, and
# asserts that everything is drawn and that the console is clean. Screenshots are left in target/browser.
#
#   crates/dtau-cli/tests/browser/run.sh [DIR of dtau paper]      without DIR, small pages are made first
#
# Needs Chromium (Debian: apt-get install chromium) and Python 3.
set -euo pipefail
cd "$(dirname "$0")/../../../.."

if ! command -v chromium > /dev/null; then
  echo "chromium is not installed; try: apt-get install chromium" >&2
  exit 2
fi
out=target/browser
mkdir -p "$out"
dtau=${DTAU:-target/release/dtau}
[ -x "$dtau" ] || cargo build --release --quiet -p dtau-cli

paper=${1:-}
if [ -z "$paper" ]; then
  paper=$out/paper
  "$dtau" paper --quick --budget 2 --largest 50 --out "$paper" > /dev/null
fi
"$dtau" check quadruped --root floating --states 3 --budget 2 --html "$out/check.html" > /dev/null
"$dtau" bench arm6 quadruped --budget 2 --html "$out/bench.html" > /dev/null

exec python3 crates/dtau-cli/tests/browser/look.py "$out" "$paper/index.html" "$out/check.html" "$out/bench.html"
