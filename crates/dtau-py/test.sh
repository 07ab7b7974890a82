#!/usr/bin/env bash
# Builds the wheel, installs it into fresh virtual environments, and runs the package's tests. Everything is
# under target/python, except Debian's PyTorch, which is installed with apt if missing.
#
#   crates/dtau-py/test.sh                  all tests. The library is not optimised: it is the one of the Rust tests
#   crates/dtau-py/test.sh --release        the wheel that `pip install .` builds
#   crates/dtau-py/test.sh --long           more robots, sizes and repetitions, as DTAU_LONG=1 says too
#   crates/dtau-py/test.sh --prepare        no test: what takes long before the first one
#   crates/dtau-py/test.sh --prepared       with the wheel that --prepare has built
#   crates/dtau-py/test.sh -k pickle        some of them: other arguments go to pytest
#   DTAU_SKIP_TORCH=1 DTAU_SKIP_RAY=1 crates/dtau-py/test.sh
#   DTAU_FREE_THREADED=1 crates/dtau-py/test.sh
#                                           with a free-threaded Python too, which uv finds or downloads; or say which one
#                                           instead of 1. Only where asked for: it is a second build.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/target/python
tests=$PWD/crates/dtau-py/tests
mkdir -p "$here"

optimised= prepare= prepared=
while [ $# -gt 0 ]; do
  case $1 in
    --release) optimised=1 ;;
    --long) export DTAU_LONG=1 ;;
    --prepare) prepare=1 ;;
    --prepared) prepared=1 ;;
    *) break ;;
  esac
  shift
done
if [ -z "$optimised" ]; then
  # Same build as `cargo test --workspace --all-features` in test.sh, so that nothing is compiled again.
  export CARGO_INCREMENTAL=0 MATURIN_PEP517_ARGS="--profile dev --all-features --compatibility"
  case ${RUSTFLAGS:-} in
    *no-prepopulate-passes*) ;;
    *) export RUSTFLAGS="${RUSTFLAGS:-} -C no-prepopulate-passes" ;;
  esac
fi
step() { printf '%s  (%d:%02d)\n' "$*" $((SECONDS / 60)) $((SECONDS % 60)); }

# Programs to compare with, installed once because they are large.
tools=$here/tools
requirements=$(cat "$tests/requirements.txt" parity/requirements.txt)
if [ "$requirements" != "$(cat "$tools/installed.txt" 2>/dev/null)" ]; then
  step "installing Pinocchio, MuJoCo, Drake and JAX into target/python/tools"
  ${PYTHON:-python3} -m venv --clear "$tools"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check -r "$tests/requirements.txt"
  echo "$requirements" >"$tools/installed.txt"
fi

if [ -z "$prepared" ]; then
  step "building the wheel"
  rm -rf "$here/wheel"
  "$tools/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$here/wheel" .
fi
wheel=$(echo "$here"/wheel/dtau-*-abi3-*.whl)
case $(ldd --version 2>&1) in
  *GLIBC* | *GNU*) [[ $wheel == *manylinux* ]] || { echo "the wheel is for this machine alone: $wheel" >&2 && exit 1; } ;;
esac
[ -z "$prepare" ] || exit 0

step "a fresh environment: dtau needs NumPy alone"
fresh=$here/fresh
uv() { UV_PYTHON_INSTALL_DIR=$here/pythons "$tools/bin/uv" "$@" --quiet; }
uv venv --clear --python "$tools/bin/python" "$fresh"
uv pip install --python "$fresh/bin/python" "$wheel"
(cd / && "$fresh/bin/python" -c '
import importlib.metadata as metadata, dtau
assert {d.name for d in metadata.distributions()} <= {"dtau", "numpy"}
model = dtau.Model.bundled("humanoid", root="floating")
assert dtau.gravity_torques(model, model.neutral()).shape == (model.nv,)
')
# Tests another Python version too, if uv finds or can download one: the wheel is for all versions from 3.10.
another=$here/another
if uv venv --clear --python "${ANOTHER_PYTHON:-3.13}" "$another"; then
  uv pip install --python "$another/bin/python" "$wheel"
  (cd / && "$another/bin/dtau" info arm6 >/dev/null && "$another/bin/python" -c '
import dtau, numpy as np
model = dtau.Model.bundled("arm6")
assert np.abs(dtau.rnea(model, model.neutral(), np.ones(6), np.ones(6))).max() > 0
')
else
  step "no other Python: the wheel was not tried with one"
fi
# From here on, the environment also includes the programs to compare with. Some use their own .pth files,
# which a plain path would not load.
site() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
echo "import site; site.addsitedir(\"$(site "$tools")\")" >"$(site "$fresh")/tools.pth"
step "tests"
"$fresh/bin/python" -m pytest --quiet "$tests" --ignore "$tests/test_torch.py" --ignore-glob "$tests/test_ray*.py" "$@"

step "Ray"
crates/dtau-py/test-ray.sh "$wheel" "$@"

# abi3 wheels do not support free-threaded Pythons: `pip install .` builds a separate one.
free=${DTAU_FREE_THREADED:-}
if [ -z "$free" ]; then
  step "free-threaded Python: left out, as it takes a second build; DTAU_FREE_THREADED=1 runs it"
else
  [ "$free" = 1 ] && free=3.14t
  uv venv --clear --seed --python "$free" "$here/free"
  "$here/free/bin/python" -c 'import sysconfig; assert sysconfig.get_config_var("Py_GIL_DISABLED"), "not a free-threaded Python"'
  step "building for $("$here/free/bin/python" -VV)"
  "$here/free/bin/python" -m pip install --quiet --disable-pip-version-check . pytest
  (cd "$tests" && "$here/free/bin/python" -m pytest --quiet \
    test_free_threading.py test_threads.py test_arrays.py test_errors.py test_model.py test_pickle.py test_wrenches.py "$@") ||
    [ $? = 5 ] # none of the selected tests is here
fi

if [ "${DTAU_SKIP_TORCH:-}" = 1 ]; then
  step "PyTorch: left out, as DTAU_SKIP_TORCH=1 asks"
  exit
fi

# pip's PyTorch includes gigabytes for GPUs. Debian's is for the CPU and the system's Python.
has_torch() { "$1" -c 'import torch' 2>/dev/null; }
python=/usr/bin/python3
if ! has_torch "$python" && command -v apt-get >/dev/null; then
  step "installing Debian's python3-torch"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq || true
  $sudo apt-get install -qq -y --no-install-recommends python3-torch >/dev/null || true
fi
if ! has_torch "$python"; then
  echo "PyTorch is missing: install python3-torch for $python, or set DTAU_SKIP_TORCH=1" >&2
  exit 1
fi
step "PyTorch"
uv venv --clear --system-site-packages --python "$python" "$here/torch"
uv pip install --python "$here/torch/bin/python" --no-deps "$wheel" # with the system's NumPy, like its PyTorch
uv pip install --python "$here/torch/bin/python" pytest
"$here/torch/bin/python" -m pytest --quiet "$tests/test_torch.py" "$@" || [ $? = 5 ] # none of the selected tests is here
step "all of it holds"
