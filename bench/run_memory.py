# SPDX-License-Identifier: Apache-2.0
"""Whether memory stays as it is over a long run.

    bench/run_memory.py [--kbx build/bin/kbx] [--device cpu] [--jobs 2] [--count 10000]

Judges `count` submissions, one in ten of them with a kernel and right, the others failing early in different ways, and
prints the resident memory of kbx, of the judge and of the zygote after each tenth of them, in MiB. Linux and the standard
library only. Figures stand in docs/measurements.md.
"""

import argparse
import json
import pathlib
import subprocess
import tempfile

RIGHT = """import torch, triton, triton.language as tl
# {}
@triton.jit
def kernel(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.abs(tl.load(x + i, i < n)), i < n)
def abs(input_tensor, out=None):
    x = input_tensor.contiguous()
    y = torch.empty_like(x)
    if x.numel():
        kernel[(triton.cdiv(x.numel(), 1024),)](x, y, x.numel(), B=1024)
    return y if out is None else out.copy_(y)
"""
EARLY = ("def abs(:  # {}", "import nothing_{}", "def other():  # {}\n    pass", "def abs(input_tensor, out=None):\n    raise ValueError({})")


def resident_mib(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) / 1024


def children_of(pid):
    return [int(c) for c in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kbx", default="build/bin/kbx")
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--jobs", default="2")
    parser.add_argument("--count", type=int, default=10000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        lines = pathlib.Path(folder, "in.jsonl")
        with lines.open("w") as file:
            for i in range(options.count):
                code = RIGHT if i % 10 == 0 else EARLY[i % len(EARLY)]
                file.write(json.dumps({"task": "abs", "predict": code.format(i), "sample": i}) + "\n")
        child = subprocess.Popen(
            [options.kbx, "run", str(lines), "--json", "--out", folder + "/run", "--device", options.device, "--jobs", options.jobs],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        print("submissions   kbx   judge   zygote   (MiB)   passed")
        passed = 0
        for count, line in enumerate(child.stdout, 1):
            passed += json.loads(line)["verdict"] == "passed"
            if count % (options.count // 10) == 0 and (judges := children_of(child.pid)):
                zygote = children_of(judges[0])
                sizes = [resident_mib(p) for p in (child.pid, judges[0], zygote[0])]
                print(f"{count:11} {sizes[0]:5.0f} {sizes[1]:7.0f} {sizes[2]:8.0f} {passed:16}", flush=True)
        child.wait()


if __name__ == "__main__":
    main()
