#!/usr/bin/env bash
# Everything that must hold, in one command. Installs what it needs under target/, but for what comes from apt: `packages`.
#
#   ./test.sh           all of it
#   ./test.sh --long    with 1,000 states a robot against Pinocchio, the digits of all of them, 100,000 mutated URDFs, every model of
#                       the packages against MuJoCo, and every compiled function on more robots
#
# Two sides at once, so that both of two cores are busy: what is optimised, in the background and shown at the end, and what is not. Beside
# every step is when it began.
set -euo pipefail
cd "$(dirname "$0")"

states=20
mujoco_models=(--states 3)
digits=(--states 10 --only 'talos_reduced$|tiago_dual|panda$|kinova|solo12')
if [ "${1:-}" = "--long" ]; then
  states=1000
  mujoco_models=(--states 10 --all)
  digits=(--states 30)
  export DTAU_FUZZ=100000
  export DTAU_LONG=1
fi
# Everything is built once here: what would make a second build of the same crate quicker only takes time.
export CARGO_INCREMENTAL=0

target=${CARGO_TARGET_DIR:-target}
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
  [ -n "${meanwhile[$1]:-}" ] || return 0
  wait "${meanwhile[$1]}" || { cat "$logs/$1.log" >&2 && exit 1; }
  unset "meanwhile[$1]"
}
trap 'for job in "${meanwhile[@]}"; do kill -- -"$job" 2>/dev/null || true; done' EXIT

# Says what comes. If something in the background has failed, that is the end.
step() {
  local name
  for name in "${!meanwhile[@]}"; do
    kill -0 "${meanwhile[$name]}" 2>/dev/null || await "$name"
  done
  printf '\n\033[1m== %s\033[0m  (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60))
}

# What comes from apt, all at once and early. Each step that needs some of it installs what is still missing, and fails if it cannot.
packages() {
  local missing=()
  needs() { command -v "$1" >/dev/null || missing+=("${@:2}"); }
  needs gcc gcc
  needs chromium chromium
  needs qemu-x86_64 qemu-user
  /usr/bin/python3 -c 'import torch' 2>/dev/null || missing+=(python3-torch)
  if [ -x crates/dtau-generate/test.sh ]; then
    needs clang clang
    needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
    needs arm-none-eabi-gcc gcc-arm-none-eabi libnewlib-arm-none-eabi
  fi
  if [ ${#missing[@]} -gt 0 ]; then
    local sudo
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo apt-get update -qq || true
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" || true
  fi
}

# What runs optimised. It is built with the package's crate, so that the features of dependencies are those the wheel has, and the
# wheel finds the library built.
optimised() {
  local packages=${meanwhile[packages]} pinocchio=${meanwhile[pinocchio]}
  ended() { tail --pid="$1" -f /dev/null; } # they are not jobs of this side
  meanwhile=()
  begin wheel crates/dtau-py/test.sh --prepare

  step "the command and the package"
  cargo build --release --quiet -p dtau-cli -p dtau-py --features dtau-cli/full --lib --bins

  step "Pinocchio, live, on every robot of example-robot-data"
  ended "$pinocchio"
  "$(parity/setup.sh)" parity/pinocchio_parity.py --derivatives --states "$states"

  step "MuJoCo, live, on the models of Python packages"
  mujoco=$(parity/mujoco_setup.sh)
  "$mujoco" parity/mujoco_parity.py "${mujoco_models[@]}"

  step "the pages of the command, in a browser"
  ended "$packages"
  # The command that was built above: another build of it alone would have other features of dependencies, and build the library again.
  DTAU=$target/release/dtau crates/dtau-cli/tests/browser/run.sh

  step "the Python package: wheel, fresh environment, tests"
  await wheel
  crates/dtau-py/test.sh
  step "all of what is optimised holds"
}

begin packages packages
begin pinocchio parity/setup.sh
begin optimised optimised

# Unoptimised, without LLVM's passes: the one that inlines what is `#[inline(always)]` would make every algorithm one large function,
# and building takes four times as long. The tests run as fast.
export RUSTFLAGS="${RUSTFLAGS:-} -C no-prepopulate-passes"

step "format and lints"
cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings

step "no_std"
cargo check -p dtau --no-default-features --quiet
cargo check -p dtau --no-default-features --features urdf --quiet
cargo check -p dtau --no-default-features --features mjcf --quiet

step "documentation"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet

step "the public surface, and what would be published"
python3 tools/api/snapshot.py
cargo publish --workspace --dry-run --no-verify --allow-dirty --quiet

step "tests"
cargo test --workspace --all-features --quiet

step "digits beside Pinocchio's, by 32 of them"
# Not optimised: the same digits. Optimising every function in 32 of them takes longer than these few states.
await pinocchio
cargo build --workspace --all-features --quiet --example exact
digits+=(--program "$target/debug/examples/exact")
"$(parity/setup.sh)" parity/exact.py "${digits[@]}"
"$(parity/setup.sh)" parity/exact.py --exact "${digits[@]}"

step "a CPU without AVX and FMA"
# The same tests, under an emulator that ends a program at an instruction that the CPU does not have.
await packages
if ! command -v qemu-x86_64 >/dev/null; then
  cat "$logs/packages.log" >&2
  echo "qemu-x86_64 is missing: install qemu-user" >&2
  exit 1
fi
# `-p dtau` alone would ask for fewer features of dependencies, and build it all again; these two ask for those of the workspace.
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu Nehalem" \
  cargo test -p dtau -p dtau-py -p dtau-fixtures --all-features --quiet --test any_cpu -- old_cpu:: forward:: kinematics::

step "what other architectures compute on"
RUSTC_WORKSPACE_WRAPPER=$PWD/tools/portable.sh \
  cargo test -p dtau -p dtau-py --all-features --quiet --test any_cpu -- old_cpu:: forward:: products::

step "the command as \`cargo run --release\` builds it"
cargo test -p dtau-cli --test plain --test docs --quiet

if [ -x crates/dtau-generate/test.sh ]; then
  step "generated C: compilers, CPUs, CasADi"
  crates/dtau-generate/test.sh
fi

step "what is optimised"
await optimised
cat "$logs/optimised.log"
