# SPDX-License-Identifier: Apache-2.0
"""Functions of one element, and what is put together from them, with NumPy and SciPy."""

import math

import numpy as np
import scipy.special as special


def _into(out, result):
    if out is not None:
        out[...] = result
    return result


def _quiet(function, *arguments):
    with np.errstate(all="ignore"):
        return function(*arguments)


def _gelu(x, approximate="none"):
    if approximate == "tanh":
        inner = math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)
        return _quiet(lambda: np.where(x == -np.inf, 0, 0.5 * x * (1 + np.tanh(inner))))
    # the complement of the normal distribution, which does not cancel for negative x
    return _quiet(lambda: np.where(x == -np.inf, 0, x * 0.5 * special.erfc(-x / math.sqrt(2))))


def check_gelu(results, input, approximate="none"):
    """The reference adds one and erf, which cancels: its error is of the size of |x| times 1e-16, not of the answer."""
    wanted = _gelu(input, approximate)
    with np.errstate(invalid="ignore"):
        near = np.abs(results - wanted) <= 1e-10 * np.abs(wanted) + 1e-15 * np.abs(input)
    assert results.shape == input.shape, f"shape {results.shape}"
    assert np.all(near | (results == wanted) | (np.isnan(results) & np.isnan(wanted))), "an element that is off"


def check_gelu_bf16(results, input, approximate="none"):
    check_gelu(results, input, approximate)


def check_gelu_fp16(results, input, approximate="none"):
    check_gelu(results, input, approximate)


def leaky_relu(input, negative_slope=0.01, inplace=False):
    return _into(input if inplace else None, _quiet(lambda: np.where(input > 0, input, input * negative_slope)))


def relu(input, inplace=False):
    return _into(input if inplace else None, np.where(np.isnan(input), input, np.maximum(input, 0)))


def sigmoid(input, out=None):
    return _into(out, special.expit(input))


def tanh(input_tensor, out_tensor=None):
    return _into(out_tensor, np.tanh(input_tensor))


def abs(input_tensor, out=None):  # noqa: A001
    return _into(out, np.where(np.signbit(input_tensor), -input_tensor, input_tensor))


def add(input, other, alpha=1, out=None):
    return _into(out, _quiet(lambda: np.asarray(input) + np.asarray(alpha) * np.asarray(other)))


def cos(input_tensor):
    return _quiet(np.cos, input_tensor)


def digamma(input_tensor):
    x = np.asarray(input_tensor)
    pole = (x < 0) & (x == np.floor(x))
    zero = np.where(np.signbit(x), np.inf, -np.inf)
    return np.where(np.isneginf(x) | pole, np.nan, np.where(x == 0, zero, special.psi(np.where(pole | np.isneginf(x), 1, x))))


def erf(input_tensor):
    return special.erf(input_tensor)


def erfc_sqrt(input):
    return special.erfc(input), _quiet(np.sqrt, input)


def exp_sqrt(input, out=None):
    return _into(out, _quiet(lambda: np.sqrt(np.exp(input))))


def i0(input_tensor, out=None):
    return _into(out, special.i0(input_tensor))


def log(input, out=None):
    return _into(out, _quiet(np.log, input))


def log1p(input, out=None):
    return _into(out, _quiet(np.log1p, input))


def rad2deg_sqrt(input):
    return input * (180 / math.pi), _quiet(np.sqrt, input)


def reciprocal(input, out=None):
    return _into(out, _quiet(lambda: 1 / np.asarray(input, dtype=np.float64)))


def rsqrt(input, out=None):
    return _into(out, _quiet(lambda: 1 / np.sqrt(np.asarray(input, dtype=np.float64))))


def sqrt_exp(input, out=None):
    return _into(out, _quiet(lambda: np.exp(np.sqrt(input))))


def fused_cos_signbit(input):
    cosine = _quiet(np.cos, input)
    return cosine, np.signbit(cosine)


def fused_log_tanh(input, out=None):
    return _into(out, _quiet(lambda: np.tanh(np.log(input))))


def fused_mul_sub(input, other_mul, other_sub, alpha=1, out=None):
    return _into(out, _quiet(lambda: input * np.asarray(other_mul) - alpha * np.asarray(other_sub)))


def fused_sub_gelu(input, other, alpha=1, approximate="none", out=None):
    return _into(out, _quiet(lambda: _gelu(np.asarray(input) - alpha * np.asarray(other), approximate)))


def expand_where(input, target_sizes, cond, other):
    lead = len(target_sizes) - input.ndim
    shape = [input.shape[i - lead] if n == -1 else n for i, n in enumerate(target_sizes)]
    return np.where(cond, np.broadcast_to(input, shape), other)


def index_fill_(dim, x, index, value):
    for i in np.atleast_1d(index):
        np.moveaxis(x, dim, 0)[i] = value
    return x


def masked_select(input, mask):
    values, chosen = np.broadcast_arrays(input, mask)
    return np.array([v for v, m in zip(values.ravel(), chosen.ravel()) if m], dtype=values.dtype)


def fused_masked_select_add_gelu(input, mask, other, *, alpha=1, approximate="none", out=None):
    return _into(out, _gelu(masked_select(input, mask) + alpha * np.asarray(other), approximate))


def fused_gather_masked_fill(input, dim, index, mask, value, *, sparse_grad=False, out=None):
    result = np.empty(index.shape)
    for at in np.ndindex(*index.shape):
        source = list(at)
        source[dim] = index[at]
        result[at] = input[tuple(source)]
    return _into(out, np.where(mask, value, result))


def fused_embedding_add_tanh(input_indices, weight, other, *, padding_idx=None, max_norm=None, norm_type=2.0,
                             scale_grad_by_freq=False, sparse=False, out=None):  # fmt: skip
    if max_norm is not None:
        for row in set(np.asarray(input_indices).ravel().tolist()):
            norm = (np.abs(weight[row]) ** norm_type).sum() ** (1 / norm_type) if math.isfinite(norm_type) else np.abs(weight[row]).max()
            if norm > max_norm:
                weight[row] *= max_norm / (norm + 1e-7)
    return _into(out, np.tanh(weight[input_indices] + other))
