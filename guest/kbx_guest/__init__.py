# SPDX-License-Identifier: Apache-2.0
"""The guest of KernelBench-X: the process that runs a submission. It holds nothing worth reading or patching."""
