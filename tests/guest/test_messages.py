# SPDX-License-Identifier: Apache-2.0
"""The frame types that Python speaks are those of the C++ header."""

import pathlib
import re
import unittest

from kbx_guest import messages

HEADER = pathlib.Path(__file__).resolve().parents[2] / "src/kbx/wire/message.h"


class Messages(unittest.TestCase):
    def test_every_number_is_the_headers(self):
        text = HEADER.read_text(encoding="utf-8").split("enum class Type")[1].split("};")[0]
        ours = {name.upper(): int(number) for name, number in re.findall(r"\bk(\w+) = (\d+)", text)}
        theirs = {name: value for name, value in vars(messages).items() if name.isupper()}
        self.assertGreater(len(theirs), 10)
        for name, value in theirs.items():
            self.assertEqual(ours.get(name), value, name)


if __name__ == "__main__":
    unittest.main()
