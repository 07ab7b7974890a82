#!/usr/bin/env bash
# Tests dtau.ray on a Ray cluster on this machine, in its own virtual environment (target/python/ray, 700 MB,
# installed once). If Ray is not available, says so and succeeds.
#
#   crates/dtau-py/test-ray.sh WHEEL [arguments of pytest]
#   DTAU_SKIP_RAY=1                          leaves it out
set -euo pipefail
wheel=$(realpath "$1")
shift
cd "$(dirname "$0")/../.."
here=$PWD/target/python/ray
tests=$PWD/crates/dtau-py/tests

if [ "${DTAU_SKIP_RAY:-}" = 1 ]; then
  echo "Ray: left out, as DTAU_SKIP_RAY=1 asks"
  exit
fi
requirements=$(cat "$tests/requirements-ray.txt")
if [ "$requirements" != "$(cat "$here/installed.txt" 2>/dev/null)" ]; then
  echo "installing Ray into target/python/ray"
  ${PYTHON:-python3} -m venv --clear "$here"
  if ! timeout 1200 "$here/bin/python" -m pip install --quiet --disable-pip-version-check -r "$tests/requirements-ray.txt"; then
    echo "############ RAY IS NOT TO BE HAD HERE: dtau.ray WAS NOT TESTED ############" >&2
    exit
  fi
  echo "$requirements" >"$here/installed.txt"
fi
"$here/bin/python" -m pip install --quiet --disable-pip-version-check --no-deps --force-reinstall "$wheel"
timeout 900 "$here/bin/python" -m pytest --quiet "$tests/test_ray_columns.py" "$tests/test_ray.py" "$@" || [ $? = 5 ] # none of those asked for is here
