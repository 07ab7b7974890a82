#!/usr/bin/env bash
# Builds the wheel as `pip install .` does, installs it into a fresh virtual environment, and runs the package's tests.
# Everything is under target/python, but for Debian's PyTorch, which is installed with apt where it is missing.
#
#   crates/dtau-py/test.sh                  all tests
#   crates/dtau-py/test.sh -k pickle        some of them: arguments go to pytest
#   DTAU_SKIP_TORCH=1 crates/dtau-py/test.sh
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

echo "a fresh environment: dtau needs NumPy alone"
fresh=$here/fresh
"$tools/bin/python" -m venv --clear "$fresh"
"$fresh/bin/python" -m pip install --quiet --disable-pip-version-check "$wheel"
(cd / && "$fresh/bin/python" -c '
import importlib.metadata as metadata, dtau
assert {d.name for d in metadata.distributions()} <= {"dtau", "numpy", "pip", "setuptools"}
model = dtau.Model.bundled("humanoid", root="floating")
assert dtau.gravity(model, model.neutral()).shape == (model.nv,)
')
# From here on it also sees the programs to compare with. Some of them are found by .pth files of their own, which a plain path
# in ours would not bring in.
site() { "$1/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))'; }
echo "import site; site.addsitedir(\"$(site "$tools")\")" >"$(site "$fresh")/tools.pth"
"$fresh/bin/python" -m pytest --quiet "$tests" --ignore "$tests/test_torch.py" "$@"

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
