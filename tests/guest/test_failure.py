# SPDX-License-Identifier: Apache-2.0
"""How a submission's exception is named."""

import unittest

import torch
import triton

from kbx_guest import failure


def raised(action):
    try:
        action()
    except BaseException as exception:  # noqa: BLE001
        return exception
    raise AssertionError("nothing was raised")


class Verdicts(unittest.TestCase):
    def verdict(self, action, loading=False):
        return failure.describe(raised(action), "submission.py", loading)["verdict"]

    def test_names(self):
        def fails(exception):
            def action():
                raise exception

            return action

        self.assertEqual(self.verdict(lambda: compile("def (", "submission.py", "exec"), loading=True), "syntax_error")
        self.assertEqual(self.verdict(lambda: exec("import no_such_module")), "import_error")
        self.assertEqual(self.verdict(fails(MemoryError())), "out_of_memory")
        self.assertEqual(self.verdict(fails(torch.OutOfMemoryError("CUDA out of memory"))), "out_of_memory")
        self.assertEqual(self.verdict(fails(triton.OutOfResources(1 << 20, 1 << 10, "shared memory"))), "compile_error")
        self.assertEqual(self.verdict(fails(RuntimeError("CUDA error: an illegal memory access was met"))), "device_fault")
        self.assertEqual(self.verdict(fails(SystemExit(0))), "runtime_error")
        self.assertEqual(self.verdict(fails(SyntaxError("from eval"))), "runtime_error")

    def test_an_exception_without_a_text_is_described_all_the_same(self):
        class Mute(Exception):
            def __str__(self):
                raise ValueError

        def action():
            raise Mute

        self.assertIn("could not be made", failure.describe(raised(action), "submission.py", False)["message"])

    def test_only_the_submissions_own_frames_are_shown(self):
        scope = {}
        exec(compile("def f():\n    return 1 / 0\n", "submission.py", "exec"), scope)
        shown = failure.describe(raised(scope["f"]), "submission.py", False)["traceback"]
        self.assertIn("line 2, in f", shown)
        self.assertNotIn("raised", shown)


if __name__ == "__main__":
    unittest.main()
