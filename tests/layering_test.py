# SPDX-License-Identifier: Apache-2.0
"""Reads the includes of src/kbx, tasks and guest/extension and fails on an edge that the layers do not allow.

Usage: layering_test.py SOURCE_FOLDER
"""

import pathlib
import re
import sys

# What each folder may include, besides itself. Directly or not makes no difference: an edge is written down or it is not.
ALLOWED = {
    "base": set(),
    "stats": {"base"},
    "wire": {"base"},
    "record": {"base"},
    "cuda": {"base"},
    "timing": {"base", "cuda"},
    "sandbox": {"base"},
    "input": {"base", "record"},
    "store": {"base", "record", "input"},
    "report": {"base", "record", "store"},
    "run": {"base", "wire", "record", "input", "store"},
    "task": {"base"},
    "check": {"base", "record", "task"},
    "judge": {"base", "wire", "record", "cuda", "timing", "sandbox", "task", "check"},
    "cli": {"base", "wire", "record", "input", "store", "report", "run"},
    "programs": {"base", "wire", "cli", "judge", "task", "check"},
    "tasks": {"task", "check"},
    "extension": {"base", "wire", "sandbox", "cuda", "timing"},
}
# Folders that must build where there is no torch.
WITHOUT_TORCH = {"base", "stats", "wire", "record", "input", "store", "report", "run", "sandbox", "cuda", "timing", "cli"}
INCLUDE = re.compile(r'^\s*#\s*include\s*[<"]([^>"]+)[>"]', re.MULTILINE)


def folder_of(path, source):
    parts = path.relative_to(source).parts
    if parts[0] == "src":
        return parts[2]
    return "extension" if parts[0] == "guest" else parts[0]


def main(source):
    faults, edges = [], set()
    files = [p for top in ("src/kbx", "tasks", "guest/extension") for p in (source / top).rglob("*") if p.suffix in (".h", ".cpp")]
    for path in files:
        here = folder_of(path, source)
        for include in INCLUDE.findall(path.read_text(encoding="utf-8")):
            if include.startswith(("ATen/", "c10/", "torch/")) and here in WITHOUT_TORCH:
                faults.append(f"{path.relative_to(source)}: {here} must build without torch, but includes {include}")
            if not include.startswith("kbx/"):
                continue
            there = include.split("/")[1]
            edges.add((here, there))
            if there != here and there not in ALLOWED.get(here, set()):
                faults.append(f"{path.relative_to(source)}: {here} may not include {include}")
    for fault in faults:
        print(fault)
    print(f"{len(files)} files, {len(edges)} edges, {len(faults)} faults")
    return 1 if faults or len(files) < 40 else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1])))
