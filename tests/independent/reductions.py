# SPDX-License-Identifier: Apache-2.0
"""Reductions, norms, losses, optimisers and draws with NumPy."""

import math

import numpy as np
import scipy.special as special
import scipy.stats as stats

# The reference's GELU adds one and erf, which cancels: its error is of the size of |x| times 1e-16.
TOLERANCES = {"fused_gelu_std": 1e-8, "fused_gelu_min": 1e-8}


def _into(out, result):
    if out is not None:
        out[...] = result
    return result


def _axes(x, dim):
    if dim is None or (isinstance(dim, (tuple, list)) and not dim):
        return tuple(range(np.ndim(x)))
    return tuple(d % np.ndim(x) if np.ndim(x) else 0 for d in (dim if isinstance(dim, (tuple, list)) else (dim,)))


def _gelu(x, approximate):
    if approximate == "tanh":
        return x / 2 * (1 + np.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * x**3)))
    return x / 2 * special.erfc(-x / math.sqrt(2))


def _mean(x, dim, keepdim):
    axes = _axes(x, dim) if np.ndim(x) else None
    with np.errstate(all="ignore"):
        count = math.prod(x.shape[a] for a in axes) if axes else 1
        return np.divide(np.sum(x, axis=axes, keepdims=keepdim), count)


def mean(input_tensor, dim, keepdim=False, dtype=None, out=None):
    return _into(out, _mean(input_tensor, dim, keepdim))


def sum(input, dim, keepdim=False, dtype=None):  # noqa: A001
    with np.errstate(invalid="ignore"):
        return np.add.reduce(input, axis=_axes(input, dim) if np.ndim(input) else None, keepdims=keepdim)


def _std(x, dim, correction, keepdim):
    axes = _axes(x, dim)
    count = math.prod(x.shape[a] for a in axes)
    with np.errstate(all="ignore"):
        deviations = x - np.mean(x, axis=axes, keepdims=True)
        squares = np.sum(deviations**2, axis=axes, keepdims=keepdim)
        return np.sqrt(np.divide(squares, np.maximum(0.0, count - correction)))


def std(input, dim=None, correction=1, keepdim=False, out=None):
    return _into(out, _std(input, dim, correction, keepdim))


def fused_gelu_std(input, dim=None, keepdim=False, correction=1, approximate="none", out=None):
    return _into(out, _std(_gelu(input, approximate), dim, correction, keepdim))


def fused_exp_mean(input, dim=None, keepdim=False, dtype=None, out=None):
    with np.errstate(all="ignore"):
        return _into(out, _mean(np.exp(input), dim, keepdim))


def fused_add_mean(input, other, dim=None, alpha=1, keepdim=False, dtype=None, out=None):
    return _into(out, _mean(np.asarray(input + alpha * np.asarray(other)), dim, keepdim))


def _near(a, b, slack):
    with np.errstate(invalid="ignore"):
        return np.all((a == b) | (np.abs(a - b) <= slack))


def _check_extremum(values, indices, x, dim, keepdim, reduce, slack=0.0):
    wanted = reduce(x, axis=dim, keepdims=True)
    at = indices if keepdim or x.ndim == 0 else np.expand_dims(indices, dim)
    if x.ndim == 0:
        assert values is None or values == x, "not the only element"
        return
    assert at.shape == wanted.shape, f"indices of shape {at.shape}, not {wanted.shape}"
    assert np.all((at >= 0) & (at < x.shape[dim])), "an index out of range"
    taken = np.take_along_axis(x, at, axis=dim)
    assert _near(taken, wanted, slack), "an index of an element that is not the extreme one"
    if values is not None:
        given = values if keepdim else np.expand_dims(values, dim)
        assert _near(given, wanted, slack), "a value that is not the extreme one"


def check_argmax(results, input_tensor, dim, keepdim=False):
    if dim is None:
        assert input_tensor.ravel()[int(results)] == input_tensor.max(), "not the largest"
        return
    _check_extremum(None, results, input_tensor, dim, keepdim, np.max)


def check_min(results, input_tensor, dim, keepdim=False):
    _check_extremum(*results, input_tensor, dim, keepdim, np.min)


def check_fused_gelu_min(results, input, approximate="none", dim=None, keepdim=False, out=None):
    gelu = _gelu(input, approximate)
    if dim is None:
        assert np.abs(results - gelu.min()) <= 1e-15, f"{results}, not {gelu.min()}"
        return
    values, indices = results if isinstance(results, tuple) else results[0]
    _check_extremum(values, indices, gelu, dim, keepdim, np.min, slack=1e-15)


def _log_softmax(x, dim):
    shifted = x - np.max(x, axis=dim, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis=dim, keepdims=True))


def softmax(input, dim, dtype=None):
    with np.errstate(all="ignore"):
        return np.exp(_log_softmax(input, dim)) if input.size else input


def fused_softmax_log(input, dim=-1, dtype=None):
    with np.errstate(all="ignore"):
        return special.softmax(np.log(input), axis=dim) if input.size else input


def _reduced(losses, reduction):
    with np.errstate(all="ignore"):
        if reduction == "batchmean":
            return np.divide(losses.sum(), losses.shape[0])
        return {"none": lambda: losses, "sum": losses.sum, "mean": lambda: np.divide(losses.sum(), losses.size)}[reduction]()


def kl_div(input, target, reduction="batchmean", log_target=False):
    with np.errstate(all="ignore"):
        terms = np.exp(target) * (target - input) if log_target else special.xlogy(target, target) - target * input
    return _reduced(terms, reduction)


def mse_loss(input, target, reduction="mean"):
    return _reduced((input - target) ** 2, reduction)


def smooth_l1_loss(input, target, beta=1.0, reduction="mean"):
    off = np.abs(input - target)
    return _reduced(np.where(off < beta, off**2 / (2 * beta if beta else 1), off - beta / 2), reduction)


def batch_norm(input, running_mean, running_var, weight=None, bias=None, training=False, momentum=0.1, eps=1e-05):
    axes = (0, *range(2, input.ndim))
    each = (1, -1) + (1,) * (input.ndim - 2)
    m, v = running_mean, running_var
    if training:
        count = input.size // input.shape[1]
        m, v = input.mean(axis=axes), input.var(axis=axes)
        if running_mean is not None:
            running_mean[...] = (1 - momentum) * running_mean + momentum * m
            running_var[...] = (1 - momentum) * running_var + momentum * v * count / (count - 1)
    y = (input - m.reshape(each)) / np.sqrt(v.reshape(each) + eps)
    y = y if weight is None else y * weight.reshape(each)
    return y if bias is None else y + bias.reshape(each)


def Adam(params, grads, lr=0.001, betas=(0.9, 0.999), eps=1e-08, weight_decay=0):
    states = [[np.zeros_like(p), np.zeros_like(p), 0] for p in params]
    for step in grads:
        for p, grad, state in zip(params, step, states):
            if grad is None:
                continue
            m, v, t = state
            g = grad + weight_decay * p
            state[:] = m, v, t = betas[0] * m + (1 - betas[0]) * g, betas[1] * v + (1 - betas[1]) * g * g, t + 1
            p -= lr / (1 - betas[0] ** t) * m / (np.sqrt(v) / math.sqrt(1 - betas[1] ** t) + eps)
    return np.concatenate([p.ravel() for p in params])


def AdamW(param, grad, exp_avg, exp_avg_sq, step, lr=0.001, beta1=0.9, beta2=0.999, eps=1e-08, weight_decay=0.01):
    param *= 1 - lr * weight_decay
    exp_avg += (1 - beta1) * (grad - exp_avg)
    exp_avg_sq += (1 - beta2) * (grad**2 - exp_avg_sq)
    corrected = exp_avg_sq / (1 - beta2**step)
    param -= lr * (exp_avg / (1 - beta1**step)) / (np.sqrt(corrected) + eps)
    return param, exp_avg, exp_avg_sq


def Lion(param, grad, exp_avg, lr=0.0001, beta1=0.9, beta2=0.99, weight_decay=0.0):
    update = np.sign(beta1 * exp_avg + (1 - beta1) * grad)
    param -= lr * weight_decay * param + lr * update
    exp_avg += (1 - beta2) * (grad - exp_avg)
    return param, exp_avg


def RMSProp(param, grad, square_avg, lr=0.01, alpha=0.99, eps=1e-08, weight_decay=0.0):
    g = grad + weight_decay * param
    square_avg += (1 - alpha) * (g**2 - square_avg)
    param -= lr * g / (np.sqrt(square_avg) + eps)
    return param, square_avg


def SGD(param, grad, momentum_buffer=None, lr=0.1, momentum=0.9, weight_decay=0.0, dampening=0.0, nesterov=False):
    g = grad + weight_decay * param
    step = g
    if momentum:
        momentum_buffer = np.zeros_like(param) if momentum_buffer is None else momentum_buffer
        momentum_buffer[...] = momentum * momentum_buffer + (1 - dampening) * g
        step = g + momentum * momentum_buffer if nesterov else momentum_buffer
    param -= lr * step
    return param, momentum_buffer


def logspace(start, end, steps, base=10.0, **_):
    apart = (end - start) / (steps - 1) if steps > 1 else 0
    return np.array([base ** (start + i * apart) for i in range(steps)])


def check_rand(results, size, out=None, **_):
    assert results.shape == tuple(size), f"shape {results.shape}"
    assert np.all((results >= 0) & (results < 1)), "a number outside [0, 1)"
    if results.size >= 1000:
        assert stats.kstest(results.ravel(), "uniform").pvalue > 1e-6, "not uniform"


def check_fused_hardshrink_dropout(results, input, p=0.5, training=True, inplace=False, lambd=0.5):
    p = p if training else 0
    dropped = input / (1 - p) if p < 1 else input * 0
    _check_dropout(results, np.where(np.abs(dropped) > lambd, dropped, 0) * (1 - p), p)


def _check_dropout(results, kept, p):
    if p == 0:
        assert np.allclose(results, kept, rtol=1e-12, atol=1e-15), "changed although nothing is dropped"
        return
    assert p < 1 or np.all(results == 0), "something is left of p = 1"
    scaled = kept / (1 - p) if p < 1 else kept * 0
    near = np.abs(results - scaled) <= 1e-9 * np.abs(scaled) + 1e-14  # where GELU cancels
    assert np.all((results == 0) | near), "an element neither zero nor scaled"
    told = kept != 0
    if told.sum() >= 1000:
        share = (results[told] == 0).mean()
        assert abs(share - p) < 6 * math.sqrt(p * (1 - p) / told.sum()) + 1e-9, f"{share} dropped, not {p}"


def check_fused_dropout_sigmoid_linear(results, input, weight, bias=None, p=0.5, training=True, inplace=False):
    z = input @ weight.T + (0 if bias is None else bias)
    _check_dropout(results, special.expit(z), p if training else 0)


def check_fused_bmm_rmsnorm_gelu_dropout(results, input1, input2, normalized_shape, dropout_p=0.1, eps=1e-05, training=True,
                                         approximate="none", out=None):  # fmt: skip
    z = np.einsum("bmk,bkn->bmn", input1, input2)
    if z.size:
        _check_dropout(results, _gelu(z / np.sqrt((z**2).mean(axis=-1, keepdims=True) + eps), approximate), dropout_p if training else 0)
