#!/usr/bin/env bash
# Opens the pages of `dtau check`, `dtau verify` and `dtau bench`, and those of the papers, in headless Chromium, at three widths, light and dark, and
# asserts that everything is drawn and that the console is clean.
#
#   crates/dtau-cli/tests/browser/run.sh [--pictures] [DIR of dtau-papers figures]
#
#   --pictures    leaves screenshots in target/browser, to look at
#   DIR           without it, small pages are made first
#
# Chromium is installed with apt where it is missing. Needs Python 3.
#
#   DTAU           the command to use instead of the one in target/release, which is built if need be
#   DTAU_LONG=1    makes all figures
#   DTAU_PAPERS    the papers' program to use; without it, the one of a build that is not optimised, which draws the same pages
set -euo pipefail
cd "$(dirname "$0")/../../../.."

if ! command -v chromium >/dev/null && command -v apt-get >/dev/null; then
  echo "installing Debian's chromium"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq || true
  $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends chromium >/dev/null || true
fi
if ! command -v chromium >/dev/null; then
  echo "Chromium is missing: install it, so that a command named chromium is on the path" >&2
  exit 1
fi

target=${CARGO_TARGET_DIR:-target}
out=$target/browser
mkdir -p "$out"
if [ -z "${DTAU:-}" ]; then
  cargo build --release --quiet -p dtau-cli --features batches
  DTAU=$target/release/dtau
fi

if [ -z "${DTAU_PAPERS:-}" ]; then
  RUSTFLAGS="${RUSTFLAGS:--C no-prepopulate-passes}" cargo build --quiet -p dtau-papers
  DTAU_PAPERS=$target/debug/dtau-papers
fi

pictures=()
if [ "${1:-}" = "--pictures" ]; then
  pictures=(--pictures "$out")
  shift
fi
paper=${1:-}
if [ -z "$paper" ]; then
  paper=$out/paper
  # Every kind of figure; DTAU_LONG=1 makes all of them.
  only=(--only singh21-fig1,singh21-fig4,singh21-fig5,singh21-fig7,singh21-table2,singh22-fig4,singh22-accuracy,carpentier18-table1,carpentier18-fig3,lean-b,lanes)
  [ -z "${DTAU_LONG:-}" ] || only=()
  "$DTAU_PAPERS" figures --quick --budget 1 --largest 20 --out "$paper" "${only[@]}" >/dev/null
fi
"$DTAU_PAPERS" compare quadruped --root floating --states 3 --budget 2 --html "$out/compare.html" >/dev/null
"$DTAU" verify quadruped --root floating --states 3 --html "$out/verify.html" >/dev/null
"$DTAU" bench arm6 quadruped --budget 2 --html "$out/bench.html" >/dev/null
# Findings of every severity, and a red box: exit code 1.
! "$DTAU" check crates/dtau-cli/tests/browser/faulty.urdf --html "$out/check.html" >/dev/null
# Names that look like markup.
hostile=crates/dtau-cli/tests/browser/hostile.urdf
"$DTAU" check "$hostile" --html "$out/hostile-check.html" >/dev/null
"$DTAU" verify "$hostile" --states 3 --html "$out/hostile-verify.html" >/dev/null
"$DTAU" bench "$hostile" --budget 2 --html "$out/hostile-bench.html" >/dev/null

exec python3 crates/dtau-cli/tests/browser/look.py "${pictures[@]}" "$paper/index.html" "$out/compare.html" "$out/check.html" \
  "$out/verify.html" "$out/bench.html" "$out/hostile-check.html" "$out/hostile-verify.html" "$out/hostile-bench.html"
