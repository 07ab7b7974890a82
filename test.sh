#!/usr/bin/env bash
# Everything that must hold, in one command: about a quarter of an hour on two cores. What it needs is installed under target/, but for what comes
# from Debian's packages, see `packages`.
#
#   ./test.sh           all of it
#   ./test.sh --long    with 1,000 states a robot against Pinocchio, the digits of all of them, 100,000 mutated URDFs, every model of
#                       the packages against MuJoCo, every compiled function on more robots, oracles in every scalar
#
# Nothing is optimised but one build, the one that users run: its results are compared with those of the others, bit for bit. Two lanes
# run at once, one of the Python package and live comparisons, one of everything else. Beside every step stands when it began.
set -euo pipefail
cd "$(dirname "$0")"

states=20
mujoco_models=(--states 3)
digits=(--states 4 --only 'talos_reduced$|panda$|solo12')
if [ "${1:-}" = "--long" ]; then
  states=1000
  mujoco_models=(--states 10 --all)
  digits=(--states 30)
  export DTAU_FUZZ=100000
  export DTAU_LONG=1
fi
# Everything is built once: what would make a second build of the same crate quicker only takes time.
export CARGO_INCREMENTAL=0
plain_flags=${RUSTFLAGS:-}
# Without LLVM's passes: the one that inlines what is `#[inline(always)]` would make every algorithm one large function, and building
# takes four times as long. The tests run as fast.
export RUSTFLAGS="$plain_flags -C no-prepopulate-passes"

target=${CARGO_TARGET_DIR:-target}
logs=target/test
mkdir -p "$logs"
declare -A jobs started
set -m # so that a job can be ended with all that it has started
begin() {
  local name=$1
  shift
  "$@" >"$logs/$name.log" 2>&1 &
  jobs[$name]=$!
  started[$name]=$!
}
await() {
  [ -n "${jobs[$1]:-}" ] || return 0
  wait "${jobs[$1]}" || { cat "$logs/$1.log" >&2 && exit 1; }
  unset "jobs[$1]"
}
trap 'for job in "${jobs[@]}"; do kill -- -"$job" 2>/dev/null || true; done' EXIT

# Says what comes. If something in the background has failed, that is the end.
step() {
  local name
  for name in "${!jobs[@]}"; do
    kill -0 "${jobs[$name]}" 2>/dev/null || await "$name"
  done
  printf '\n\033[1m== %s\033[0m  (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60))
}

# What comes from apt, all at once and early. Each step that needs some of it fails if it is missing.
packages() {
  local missing=()
  needs() { command -v "$1" >/dev/null || missing+=("${@:2}"); }
  needs gcc gcc
  needs chromium chromium
  needs qemu-x86_64 qemu-user
  /usr/bin/python3 -c 'import torch' 2>/dev/null || missing+=(python3-torch)
  needs clang clang
  needs aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
  needs arm-none-eabi-gcc gcc-arm-none-eabi libnewlib-arm-none-eabi
  if [ ${#missing[@]} -gt 0 ]; then
    local sudo
    sudo=$([ "$(id -u)" = 0 ] || echo sudo)
    $sudo dpkg --configure -a || true # an installation that was cut off stops every other
    $sudo apt-get update -qq || true
    $sudo env DEBIAN_FRONTEND=noninteractive apt-get install -qq -y --no-install-recommends "${missing[@]}" || true
  fi
}

# The build that users run, and what it computes. In a background of its own: it waits for no other.
released() {
  RUSTFLAGS=$plain_flags cargo build --release --quiet -p dtau-fixtures --features batch --example hashes
  "$target/release/examples/hashes" >"$logs/hashes-release.txt"
}

# The Python package and what needs it, on what was built for Rust's tests.
outside() {
  ended() { tail --pid="${started[$1]}" -f /dev/null; } # not jobs of this lane: they cannot be awaited here
  jobs=()

  step "the Python package: wheel, fresh environment, tests"
  ended packages
  ended python
  crates/dtau-py/test.sh --prepared

  step "Pinocchio, live, on every robot of example-robot-data"
  ended pinocchio
  "$(parity/setup.sh)" parity/pinocchio_parity.py --dtau "$programs/dtau" --derivatives --states "$states"

  step "MuJoCo, live, on the models of Python packages"
  ended mujoco
  "$(parity/mujoco_setup.sh)" parity/mujoco_parity.py --dtau "$programs/dtau" "${mujoco_models[@]}"

  step "digits beside Pinocchio's, by 32 of them"
  digits+=(--program "$programs/exact")
  "$(parity/setup.sh)" parity/exact.py "${digits[@]}"
  "$(parity/setup.sh)" parity/exact.py --exact "${digits[@]}"

  step "all of this lane holds"
}

begin packages packages
begin pinocchio parity/setup.sh
begin mujoco parity/mujoco_setup.sh
begin python crates/dtau-py/test.sh --prepare

step "format and lints"
cargo fmt --all --check
cargo clippy --workspace --all-targets --all-features --quiet -- -D warnings

step "no_std"
for features in "" urdf mjcf; do
  cargo check -p dtau --no-default-features --features "$features" --quiet
done

step "documentation, and what would be published"
RUSTDOCFLAGS="-D warnings" cargo doc --workspace --no-deps --quiet
cargo publish --workspace --dry-run --no-verify --allow-dirty --quiet

step "one build for all tests"
cargo build --workspace --all-features --all-targets --quiet
# Copies for the other lane: a step below builds another `dtau` in the same place.
programs=$target/test/programs
rm -rf "$programs" && mkdir -p "$programs"
cp "$target"/debug/{dtau,dtau-papers} "$target"/debug/examples/{exact,hashes} "$programs"
begin outside outside
begin released released

step "tests"
cargo test --workspace --all-features --quiet

step "a CPU without AVX and FMA"
# The same tests, under an emulator that ends a program at an instruction that the CPU does not have.
await packages
if ! command -v qemu-x86_64 >/dev/null; then
  cat "$logs/packages.log" >&2
  echo "qemu-x86_64 is missing: install qemu-user" >&2
  exit 1
fi
# Built with the features of the workspace, so that nothing is built again.
CARGO_TARGET_X86_64_UNKNOWN_LINUX_GNU_RUNNER="qemu-x86_64 -cpu Nehalem" \
  cargo test --workspace --all-features --quiet --test any_cpu -- old_cpu:: forward:: kinematics::

step "the command as \`cargo run --release\` builds it, without optimisation"
cargo test -p dtau-cli --test plain --test docs --quiet

step "what other architectures compute on"
RUSTC_WORKSPACE_WRAPPER=$PWD/tools/portable.sh \
  cargo test -p dtau --all-features --quiet --test any_cpu -- old_cpu:: forward:: products::

step "the pages of the command, in a browser"
DTAU=$programs/dtau DTAU_PAPERS=$programs/dtau-papers crates/dtau-cli/tests/browser/run.sh

step "the site of the documentation: links"
docs/build.sh

step "generated C: compilers, CPUs, CasADi"
crates/dtau-generate/test.sh

step "every result of every function and engine: the build that users run has the same bits"
await released
"$programs/hashes" >"$logs/hashes.txt"
diff "$logs/hashes.txt" "$logs/hashes-release.txt"
echo "$(wc -l <"$logs/hashes.txt") results, the same"

step "the other lane"
await outside
cat "$logs/outside.log"
