# SPDX-License-Identifier: Apache-2.0
"""Expected on the card: passed

Own uniform numbers: tl.rand4x interleaved for float32, two 32-bit words of
tl.randint4x joined to 53 bits for float64; the key is drawn from the generator. Right
as a distribution, not the eager stream number by number.
"""
import torch
import triton
import triton.language as tl


@triton.jit(do_not_specialize=["seed"])
def _uniform32(y_ptr, n, seed, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    counter = pid * BLOCK + tl.arange(0, BLOCK)
    a, b, c, d = tl.rand4x(seed, counter)
    u = tl.interleave(tl.interleave(a, c), tl.interleave(b, d))
    offs = pid.to(tl.int64) * (4 * BLOCK) + tl.arange(0, 4 * BLOCK)
    tl.store(y_ptr + offs, u, mask=offs < n)


@triton.jit(do_not_specialize=["seed"])
def _uniform64(y_ptr, n, seed, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    w0, w1, _, _ = tl.randint4x(seed, offs)
    high = (w0.to(tl.uint32) >> 5).to(tl.float64)
    low = (w1.to(tl.uint32) >> 6).to(tl.float64)
    u = (high * 67108864.0 + low) * 1.1102230246251565e-16
    tl.store(y_ptr + offs, u, mask=offs < n)


def rand(*size, generator=None, out=None, dtype=None, layout=torch.strided, device=None,
         requires_grad=False, pin_memory=False):
    shape = tuple(size[0]) if len(size) == 1 and isinstance(size[0], (tuple, list, torch.Size)) else size
    if out is not None:
        dtype, device = out.dtype, out.device
    dtype = dtype or torch.get_default_dtype()
    if device is None:
        device = generator.device if generator is not None else "cuda"
    where = generator.device if generator is not None else "cpu"
    seed = int(torch.randint(0, 2**31 - 1, (1,), generator=generator, device=where).item())
    work = torch.float64 if dtype == torch.float64 else torch.float32
    y = torch.empty(shape, dtype=work, device=device)
    n = y.numel()
    if n and work == torch.float64:
        _uniform64[(triton.cdiv(n, 256),)](y, n, seed, BLOCK=256)
    elif n:
        _uniform32[(triton.cdiv(n, 1024),)](y, n, seed, BLOCK=256)
    y = y.to(dtype)
    if out is not None:
        out.copy_(y)
        return out
    return y.requires_grad_(requires_grad)
