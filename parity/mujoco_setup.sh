#!/bin/sh
# Makes target/mujoco with MuJoCo in a virtual environment, and unpacks the packages with models, without
# their dependencies. Fast and silent if everything exists. A missing package is named, and the others are
# used. Prints the path of its Python:
#
#     $(parity/mujoco_setup.sh) parity/mujoco_parity.py
set -eu

root=$(dirname "$(cd "$(dirname "$0")" && pwd)")
place=${DTAU_MUJOCO:-$root/target/mujoco}
python=$place/venv/bin/python
pip="timeout 600 $python -m pip install --quiet --disable-pip-version-check"

if [ ! -e "$place/venv/done" ]; then
    echo "parity: installing MuJoCo into $place" >&2
    ${PYTHON:-python3} -m venv "$place/venv"
    $pip 'mujoco==4.0.0' 'numpy>=1.26' >&2
    touch "$place/venv/done"
fi
for name in dm_control playground gymnasium-robotics brax myosuite gymnasium; do
    if [ ! -e "$place/packages/$name/done" ]; then
        rm -rf "$place/packages/$name"
        if $pip --no-deps --target "$place/packages/$name" "$name" >&2; then
            touch "$place/packages/$name/done"
        else
            echo "parity: PACKAGE $name CANNOT BE HAD; its models are not compared" >&2
        fi
    fi
done
echo "$python"
