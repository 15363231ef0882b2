# SPDX-License-Identifier: Apache-2.0
"""Memory of kbx with many submissions queued: 100,000 by default, each with code of its own, behind a judge that hangs.

Usage: queue_memory.py BUILD_FOLDER [COUNT]     prints MiB (VmHWM) and seconds until all are read; exit 1 above 50 MiB
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time

LIMIT_MIB = 50


def tail_of(path):
    if not path.exists():
        return b""
    with path.open("rb") as file:
        file.seek(max(0, path.stat().st_size - 2000))
        return file.read()


def main(build, count):
    task = json.loads(subprocess.check_output([build / "bin/kbx", "tasks", "--json"]))[0]["name"]
    body = "# hang\n" + "x = 1  # as long as a usual kernel\n" * 100
    with tempfile.TemporaryDirectory(prefix="kbx-bench-") as folder:
        lines = pathlib.Path(folder) / "in.jsonl"
        with lines.open("w", encoding="utf-8") as file:
            for i in range(count):
                line = {"task": task, "method": f"method-{i % 10}", "round": i % 3, "predict": f"{body}{i}"}
                file.write(json.dumps(line) + "\n")
        start = time.monotonic()
        kbx = subprocess.Popen(
            [build / "bin/kbx", "run", lines, "--out", f"{folder}/run", "--jobs", "1"],
            env={**os.environ, "KBX_JUDGE": str(build / "tests/fake_judge")},
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        try:
            index = pathlib.Path(folder) / "run/submissions/index.jsonl"
            last = f'"line":{count},'.encode()
            while last not in tail_of(index):
                if kbx.poll() is not None:
                    sys.exit("kbx ended early")
                time.sleep(0.2)
            seconds = time.monotonic() - start
            status = pathlib.Path(f"/proc/{kbx.pid}/status").read_text(encoding="ascii")
        finally:
            kbx.kill()
            kbx.wait()
        mib = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
        print(f"{count} queued: {mib:.1f} MiB, read in {seconds:.1f} s", flush=True)
    return 1 if mib > LIMIT_MIB else 0


if __name__ == "__main__":
    sys.exit(main(pathlib.Path(sys.argv[1]).resolve(), int(sys.argv[2]) if len(sys.argv) > 2 else 100_000))
