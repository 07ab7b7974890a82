#!/usr/bin/env bash
# Compares generated C with the library: all functions of a small robot and a few of larger ones with gcc, a
# few with clang, for aarch64 (in an emulator) and for a Cortex-M7 (compiled only). Then CasADi. Installs
# missing compilers from apt and Python packages under target/. DTAU_LONG=1: every function of the arm, also
# in lanes, and of the quadruped; a humanoid; a shooting problem in CasADi. Compiling these takes minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
target=${CARGO_TARGET_DIR:-target}
to=$target/generated
mkdir -p "$to"

need() { # command package …
  command -v "$1" >/dev/null && return
  shift
  local sudo
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq || true
  $sudo apt-get install -qq -y --no-install-recommends "$@" >/dev/null
}
need clang clang
need aarch64-linux-gnu-gcc gcc-aarch64-linux-gnu libc6-dev-arm64-cross
need arm-none-eabi-gcc gcc-arm-none-eabi libnewlib-arm-none-eabi
need qemu-aarch64 qemu-user

# Same build as the tests, so that nothing is built again.
cargo build --quiet --workspace --all-features --example check_c
check_c=$target/debug/examples/check_c
warnings=(-std=c99 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wstrict-prototypes -Werror)

# Writes into $dir. Arguments: robot, root, precision, lanes, numbers, functions.
generate() {
  dir=$to/$1-$3-$4-$5
  $check_c "$1" "$2" "$3" "$4" "$5" "$dir" "${@:6}"
}
# Compiles and runs the code in $dir. Arguments: robot, tolerance, [exact]. Compiler and flags are in $cc, the
# emulator in $under, results in $data.
data=data.bin
check() {
  printf '%-44s ' "$(basename "$dir"), ${cc[0]}"
  "${cc[@]}" "${warnings[@]}" "$dir/$1.c" "$dir/check.c" -o "$dir/check" -lm
  ${under:-} "$dir/check" "$dir/$data" "${@:2}"
}

few=(rnea aba id_derivatives fd_vjp frame_jacobian centroidal_momentum integrate difference)

echo "== gcc, multiply-adds that round once: the library's bits, and 1e-13 of the row where sums were reordered"
# Runs on this CPU, or in an emulator if it has no AVX2.
grep -q ' avx2 ' /proc/cpuinfo && under= || under="qemu-x86_64 -cpu Haswell"
cc=(gcc -O0 -march=haswell)
# Limbs in lanes: values of one limb, pairs of limbs, products at the end, tangents and quaternions.
limbs=(rnea aba crba minverse id_derivatives fd_derivatives fd_vjp frame_jacobian centroidal_derivatives integrate difference)
[ -z "${DTAU_LONG:-}" ] || limbs=() # no function named: all
generate double_pendulum fixed f64 4 table
check double_pendulum 1e-13 exact
generate quadruped floating f64 0 table "${limbs[@]}"
check quadruped 1e-13 exact
if [ -n "${DTAU_LONG:-}" ]; then
  generate arm6 fixed f64 4 table
  check arm6 1e-13 exact
  generate humanoid floating f64 0 table rnea crba frame_jacobian integrate minverse id_derivatives fd_derivatives
  check humanoid 1e-13 exact
fi
cc=(gcc -O1 -march=haswell)
generate quadruped floating f64 4 table rnea integrate
check quadruped 1e-13 exact
echo "== constants folded in the code: products of them round once less"
generate arm6 fixed f64 4 baked "${few[@]}"
check arm6 1e-13
echo "== single precision"
generate arm6 fixed f32 8 table "${few[@]}"
check arm6 2e-5
generate arm6 fixed f32 4 table rnea integrate
check arm6 2e-5
echo "== any x86-64: multiply-adds round twice, as in the library on such a CPU"
under=
cc=(gcc -O1)
generate arm6 fixed f64 4 table "${few[@]}"
data=twice.bin
check arm6 1e-13 exact
data=data.bin
echo "== clang"
cc=(clang -O1 -march=haswell)
grep -q ' avx2 ' /proc/cpuinfo && check arm6 1e-13 exact
cc=(clang -O1)
data=twice.bin
check arm6 1e-13 exact
data=data.bin
echo "== aarch64"
cc=(aarch64-linux-gnu-gcc -O1 -static)
under=qemu-aarch64
check arm6 1e-13 exact
generate arm6 fixed f32 8 table "${few[@]}"
check arm6 2e-5
echo "== Cortex-M7, compiled"
generate arm6 fixed f64 0 table "${few[@]}"
for dir in "$to/arm6-f64-0-table" "$to/arm6-f32-8-table"; do
  arm-none-eabi-gcc "${warnings[@]}" -O1 -mcpu=cortex-m7 -mfpu=fpv5-d16 -mfloat-abi=hard -c "$dir/arm6.c" -o "$dir/m7.o"
  arm-none-eabi-size "$dir/m7.o" | tail -1
done

packages=('casadi==3.*' numpy) needed=casadi
[ -z "${DTAU_LONG:-}" ] || packages+=(adam-robotics liecasadi) needed=adam.casadi
if ! "$target/casadi/bin/python" -c "import $needed" 2>/dev/null; then
  python3 -m venv "$target/casadi"
  "$target/casadi/bin/pip" install --quiet "${packages[@]}"
fi
cargo build --quiet --workspace --all-features --bin dtau
if [ -n "${DTAU_LONG:-}" ]; then
  echo "== CasADi: one multiple-shooting problem, generated functions beside a model in pure CasADi"
  "$target/casadi/bin/python" crates/dtau-generate/examples/casadi_shooting.py "$target/debug/dtau" 2>/dev/null
fi
echo "== CasADi: every kind of derivative against differences; functions as acados has them written"
"$target/casadi/bin/python" crates/dtau-generate/tests/casadi_external.py "$target/debug/dtau"
