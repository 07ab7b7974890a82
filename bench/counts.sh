#!/usr/bin/env bash
# Counts instructions of the main kernels, which do not depend on the machine's noise, and the memory they touch.
#
#   bench/counts.sh           measures both and stores them in bench/results/instructions.json (about five minutes)
#   bench/counts.sh --check   measures instructions again and shows the drift from what is stored (about two)
#
# Instructions: valgrind's callgrind, as the difference of 12 calls and 2. Memory: valgrind's lackey, the
# distinct 64-byte lines that a warm call reads or writes. Both need valgrind, which is installed if missing.
# Results depend on the compiler and on the instructions that dtau finds (valgrind supports AVX2 and FMA), not
# on the machine's load.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v valgrind >/dev/null; then
    [ "$(id -u)" = 0 ] && command -v apt-get >/dev/null || { echo "counts: install valgrind first" >&2; exit 1; }
    echo "counts: installing valgrind" >&2
    apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq valgrind >&2
fi
cargo build --release --quiet -p dtau-bench --bin kernel
exec python3 bench/counts.py --kernel "${CARGO_TARGET_DIR:-target}/release/kernel" --compiler "$(rustc --version)" "$@"
