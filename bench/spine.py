# SPDX-License-Identifier: Apache-2.0
"""What the harness itself costs.

    bench/spine.py [--kbx build/bin/kbx] [--device cpu] [--jobs 1] [--count 30]

Judges a submission that does nothing but return a copy, `count` times, and prints in seconds: from the start of kbx to
the first record (judge and zygote ready), fork of a guest to its hello, and the overhead: a submission's whole time less
its loading, its calls and the references. Standard library only. Figures stand in docs/measurements.md.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import tempfile
import time

NOTHING = "def abs(input_tensor, out=None):\n    return input_tensor.clone()  # {}\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbx", default="build/bin/kbx")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", default="1")
    parser.add_argument("--count", type=int, default=30)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder, "in.jsonl")
        lines.write_text(
            "".join(json.dumps({"task": "abs", "predict": NOTHING.format(i), "sample": i}) + "\n" for i in range(options.count))
        )
        start = time.monotonic()
        child = subprocess.Popen(
            [options.kbx, "run", str(lines), "--json", "--out", folder + "/run", "--device", options.device, "--jobs", options.jobs],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        records, first = [], None
        for line in child.stdout:
            first = first or time.monotonic() - start
            records.append(json.loads(line)["seconds"])
        whole = time.monotonic() - start
        child.wait()
    overhead = [s["total"] - s["load"] - s["calls"] - s["reference"] for s in records]
    print(f"submissions            {len(records)}")
    print(f"first record           {first:.2f} s after the start")
    print(f"whole run              {whole:.2f} s")
    for name, values in (("fork to hello", [s["fork"] for s in records]), ("overhead a submission", overhead)):
        q = statistics.quantiles(values, n=4)
        print(f"{name:22} median {1e3 * q[1]:.1f} ms, quartiles {1e3 * q[0]:.1f} to {1e3 * q[2]:.1f} ms")


if __name__ == "__main__":
    main()
