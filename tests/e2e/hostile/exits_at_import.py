# SPDX-License-Identifier: Apache-2.0
"""Expected: runtime_error
SystemExit while loading: an exception like any other."""
import sys

sys.exit(0)
