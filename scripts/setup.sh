#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Installs what the build needs: system packages, and a Python environment with torch, triton and numpy in .venv.
# Does nothing, quickly, when all of it is there.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=(g++ make cmake ninja-build pkg-config git python3 python3-venv python3-dev
          libcli11-dev libfmt-dev libspdlog-dev nlohmann-json3-dev libeigen3-dev zlib1g-dev libseccomp-dev
          libgtest-dev libgmock-dev libbenchmark-dev)
torch=torch==2.11.0
triton=triton==3.6.0

missing=()
for package in "${packages[@]}"; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
done
if [ ${#missing[@]} -gt 0 ]; then
  if [ "$(id -u)" = 0 ]; then
    as_root=()
  elif command -v sudo >/dev/null && sudo -n true 2>/dev/null; then
    as_root=(sudo)
  else
    echo "These system packages are missing, and installing them needs root:" >&2
    echo "  sudo apt-get install ${missing[*]}" >&2
    exit 4
  fi
  echo "Installing system packages: ${missing[*]}"
  "${as_root[@]}" apt-get update -qq
  "${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

check='import sys, torch, triton, numpy
print(f"Python {sys.version.split()[0]} at {sys.executable}")
print(f"torch {torch.__version__} at {torch.__path__[0]}, triton {triton.__version__}, numpy {numpy.__version__}")'

if [ -n "${KBX_PYTHON:-}" ]; then
  if ! "$KBX_PYTHON" -c "$check"; then
    echo "KBX_PYTHON=$KBX_PYTHON lacks torch, triton or numpy; install them there, or unset KBX_PYTHON" >&2
    exit 4
  fi
  exit 0
fi

stamp=.venv/kbx-ready
wanted="$torch $triton numpy scipy mpmath radon"
if [ "$(cat $stamp 2>/dev/null)" != "$wanted" ]; then
  python=$(command -v python3)
  "$python" -c 'import sys; sys.exit(sys.version_info < (3, 10))' ||
    { echo "Python 3.10 or newer is needed; $python is $("$python" --version)" >&2; exit 4; }
  echo "Making .venv with $torch, $triton and numpy (some 5 GB, a minute or more)"
  "$python" -m venv .venv
  .venv/bin/python -m pip install --quiet --disable-pip-version-check "$torch" "$triton" numpy scipy mpmath radon
  .venv/bin/python -c "$check" >/dev/null
  echo "$wanted" >$stamp
  cat >.venv/kbx-versions <<EOF
$(.venv/bin/python -c "$check")
EOF
fi
cat .venv/kbx-versions
