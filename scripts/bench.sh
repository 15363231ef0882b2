#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs what stands under bench/ against a build. Usage: scripts/bench.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
cmake -S . -B "$1" -DKBX_BUILD_BENCHMARKS=ON >/dev/null
cmake --build "$1" --target wire_bench
"$1/bin/wire_bench"
python3 bench/spine.py --kbx "$1/bin/kbx"
