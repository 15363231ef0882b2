# SPDX-License-Identifier: Apache-2.0
"""`torch.cuda` and its kin, answering for the declared card.

What needs the device itself (graphs, memory pools, the CUDA runtime) raises `UnsupportedOnCpu` rather than a complaint
about a missing driver, which would be blamed on the submission.
"""

import contextlib
import types

import torch
import triton.testing

from . import cuda_streams, places, torch_hooks

BENCHMARK_MS = 1.0


def benchmark(function, quantiles=None, return_mode="mean", **_):
    """`triton.testing.do_bench`, and what an autotuner uses: one run, so that faults show, and always the same time."""
    function()
    if quantiles is not None:
        return BENCHMARK_MS if len(quantiles) == 1 else [BENCHMARK_MS] * len(quantiles)
    return [BENCHMARK_MS] if return_mode == "all" else BENCHMARK_MS


def install(target, refuse) -> None:
    """`refuse(reason)` raises `UnsupportedOnCpu` and tells the observer."""
    _answer(torch.cuda, _queries(target) | _memory(target) | _streams())
    _answer(torch.accelerator, _accelerator(target))
    _answer(
        torch.cuda.nvtx,
        {name: _nothing for name in ("mark", "range_push", "range_pop", "range_start", "range_end")}
        | {"range": _null_context},
    )
    _refuse_the_rest(refuse)
    torch.cuda.default_generators = (torch_hooks.install(),)
    torch.version.cuda = torch.version.cuda or "13.0"
    torch.backends.cuda.is_built = lambda: True
    torch.backends.cudnn.is_available = lambda: True
    triton.testing.do_bench = triton.testing.do_bench_cudagraph = benchmark


def _answer(module, answers):
    for name, answer in answers.items():
        setattr(module, name, answer)


def _nothing(*_, **__):
    return None


@contextlib.contextmanager
def _null_context(*_, **__):
    yield


def _constant(value):
    return lambda *_, **__: value


class device(contextlib.ContextDecorator):
    """`torch.cuda.device`: there is one card, so being on it changes nothing; any other is refused."""

    def __init__(self, device):
        if isinstance(device, int) and device < 0:
            device = None
        if device is not None:
            places.is_card(device)
        self.idx, self.prev_idx = 0, -1

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return False


class device_of(device):
    def __init__(self, obj):
        super().__init__(None)


def _queries(target):
    properties = _properties(target)

    def get_device_properties(device=None):
        try:
            places.is_card(device)
        except torch.AcceleratorError:
            raise AssertionError("Invalid device id") from None  # torch's own words for this call
        return properties

    return {
        "is_available": _constant(True),
        "is_initialized": _constant(True),
        "init": _nothing,
        "_lazy_init": _nothing,
        "_is_in_bad_fork": _constant(False),
        "device_count": _constant(1),
        "current_device": _constant(0),
        "set_device": lambda device: None if device is None else places.is_card(device) and None,
        "device": device,
        "device_of": device_of,
        "synchronize": _nothing,
        "ipc_collect": _nothing,
        "get_device_capability": _constant(target.capability),
        "get_device_name": _constant(target.card),
        "get_device_properties": get_device_properties,
        "get_arch_list": _constant([target.name]),
        "get_gencode_flags": _constant(f"-gencode compute={target.name}"),
        "can_device_access_peer": _constant(False),
        "is_bf16_supported": _constant(target.capability >= (8, 0)),
        "has_half": True,
        "is_tf32_supported": _constant(target.capability >= (8, 0)),
        "utilization": _constant(0),
        "clock_rate": _constant(target.clock_khz // 1000),
        "temperature": _constant(40),
        "power_draw": _constant(100000),
        "get_sync_debug_mode": _constant(0),
        "set_sync_debug_mode": _nothing,
        "current_blas_handle": _constant(1),
        "manual_seed": _seed,
        "manual_seed_all": _seed,
        "seed": torch.seed,
        "seed_all": torch.seed,
        "initial_seed": torch.initial_seed,
        "get_rng_state": lambda device="cuda": torch.default_generator.get_state(),
        "get_rng_state_all": lambda: [torch.default_generator.get_state()],
        "set_rng_state": lambda state, device="cuda": torch.default_generator.set_state(state),
        "set_rng_state_all": lambda states: torch.default_generator.set_state(states[0]),
        "_sleep": _nothing,
    }


def _seed(seed):
    # Random numbers of the card come from the host's generator here: repeatable, but not the card's numbers.
    torch.default_generator.manual_seed(int(seed))


def _properties(target):
    major, minor = target.capability
    return types.SimpleNamespace(
        name=target.card,
        major=major,
        minor=minor,
        total_memory=target.total_memory_bytes,
        multi_processor_count=target.multiprocessors,
        warp_size=target.warp_size,
        is_integrated=0,
        is_multi_gpu_board=0,
        max_threads_per_block=1024,
        max_threads_per_multi_processor=target.threads_per_multiprocessor,
        regs_per_multiprocessor=65536,
        shared_memory_per_block=48 * 1024,
        shared_memory_per_block_optin=target.shared_bytes_per_block,
        shared_memory_per_multiprocessor=target.shared_bytes_per_multiprocessor,
        L2_cache_size=target.l2_bytes,
        clock_rate=target.clock_khz,
        memory_clock_rate=target.memory_clock_khz,
        memory_bus_width=target.memory_bus_bits,
        gcnArchName=target.card,
        pci_bus_id=0,
        pci_device_id=0,
        pci_domain_id=0,
    )


def _allocated(*_, **__):
    return sum(s.nbytes() for s in places.live_storages() if s._kbx_place is places.CARD)


def _memory(target):
    zero = ("host_memory_stats", "memory_stats", "memory_stats_as_nested_dict", "host_memory_stats_as_nested_dict")
    used = (
        "memory_allocated",
        "max_memory_allocated",
        "memory_reserved",
        "max_memory_reserved",
        "memory_cached",
        "max_memory_cached",
        "device_memory_used",
    )
    silent = (
        "empty_cache",
        "reset_peak_memory_stats",
        "reset_max_memory_allocated",
        "reset_max_memory_cached",
        "reset_accumulated_memory_stats",
        "reset_peak_host_memory_stats",
        "reset_accumulated_host_memory_stats",
        "set_per_process_memory_fraction",
    )
    total = target.total_memory_bytes
    return (
        {name: (lambda *_, **__: {}) for name in zero}
        | {name: _allocated for name in used}
        | {name: _nothing for name in silent}
        | {
            "mem_get_info": lambda device=None: (total - _allocated(), total),
            "memory_summary": _constant(""),
            "memory_snapshot": _constant([]),
            "memory_usage": _constant(0),
            "get_allocator_backend": _constant("native"),
            "get_per_process_memory_fraction": _constant(1.0),
            "list_gpu_processes": _constant(""),
        }
    )


def _streams():
    state = cuda_streams.state
    return {
        "Stream": cuda_streams.Stream,
        "Event": cuda_streams.Event,
        "ExternalStream": cuda_streams.ExternalStream,
        "StreamContext": cuda_streams.stream_context,
        "stream": cuda_streams.stream_context,
        "set_stream": cuda_streams.set_stream,
        "current_stream": lambda device=None: state.current,
        "default_stream": lambda device=None: state.default,
        "is_current_stream_capturing": _constant(False),
        "get_stream_from_external": lambda pointer, device=None: cuda_streams.ExternalStream(pointer),
    }


def _accelerator(target):
    return {
        "is_available": _constant(True),
        "device_count": _constant(1),
        "synchronize": _nothing,
        "current_accelerator": lambda check_available=False: torch.device("cuda"),
        "empty_cache": _nothing,
        "current_device_index": _constant(0),
        "current_device_idx": _constant(0),
        "set_device_index": _nothing,
        "set_device_idx": _nothing,
        "current_stream": lambda device=None: cuda_streams.state.current,
        "set_stream": cuda_streams.set_stream,
        "memory_allocated": _allocated,
        "max_memory_allocated": _allocated,
        "memory_reserved": _allocated,
        "max_memory_reserved": _allocated,
        "memory_stats": lambda device=None: {},
        "reset_peak_memory_stats": _nothing,
        "reset_accumulated_memory_stats": _nothing,
        "get_device_capability": _constant(target.capability),
        "get_memory_info": lambda device=None: (target.total_memory_bytes - _allocated(), target.total_memory_bytes),
    }


def _refuse_the_rest(refuse):
    """Graphs, memory pools, the CUDA runtime itself."""

    def refusing(name):

        def refused(*_, **__):
            refuse(f"torch.cuda.{name}")

        return refused

    for name in (
        "CUDAGraph",
        "graph",
        "make_graphed_callables",
        "graph_pool_handle",
        "CUDAPluggableAllocator",
        "MemPool",
        "use_mem_pool",
        "caching_allocator_alloc",
        "caching_allocator_delete",
        "cudart",
        "change_current_allocator",
        "GreenContext",
    ):
        setattr(torch.cuda, name, refusing(name))
    for name in ("_create_jit_fn", "_create_multi_output_jit_fn"):
        if hasattr(torch.cuda.jiterator, name):
            setattr(torch.cuda.jiterator, name, refusing(f"jiterator.{name}"))
