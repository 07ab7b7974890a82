#!/usr/bin/env bash
# Everything that must hold, in one command. Installs what it needs under target/, but for Chromium, which comes from apt.
#
#   ./test.sh           all of it
#   ./test.sh --long    with 1,000 states a robot against Pinocchio and 100,000 mutated URDFs
set -euo pipefail
cd "$(dirname "$0")"

states=20
if [ "${1:-}" = "--long" ]; then
  states=1000
  export DTAU_FUZZ=100000
fi

step() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

step "format and lints"
cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings

step "no_std"
cargo check -p dtau --no-default-features --quiet
cargo check -p dtau --no-default-features --features urdf --quiet

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

step "tests"
cargo test --workspace --all-features --quiet

step "the command"
cargo build --release --quiet

step "its pages, in a browser"
crates/dtau-cli/tests/browser/run.sh

step "Pinocchio, live, on every robot of example-robot-data"
python=$(parity/setup.sh)
"$python" parity/pinocchio_parity.py --derivatives --states "$states"

step "the Python package: wheel, fresh environment, tests"
crates/dtau-py/test.sh
