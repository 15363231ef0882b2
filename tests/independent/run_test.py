# SPDX-License-Identifier: Apache-2.0
"""The references against answers that torch has no part in.

The reference and the snippet of a task call one library, so that they agree proves only that both call it rightly. The
modules beside this file compute every task once more with NumPy, SciPy, mpmath or plain loops, in double or better, from
the arguments of every case that is small enough; a run's seed draws other values than the catalogue's own tests use.

    def gelu(input, approximate="none"): ...         the results, and changes in place what the operation changes
    def check_svd(results, A, full_matrices=True):   where many answers are right: raises AssertionError
    TOLERANCES = {"erfc_sqrt": 1e-7}                 relative to the largest term, where the default is too strict; say why

Arguments come by keyword: arrays (float64, complex128, int64, bool), numbers, text, None, lists. Usage, by ctest or:
    python run_test.py BIN [TASK...]
"""

import copy
import importlib
import inspect
import json
import os
import pathlib
import subprocess
import sys

try:
    import numpy as np
    import mpmath  # noqa: F401
    import scipy  # noqa: F401
except ImportError as missing:
    print(f"skipped: {missing}; pip install numpy scipy mpmath")
    sys.exit(77)  # what ctest is told to take for a skip

HERE = pathlib.Path(__file__).resolve().parent
DEFAULT_TOLERANCE = 1e-10
TYPES = {"float": "<f8", "complex": "<c16", "int": "<i8", "bool": "?"}


def value_of(node):
    if not isinstance(node, dict):
        return node
    if "tensor" in node:
        return np.frombuffer(bytes.fromhex(node["hex"]), dtype=TYPES[node["type"]]).reshape(node["tensor"]).copy()
    if "tuple" in node or "list" in node:
        items = [value_of(item) for item in node.get("tuple", node.get("list"))]
        return tuple(items) if "tuple" in node else items
    if "dict" in node:
        return {key: value_of(item) for key, item in node["dict"].items()}
    if "complex" in node:
        return complex(*node["complex"])
    if "float" in node:
        return float(node["float"])
    return node.get("dtype", node.get("generator", node.get("place")))


def arrays_of(value, path):
    """Every array or number of a tree of results, with where it lies."""
    if isinstance(value, (list, tuple)):
        for i, item in enumerate(value):
            yield from arrays_of(item, f"{path}[{i}]")
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from arrays_of(item, f"{path}[{key!r}]")
    elif value is not None:
        yield path, np.asarray(value)


def fault(wanted, got, tolerance, path):
    """Why two trees differ, or None. The tolerance is relative to the larger of an element and 1e-3 of the largest."""
    ours, theirs = list(arrays_of(got, path)), list(arrays_of(wanted, path))
    if [p for p, _ in ours] != [p for p, _ in theirs]:
        return f"{path}: {[p for p, _ in ours]} where the reference has {[p for p, _ in theirs]}"
    for (where, mine), (_, reference) in zip(ours, theirs):
        if mine.shape != reference.shape:
            return f"{where}: shape {mine.shape}, the reference has {reference.shape}"
        if mine.size == 0:
            continue
        mine, reference = np.broadcast_arrays(np.asarray(mine), np.asarray(reference))
        exact = mine.dtype.kind in "bi" and reference.dtype.kind in "bi"
        same = (mine == reference) | ((mine != mine) & (reference != reference))
        finite = np.isfinite(mine) & np.isfinite(reference)
        scale = np.max(np.abs(reference[finite]), initial=0)
        allowed = 0 if exact else tolerance * np.maximum(np.abs(np.where(finite, reference, 0)), 1e-3 * scale)
        with np.errstate(all="ignore"):
            off = np.abs(np.where(finite, mine, 0) - np.where(finite, reference, 0))
        wrong = ~(same | (finite & (off <= allowed)))
        if wrong.any():
            at = np.unravel_index(np.argmax(np.where(wrong, np.where(finite, off, np.inf), -1)), mine.shape)
            at = tuple(int(i) for i in at)
            return (
                f"{where}: {int(wrong.sum())} of {mine.size} elements differ, the worst at {list(at)}: "
                f"{mine[at]!r} by hand, {reference[at]!r} by the reference"
            )
    return None


def functions():
    """name -> (function, is a check, tolerance), of all the modules here."""
    found = {}
    sys.path.insert(0, str(HERE))
    for path in sorted(HERE.glob("*.py")):
        if path.stem == "run_test" or path.stem.startswith("_"):
            continue
        module = importlib.import_module(path.stem)
        tolerances = getattr(module, "TOLERANCES", {})
        for name, function in inspect.getmembers(module, inspect.isfunction):
            if function.__module__ != path.stem or name.startswith("_"):
                continue
            task = name.removeprefix("check_")
            found[task] = (function, name.startswith("check_"), tolerances.get(task, DEFAULT_TOLERANCE))
    return found


def faults_of(task, case, function, is_check, tolerance):
    given = {name: value_of(node) for name, node in case["args"].items()}
    results = [value_of(node) for node in case["results"]]
    if is_check:
        try:
            function(results[0] if len(results) == 1 else tuple(results), **given)
        except AssertionError as error:
            yield f"{task}, case '{case['label']}': {error}"
        return
    answer = function(**copy.deepcopy(given)) if not case["after"] else None
    if answer is None:
        changed = copy.deepcopy(given)
        answer = function(**changed)
        for name, node in case["after"].items():
            if reason := fault(value_of(node), changed[name], tolerance, name):
                yield f"{task}, case '{case['label']}': after the call, {reason}"
    answer = list(answer) if isinstance(answer, (tuple, list)) and len(results) != 1 else [answer]
    if reason := fault(results, answer, tolerance, "result"):
        yield f"{task}, case '{case['label']}': {reason}"


def main(folder, *names):
    judge = pathlib.Path(folder) / "kbx-judge"
    known = functions()
    catalog = [t["name"] for t in json.loads(subprocess.run([judge, "--catalog"], capture_output=True, check=True).stdout)]
    faults = [f"{name}: no function in {HERE.name}/ computes it" for name in names or catalog if name not in known]
    faults += [f"{name}: there is no such task" for name in sorted(set(known) - set(catalog)) if not names]
    checked = 0
    for task in names or catalog:
        if task not in known:
            continue
        seed = os.environ.get("KBX_SEED", "independent")
        dump = subprocess.run([judge, "--reference", task, seed], capture_output=True, text=True, check=True).stdout
        cases = json.loads(dump)
        if len(cases) < 2:
            faults.append(f"{task}: {len(cases)} cases are small enough to be computed by hand; two are wanted")
        for case in cases:
            try:
                faults += faults_of(task, case, *known[task])
            except Exception as error:  # of the function: one fault, and on to the next
                faults.append(f"{task}, case '{case['label']}': {type(error).__name__}: {error}")
            checked += 1
    print("\n".join(faults))
    print(f"{len(names or catalog)} tasks, {checked} cases, {len(faults)} faults")
    return 1 if faults else 0


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    sys.exit(main(*sys.argv[1:]))
