#!/bin/sh
# Makes target/venv with the packages of requirements.txt. Fast and silent if it exists. Prints the path of
# its Python:
#
#     $(parity/setup.sh) parity/pinocchio_parity.py
set -eu

here=$(cd "$(dirname "$0")" && pwd)
venv=$(dirname "$here")/target/venv
stamp=$venv/requirements.txt # a copy of what was installed, written last

if ! cmp -s "$here/requirements.txt" "$stamp"; then
    echo "parity: installing Pinocchio into target/venv" >&2
    ${PYTHON:-python3} -m venv "$venv"
    "$venv/bin/python" -m pip install --quiet --disable-pip-version-check -r "$here/requirements.txt" >&2
    cp "$here/requirements.txt" "$stamp"
fi
echo "$venv/bin/python"
