# SPDX-License-Identifier: Apache-2.0
"""What the end-to-end tests share: the built programs, and runs in temporary folders."""

import json
import os
import pathlib
import subprocess
import tempfile
import unittest

BIN = pathlib.Path(os.environ.get("KBX_BIN", "build/bin")).resolve()
ROOT = pathlib.Path(__file__).resolve().parents[2]
KBX = str(BIN / "kbx")

RIGHT_ABS = (ROOT / "examples/abs/right.py").read_text(encoding="utf-8")


def line(task, code, **more):
    return json.dumps({"task": task, "predict": code, **more}) + "\n"


class RunTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="kbx-e2e-")
        self.addCleanup(self.folder.cleanup)
        self.path = pathlib.Path(self.folder.name)
        self.out = self.path / "run"

    def kbx(self, *args, expect=0, stdin=None, **kwargs):
        done = subprocess.run(
            [KBX, *map(str, args)], input=stdin, capture_output=True, text=True, timeout=300, cwd=self.path, **kwargs
        )
        self.assertEqual(done.returncode, expect, f"kbx {args}\n{done.stdout}\n{done.stderr}")
        return done

    def write(self, name, text):
        path = self.path / name
        path.write_text(text, encoding="utf-8")
        return path

    def records(self, out=None):
        text = ((out or self.out) / "results.jsonl").read_text(encoding="utf-8")
        return [json.loads(record) for record in text.splitlines()]

    def verdicts(self):
        return {record["source"].rsplit("/", 1)[-1].split(":")[0]: record["verdict"] for record in self.records()}
