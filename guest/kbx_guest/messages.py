# SPDX-License-Identifier: Apache-2.0
"""The frame types that zygote and guest speak; src/kbx/wire/message.h holds the same numbers, a test compares them."""

FORK = 20
END = 21
FORKED = 30
ENDED = 31
LOAD = 40
MAP = 41
CALL = 42
TAKE = 43
HELLO = 50
LOADED = 51
PHASE = 52
DONE = 53
REFUSED = 54
TAKEN = 55
