#!/usr/bin/env bash
# Everything that must hold, in one command. Installs what it needs under target/, but for Chromium, qemu-user,
# clang and cross compilers, which come from apt.
#
#   ./test.sh           all of it
#   ./test.sh --long    with 1,000 states a robot against Pinocchio, the digits of all of them, and 100,000 mutated URDFs
set -euo pipefail
cd "$(dirname "$0")"

states=20
digits=(--states 3 --only 'talos_reduced$|tiago_dual|panda$|kinova|solo12')
if [ "${1:-}" = "--long" ]; then
  states=1000
  digits=(--states 30)
  export DTAU_FUZZ=100000
fi

step() { printf '\n\033[1m== %s\033[0m\n' "$*"; }

# What later steps need is built and downloaded meanwhile: optimising one large crate leaves a core idle.
logs=target/test
mkdir -p "$logs"
declare -A meanwhile
set -m # so that a job can be ended with all that it has started
begin() {
  local name=$1
  shift
  "$@" >"$logs/$name.log" 2>&1 &
  meanwhile[$name]=$!
}
await() {
  wait "${meanwhile[$1]}" || { cat "$logs/$1.log" >&2 && exit 1; }
  unset "meanwhile[$1]"
}
trap 'for job in "${meanwhile[@]}"; do kill -- -"$job" 2>/dev/null || true; done' EXIT
# With the package's crate, so that the features of dependencies are those the wheel has, and the wheel finds the library built.
begin command cargo build --release --quiet -p dtau-cli -p dtau-py -p dtau-fixtures --features dtau-cli/full --lib --bins --example exact
begin pinocchio parity/setup.sh
begin wheel crates/dtau-py/test.sh --prepare

step "format and lints"
cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings

step "no_std"
cargo check -p dtau --no-default-features --quiet
cargo check -p dtau --no-default-features --features urdf --quiet

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

step "the public surface, and what would be published"
python3 tools/api/snapshot.py
cargo publish --workspace --dry-run --no-verify --allow-dirty --quiet

step "tests"
cargo test --workspace --all-features --quiet
# The command as `cargo run --release` builds it.
cargo test -p dtau-cli --test plain --test docs --quiet

step "a CPU without AVX and FMA"
# The same tests, under an emulator that ends a program at an instruction that the CPU does not have.
if ! command -v qemu-x86_64 >/dev/null; then
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq || true
  $sudo apt-get install -qq -y --no-install-recommends qemu-user >/dev/null
fi
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu Nehalem" \
  cargo test -p dtau --all-features --quiet --test old_cpu --test forward --test kinematics

step "what other architectures compute on"
RUSTFLAGS="--cfg dtau_portable" CARGO_TARGET_DIR=target/portable \
  cargo test -p dtau --all-features --quiet --test old_cpu --test forward --test products

step "the command"
await command

step "generated C: compilers, CPUs, CasADi"
crates/dtau-generate/test.sh

step "its pages, in a browser"
# The command that was built above: another build of it alone would have other features of dependencies, and build the library again.
DTAU=${CARGO_TARGET_DIR:-target}/release/dtau crates/dtau-cli/tests/browser/run.sh

step "Pinocchio, live, on every robot of example-robot-data"
await pinocchio
"$(parity/setup.sh)" parity/pinocchio_parity.py --derivatives --states "$states"

step "digits beside Pinocchio's, by 32 of them"
"$(parity/setup.sh)" parity/exact.py "${digits[@]}"
"$(parity/setup.sh)" parity/exact.py --exact "${digits[@]}"

step "the Python package: wheel, fresh environment, tests"
await wheel
crates/dtau-py/test.sh
