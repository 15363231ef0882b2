#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Configures when that is needed and builds. Usage: scripts/build.sh BUILD_FOLDER JOBS
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
python=${KBX_PYTHON:-$PWD/.venv/bin/python}
if [ ! -f "$1/build.ninja" ] || ! grep -qxF "KBX_PYTHON:FILEPATH=$python" "$1/CMakeCache.txt"; then
  cmake -S . -B "$1" -G Ninja -DCMAKE_BUILD_TYPE=Release -DKBX_PYTHON:FILEPATH="$python"
fi
cmake --build "$1" -j "$2"
