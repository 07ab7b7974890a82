#!/usr/bin/env bash
# Builds the wheel as `pip install .` does, installs it into a fresh virtual environment, and runs the package's tests.
# Everything is under target/python, but for Debian's PyTorch, which is installed with apt where it is missing.
#
#   crates/dtau-py/test.sh                  all tests
#   crates/dtau-py/test.sh -k pickle        some of them: arguments go to pytest
#   crates/dtau-py/test.sh --prepare        no test: what takes long before the first one
#   DTAU_SKIP_TORCH=1 DTAU_SKIP_RAY=1 crates/dtau-py/test.sh
#   DTAU_FREE_THREADED=1 crates/dtau-py/test.sh
#                                           with a free-threaded Python too, which uv finds or downloads; or say which one
#                                           instead of 1. Only where asked for: it is a second build, of minutes.
set -euo pipefail
cd "$(dirname "$0")/../.."
here=$PWD/target/python
tests=$PWD/crates/dtau-py/tests
mkdir -p "$here"

# The programs to compare with, once: they are large.
tools=$here/tools
requirements=$(cat "$tests/requirements.txt" parity/requirements.txt)
if [ "$requirements" != "$(cat "$tools/installed.txt" 2>/dev/null)" ]; then
  echo "installing Pinocchio, MuJoCo, Drake and JAX into target/python/tools"
  ${PYTHON:-python3} -m venv --clear "$tools"
  "$tools/bin/python" -m pip install --quiet --disable-pip-version-check -r "$tests/requirements.txt"
  echo "$requirements" >"$tools/installed.txt"
fi

echo "building the wheel"
rm -rf "$here/wheel"
"$tools/bin/python" -m pip wheel --quiet --disable-pip-version-check --no-deps --wheel-dir "$here/wheel" .
wheel=$(echo "$here"/wheel/dtau-*-abi3-*.whl)
case $(ldd --version 2>&1) in
  *GLIBC* | *GNU*) [[ $wheel == *manylinux* ]] || { echo "the wheel is for this machine alone: $wheel" >&2 && exit 1; } ;;
esac
if [ "${1:-}" = --prepare ]; then
  exit
fi

echo "a fresh environment: dtau needs NumPy alone"
fresh=$here/fresh
"$tools/bin/python" -m venv --clear "$fresh"
"$fresh/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
(cd / && "$fresh/bin/python" -c '
import importlib.metadata as metadata, dtau
assert {d.name for d in metadata.distributions()} <= {"dtau", "numpy", "pip", "setuptools"}
model = dtau.Model.bundled("humanoid", root="floating")
assert dtau.gravity_torques(model, model.neutral()).shape == (model.nv,)
')
# With another version of Python too, if uv finds one or can download it: the wheel is for all from 3.10 on.
"$tools/bin/python" -m pip install --quiet --disable-pip-version-check uv
another=$here/another
if UV_PYTHON_INSTALL_DIR=$here/pythons "$tools/bin/uv" venv --quiet --clear --seed --python "${ANOTHER_PYTHON:-3.13}" "$another"; then
  "$another/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
  (cd / && "$another/bin/dtau" info arm6 >/dev/null && "$another/bin/python" -c '
import dtau, numpy as np
model = dtau.Model.bundled("arm6")
assert np.abs(dtau.rnea(model, model.neutral(), np.ones(6), np.ones(6))).max() > 0
')
else
  echo "no other Python: the wheel was not tried with one"
fi
# From here on it also sees the programs to compare with. Some of them are found by .pth files of their own, which a plain path
# in ours would not bring in.
site() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
echo "import site; site.addsitedir(\"$(site "$tools")\")" >"$(site "$fresh")/tools.pth"
"$fresh/bin/python" -m pytest --quiet "$tests" --ignore "$tests/test_torch.py" --ignore-glob "$tests/test_ray*.py" "$@"

crates/dtau-py/test-ray.sh "$wheel" "$@"

# abi3 wheels are not for free-threaded Pythons: `pip install .` builds one of its own.
free=${DTAU_FREE_THREADED:-}
if [ -z "$free" ]; then
  echo "free-threaded Python: left out, as it takes a second build; DTAU_FREE_THREADED=1 runs it"
else
  [ "$free" = 1 ] && free=3.14t
  "$tools/bin/python" -m venv "$here/uv"
  "$here/uv/bin/python" -m pip install --quiet --disable-pip-version-check uv
  UV_PYTHON_INSTALL_DIR=$here/uv/pythons "$here/uv/bin/uv" venv --quiet --clear --seed --python "$free" "$here/free"
  "$here/free/bin/python" -c 'import sysconfig; assert sysconfig.get_config_var("Py_GIL_DISABLED"), "not a free-threaded Python"'
  echo "building for $("$here/free/bin/python" -VV)"
  "$here/free/bin/python" -m pip install --quiet --disable-pip-version-check . pytest
  (cd "$tests" && "$here/free/bin/python" -m pytest --quiet \
    test_free_threading.py test_threads.py test_arrays.py test_errors.py test_model.py test_pickle.py test_wrenches.py "$@") ||
    [ $? = 5 ] # none of those asked for is here
fi

if [ "${DTAU_SKIP_TORCH:-}" = 1 ]; then
  echo "PyTorch: left out, as DTAU_SKIP_TORCH=1 asks"
  exit
fi

# pip's PyTorch brings gigabytes for GPUs; Debian's is for the CPU and for the system's Python.
has_torch() { "$1" -c 'import torch' 2>/dev/null; }
python=/usr/bin/python3
if ! has_torch "$python" && command -v apt-get >/dev/null; then
  echo "installing Debian's python3-torch"
  sudo=$([ "$(id -u)" = 0 ] || echo sudo)
  $sudo apt-get update -qq || true
  $sudo apt-get install -qq -y --no-install-recommends python3-torch >/dev/null || true
fi
if ! has_torch "$python"; then
  echo "PyTorch is missing: install python3-torch for $python, or set DTAU_SKIP_TORCH=1" >&2
  exit 1
fi
"$python" -m venv --clear --system-site-packages --without-pip "$here/torch"
"$tools/bin/python" -m pip --python "$here/torch/bin/python" install --quiet --disable-pip-version-check "$wheel" pytest
"$here/torch/bin/python" -m pytest --quiet "$tests/test_torch.py" "$@" || [ $? = 5 ] # none of those asked for is here
