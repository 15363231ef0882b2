#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Judges the submissions under examples/ on whatever device is there. Usage: scripts/demo.sh BUILD_FOLDER
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
out=runs/demo-$(date +%Y%m%d-%H%M%S)
"$1/bin/kbx" run examples --timeout 5 --out "$out"
