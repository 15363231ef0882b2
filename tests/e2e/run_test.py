# SPDX-License-Identifier: Apache-2.0
"""kbx run from input to run folder, on whatever device is there."""

import json
import os
import pathlib
import signal
import subprocess
import time
import unittest

from support import KBX, RIGHT_ABS, ROOT, RunTest, line


class Examples(RunTest):
    def test_every_example_gets_the_verdict_it_is_named_for(self):
        self.kbx("run", ROOT / "examples", "--out", self.out, "--timeout", "5")
        got = {"/".join(pathlib.Path(r["source"].split(":")[0]).parts[-2:]): r["verdict"] for r in self.records()}
        self.assertEqual(
            got,
            {
                "abs/right.py": "passed",
                "abs/wrong_value.py": "wrong_value",
                "abs/wrong_dtype.py": "wrong_dtype",
                "abs/compile_error.py": "compile_error",
                "add/crash.py": "crashed",
                "add/endless_loop.py": "timeout",
                "softmax/right.py": "passed",
                "sum/right.py": "passed",
                "sum/tampers.py": "tampered",
            },
        )
        for name in ("run.json", "results.jsonl", "metrics.json", "summary.json", "summary.csv", "submissions"):
            self.assertTrue((self.out / name).exists(), name)
        self.kbx("report", self.out)
        self.assertIn("passed", self.kbx("report", self.out, "--format", "json").stdout)

    def test_a_record_says_what_was_wrong_and_where(self):
        self.kbx("run", ROOT / "examples/abs/wrong_value.py", "--out", self.out)
        (record,) = self.records()
        self.assertEqual((record["call"], record["exe"]), (True, False))
        wrong = next(c for c in record["cases"] if c["verdict"] == "wrong_value")
        for key in ("index", "expected", "got", "bound", "error"):
            self.assertIn(key, wrong["worst"])
        self.assertTrue(wrong["because"])


class Options(RunTest):
    def test_the_stage_call_alone_says_nothing_of_values(self):
        self.kbx("run", ROOT / "examples/abs", "--stages", "call", "--out", self.out)
        self.assertEqual(self.verdicts()["wrong_value.py"], "passed")
        self.assertEqual(self.verdicts()["compile_error.py"], "compile_error")
        self.assertFalse(any(r["exe"] for r in self.records()))

    def test_artifacts_are_kept_when_asked_for(self):
        self.kbx("run", ROOT / "examples/abs/right.py", "--keep-artifacts", "--out", self.out)
        (kept,) = (self.out / "artifacts").iterdir()
        self.assertTrue((kept / "submission.py").exists())
        self.assertTrue(list(kept.glob("triton/*/abs_kernel.cubin")))

    def test_targets_make_a_portability_table(self):
        self.kbx("run", ROOT / "examples/abs/right.py", "--targets", "sm_80,gfx942", "--out", self.out)
        (record,) = self.records()
        self.assertEqual({(t["kernel"], t["target"], t["compiled"]) for t in record["targets"]},
                         {("abs_kernel", "sm_80", True), ("abs_kernel", "gfx942", True)})  # fmt: skip

    def test_the_same_seed_gives_the_same_inputs(self):
        worst = []
        for name in ("first", "second"):
            self.kbx("run", ROOT / "examples/abs/wrong_value.py", "--seed", "5", "--out", self.path / name)
            (record,) = self.records(self.path / name)
            worst.append([c["worst"] for c in record["cases"]])
        self.assertEqual(worst[0], worst[1])
        self.kbx("run", ROOT / "examples/abs/wrong_value.py", "--seed", "6", "--out", self.path / "third")
        (record,) = self.records(self.path / "third")
        self.assertNotEqual(worst[0], [c["worst"] for c in record["cases"]])

    def test_replay_judges_one_again_with_its_inputs(self):
        self.kbx("run", ROOT / "examples/abs/wrong_value.py", "--out", self.out)
        (record,) = self.records()
        inputs = self.out.parent / "inputs.json"
        self.assertIn("wrong_value", self.kbx("replay", self.out, record["id"], "--inputs", inputs).stdout)
        cases = json.loads(inputs.read_text(encoding="utf-8"))
        self.assertTrue({c["label"] for c in cases} <= {c["label"] for c in record["cases"]})
        self.assertGreater(len(cases), 5)
        self.assertTrue(all(c["results"] for c in cases))


class Inputs(RunTest):
    def test_a_bad_line_is_named_and_the_rest_is_judged(self):
        lines = line("abs", RIGHT_ABS) + "{not json\n" + line("abz", RIGHT_ABS) + line("abs", "")
        done = self.kbx("run", self.write("in.jsonl", lines), "--out", self.out, expect=3)
        self.assertIn("in.jsonl:2", done.stderr + done.stdout)
        self.assertIn("in.jsonl:3", done.stderr + done.stdout)
        self.assertEqual(sorted(r["verdict"] for r in self.records()), ["empty", "passed"])

    def test_wrong_usage(self):
        self.kbx("run", expect=2)
        self.kbx("run", self.path / "nowhere.jsonl", expect=2)
        self.kbx("run", ROOT / "examples", "--device", "abacus", expect=2)
        self.kbx("run", ROOT / "examples", "--oracle", "published", expect=2)

    def test_lines_on_standard_input_are_answered_as_they_come(self):
        child = subprocess.Popen(
            [KBX, "run", "-", "--json", "--out", str(self.out)],
            stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True,
        )  # fmt: skip
        try:
            for code, verdict in ((RIGHT_ABS, "passed"), ("def abs(", "syntax_error"), (RIGHT_ABS + "\n", "passed")):
                child.stdin.write(line("abs", code))
                child.stdin.flush()
                self.assertEqual(json.loads(child.stdout.readline())["verdict"], verdict)
            child.stdin.close()
            self.assertEqual(child.wait(60), 0)
        finally:
            child.kill()
            child.wait()
            child.stdout.close()


class Resume(RunTest):
    def submissions(self, count):
        return self.write("many.jsonl", "".join(line("abs", RIGHT_ABS + f"# {i}\n", sample=i) for i in range(count)))

    def start(self, path):
        return subprocess.Popen(
            [KBX, "run", str(path), "--out", str(self.out), "--seed", "7", "--jobs", "2"],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=self.path,
        )  # fmt: skip

    def wait_for_records(self, count):
        deadline = time.monotonic() + 120
        while time.monotonic() < deadline:
            results = self.out / "results.jsonl"
            if results.exists() and results.read_bytes().count(b"\n") >= count:
                return
            time.sleep(0.05)
        self.fail(f"no {count} records within two minutes")

    def test_a_killed_run_is_finished_by_resume(self):
        path = self.submissions(12)
        child = self.start(path)
        self.wait_for_records(3)
        child.kill()
        child.wait()
        self.kbx("run", path, "--out", self.out, expect=2)  # without --resume it belongs to another run
        before = len(self.records())
        with open(self.out / "results.jsonl", "a", encoding="utf-8") as file:
            file.write('{"task": "abs", "cut of')
        self.kbx("run", path, "--out", self.out, "--resume")
        records = self.records()
        self.assertGreaterEqual(before, 3)
        self.assertEqual(sorted(r["sample"] for r in records), list(range(12)))
        self.assertEqual({r["verdict"] for r in records}, {"passed"})

    def test_a_killed_judge_is_replaced_and_nothing_is_lost(self):
        child = self.start(self.submissions(10))
        self.wait_for_records(2)
        for pid in self.children(child.pid):
            os.kill(pid, signal.SIGKILL)
        self.assertEqual(child.wait(180), 0)
        records = self.records()
        self.assertEqual(sorted(r["sample"] for r in records), list(range(10)))
        self.assertEqual({r["verdict"] for r in records}, {"passed"})

    @staticmethod
    def children(pid):
        return [int(p) for p in pathlib.Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


class Hostile(RunTest):
    """Each file under hostile/ names the verdicts that it may get in the first line of its docstring."""

    def test_each_gets_its_verdict_and_harms_nobody(self):
        lines, expected = "", {}
        files = sorted((pathlib.Path(__file__).parent / "hostile").glob("*.py"))
        if os.geteuid() == 0:  # the kernel exempts root from the limit on processes, so this one would take the machine
            files = [f for f in files if f.name != "fork_bomb.py"]
        self.assertGreater(len(files), 8)
        for i, path in enumerate(files):
            code = path.read_text(encoding="utf-8")
            expected[i] = code.split('"""')[1].split("\n")[0].removeprefix("Expected: ").split(" or ")
            lines += line("abs", code, sample=i)
        lines += line("abs", RIGHT_ABS, sample=len(files))
        expected[len(files)] = ["passed"]
        self.kbx("run", self.write("hostile.jsonl", lines), "--out", self.out, "--timeout", "5")
        names = [f.name for f in files] + ["(right)"]
        for record in self.records():
            with self.subTest(names[record["sample"]]):
                self.assertIn(record["verdict"], expected[record["sample"]], record["reason"])
        self.assertEqual(len(self.records()), len(expected))


if __name__ == "__main__":
    unittest.main()
