# SPDX-License-Identifier: Apache-2.0
"""Every task's PyTorch snippet is judged like a submission: it and the ATen reference check each other in every case."""

import json
import subprocess
import unittest

from support import BIN, ROOT, RunTest, line


class Catalog(unittest.TestCase):
    def test_the_committed_catalogue_is_what_the_tasks_say(self):
        printed = subprocess.run([BIN / "kbx-judge", "--catalog"], capture_output=True, text=True, check=True).stdout
        committed = (ROOT / "tasks/catalog.json").read_text(encoding="utf-8")
        self.assertEqual(printed, committed, "out of date: build/bin/kbx-judge --catalog > tasks/catalog.json")


class Snippets(RunTest):
    def test_every_snippet_passes(self):
        catalog = json.loads((ROOT / "tasks/catalog.json").read_text(encoding="utf-8"))
        self.assertGreaterEqual(len(catalog), 20)
        lines = "".join(line(task["name"], task["snippet"]) for task in catalog)
        self.kbx("run", self.write("snippets.jsonl", lines), "--out", self.out, "--timeout", "20")
        records = self.records()
        self.assertEqual(len(records), len(catalog))
        for record in records:
            with self.subTest(record["task"]):
                self.assertEqual(record["verdict"], "passed", f"{record['reason']}\n{record.get('traceback')}")

    def test_a_wrong_constant_in_place_of_the_answer_never_passes(self):
        """The simplest null submissions, through the whole of the pipeline: the results' zeros."""
        catalog = json.loads((ROOT / "tasks/catalog.json").read_text(encoding="utf-8"))
        lines = ""
        for task in catalog:
            zeros = f"""
import torch
{task["snippet"]}
_right = {task["entry"]}

def _zero(value):
    if isinstance(value, torch.Tensor):
        return torch.zeros_like(value)
    if isinstance(value, (list, tuple)):
        return [_zero(item) for item in value]
    return value

def {task["entry"]}(*args, **kwargs):
    return _zero(_right(*args, **kwargs))
"""
            lines += line(task["name"], zeros)
        self.kbx("run", self.write("zeros.jsonl", lines), "--out", self.out, "--timeout", "20")
        for record in self.records():
            if record["task"] in RESULT_IS_NOT_THE_ANSWER:
                continue
            with self.subTest(record["task"]):
                self.assertNotEqual(record["verdict"], "passed")


# Tasks whose answer is what they change, or an object that the wrapper reads: zeros in place of the result say nothing.
RESULT_IS_NOT_THE_ANSWER = {"Adam"}


if __name__ == "__main__":
    unittest.main()
