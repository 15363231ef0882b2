# SPDX-License-Identifier: Apache-2.0
"""Expected: tampered
Writes a well-formed frame, with a nonce that it has to guess."""
import os
import struct


def abs(x, out=None):
    body = b"\xa1\x66result\xf6"
    os.write(3, struct.pack("<IHHQII", 0x3178626B, 1, 53, 0, len(body), 0) + body)
    return x
