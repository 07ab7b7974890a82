#!/usr/bin/env bash
# Builds the site of the documentation into target/site. A broken link is an error.
#
#   docs/build.sh            builds it; look at target/site/index.html
#   docs/build.sh --serve    serves it on this machine, and builds again what changes
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD/target/docs

if ! cmp -s docs/requirements.txt "$here/installed.txt"; then
  ${PYTHON:-python3} -m venv --clear "$here/venv"
  "$here/venv/bin/python" -m pip install --quiet --disable-pip-version-check -r docs/requirements.txt
  cp docs/requirements.txt "$here/installed.txt"
fi
export NO_MKDOCS_2_WARNING=1
if [ "${1:-}" = --serve ]; then
  exec "$here/venv/bin/mkdocs" serve
fi
"$here/venv/bin/mkdocs" build --strict --quiet
echo "target/site/index.html"
