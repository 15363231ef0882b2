# SPDX-License-Identifier: Apache-2.0
"""torch.cuda and what is near it answers for the declared card."""

import unittest

import torch
import triton
import triton.language as tl
import triton.testing
from support import emulated, install, only_emulated


@triton.jit
def nothing(x):
    tl.store(x, 0.0)


class CudaApiTest(unittest.TestCase):
    def setUp(self):
        self.watch = install()

    def test_queries(self):
        cuda = torch.cuda
        self.assertTrue(cuda.is_available() and cuda.is_initialized() and cuda.is_bf16_supported())
        self.assertEqual(
            (1, 0, (9, 0), "NVIDIA H200"),
            (cuda.device_count(), cuda.current_device(), cuda.get_device_capability(), cuda.get_device_name(0)),
        )
        properties = cuda.get_device_properties("cuda")
        self.assertEqual(
            (132, 232448, 233472, 9, 32),
            (
                properties.multi_processor_count,
                properties.shared_memory_per_block_optin,
                properties.shared_memory_per_multiprocessor,
                properties.major,
                properties.warp_size,
            ),
        )
        with self.assertRaisesRegex(AssertionError, "Invalid device id"):
            cuda.get_device_properties(1)
        for quiet in (cuda.synchronize, cuda.empty_cache, cuda.init, cuda.reset_peak_memory_stats, cuda.ipc_collect):
            quiet()
        cuda.set_device(0)
        with self.assertRaises(torch.AcceleratorError):
            cuda.set_device(2)
        self.assertEqual("cuda", torch.accelerator.current_accelerator().type)
        self.assertTrue(torch.backends.cuda.is_built() and torch.backends.cudnn.is_available())
        self.assertTrue(torch.version.cuda)

    @only_emulated
    def test_memory_counts_what_is_placed(self):
        before = torch.cuda.memory_allocated()
        kept = torch.zeros(1 << 20, device="cuda")
        self.assertEqual(4 << 20, torch.cuda.memory_allocated() - before)
        free, total = torch.cuda.mem_get_info()
        self.assertEqual(total - torch.cuda.memory_allocated(), free)
        self.assertEqual(150109880320, total)
        del kept
        self.assertEqual(before, torch.cuda.memory_allocated())

    @only_emulated
    def test_streams_and_events(self):
        default = torch.cuda.current_stream()
        self.assertEqual(0, default.cuda_stream)
        stream = torch.cuda.Stream()
        with torch.cuda.stream(stream):
            self.assertEqual(stream, torch.cuda.current_stream())
            torch.ones(1, device="cuda").record_stream(stream)
        self.assertEqual(default, torch.cuda.current_stream())
        stream.wait_stream(default)
        stream.synchronize()
        start, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        with self.assertRaisesRegex(ValueError, "Both events must be recorded before calculating elapsed time."):
            start.elapsed_time(end)
        start.record()
        end.record(stream)
        end.synchronize()
        self.assertEqual(1.0, start.elapsed_time(end))
        self.assertTrue(end.query())

    def test_device_contexts(self):
        x = torch.ones(1, device="cuda")
        for context in (
            torch.cuda.device(0),
            torch.cuda.device(x.device),
            torch.cuda.device("cuda"),
            torch.cuda.device_of(x),
            torch.cuda.device(-1),
        ):
            with context:
                self.assertEqual(0, torch.cuda.current_device())
        with self.assertRaises(torch.AcceleratorError), torch.cuda.device(1):
            pass

    def test_seeds_repeat(self):
        torch.cuda.manual_seed(5)
        first = torch.rand(4, device="cuda")
        state = torch.cuda.get_rng_state()
        then = torch.rand(4, device="cuda")
        torch.cuda.manual_seed_all(5)
        self.assertTrue(torch.equal(first, torch.rand(4, device="cuda")))
        torch.cuda.set_rng_state(state)
        self.assertTrue(torch.equal(then, torch.rand(4, device="cuda")))

    def test_autocast(self):
        x, y = torch.rand(4, 4, device="cuda"), torch.rand(4, 4, device="cuda")
        for context, dtype in (
            (torch.autocast("cuda"), torch.float16),
            (torch.cuda.amp.autocast(), torch.float16),
            (torch.autocast("cuda", dtype=torch.bfloat16), torch.bfloat16),
            (torch.autocast("cuda", enabled=False), torch.float32),
        ):
            with context:
                product = x @ y
                self.assertEqual(dtype != torch.float32, torch.is_autocast_enabled("cuda"))
            self.assertEqual((dtype, True), (product.dtype, product.is_cuda))
        self.assertFalse(torch.is_autocast_enabled("cuda"))
        self.assertEqual(torch.float16, torch.get_autocast_dtype("cuda"))

        class Half(torch.autograd.Function):
            @staticmethod
            @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float16)
            def forward(ctx, x):
                return x * 2

        with torch.autocast("cuda"):
            self.assertEqual(torch.float16, Half.apply(x).dtype)

    def test_gradient_scaler(self):
        parameter = torch.nn.Parameter(torch.ones(2, device="cuda"))
        optimizer = torch.optim.SGD([parameter], lr=0.1)
        scaler = torch.amp.GradScaler("cuda")
        scaler.scale(parameter.sum()).backward()
        scaler.step(optimizer)
        scaler.update()
        self.assertTrue(torch.allclose(parameter.cpu(), torch.full((2,), 0.9)))

    def test_switches_can_be_set(self):
        matmul = torch.backends.cuda.matmul
        before = matmul.allow_tf32
        matmul.allow_tf32 = True
        self.assertTrue(matmul.allow_tf32)
        matmul.allow_tf32 = before
        torch.backends.cudnn.benchmark = torch.backends.cudnn.benchmark
        torch.set_float32_matmul_precision("highest")

    def test_triton_s_questions(self):
        driver = triton.runtime.driver.active
        self.assertEqual(torch.device("cuda", 0), driver.get_active_torch_device())
        self.assertEqual(
            ("cuda", 90, 32),
            (
                driver.get_current_target().backend,
                driver.get_current_target().arch,
                driver.get_current_target().warp_size,
            ),
        )
        properties = driver.utils.get_device_properties(0)
        self.assertEqual((232448, 132), (properties["max_shared_mem"], properties["multiprocessor_count"]))
        self.assertIs(torch.cuda, driver.get_device_interface())
        self.assertEqual(4, triton.cdiv(10, 3))
        self.assertEqual("int32_t", driver.map_python_to_cpp_type("i32"))

    @only_emulated
    def test_benchmarks_run_once_and_answer_a_constant(self):
        x, runs = torch.zeros(1, device="cuda"), []

        def run():
            runs.append(1)
            nothing[(1,)](x)

        self.assertEqual(1.0, triton.testing.do_bench(run))
        self.assertEqual([1.0, 1.0, 1.0], triton.testing.do_bench(run, quantiles=[0.5, 0.2, 0.8]))
        self.assertEqual(1.0, triton.testing.do_bench_cudagraph(run))
        self.assertEqual(3, len(runs))

    def test_compiled_functions_run_as_written(self):
        double = torch.compile(lambda x: x * 2)
        self.assertTrue(double(torch.ones(2, device="cuda")).is_cuda)

        @torch.compile(mode="max-autotune")
        def triple(x):
            return x * 3

        self.assertEqual(3.0, triple(torch.ones(1, device="cuda")).item())

    def test_legacy_types(self):
        made = torch.cuda.FloatTensor([1, 2])
        self.assertEqual((torch.float32, True, [1.0, 2.0]), (made.dtype, made.is_cuda, made.tolist()))
        self.assertEqual((2, 3), torch.cuda.IntTensor(2, 3).shape)
        self.assertIsInstance(made, torch.cuda.FloatTensor)
        self.assertNotIsInstance(torch.ones(1), torch.cuda.FloatTensor)

    @only_emulated
    def test_what_is_missing_is_said_so(self):
        for function in (torch.cuda.CUDAGraph, lambda: torch.cuda.graph(None), torch.cuda.cudart):
            with self.assertRaises(emulated.UnsupportedOnCpu):
                function()
        with self.assertRaisesRegex(emulated.UnsupportedOnCpu, "LU without pivoting"):
            torch.linalg.lu_factor(torch.eye(2, device="cuda"), pivot=False)
        with self.assertRaisesRegex(RuntimeError, "LU without pivoting"):
            torch.linalg.lu_factor(torch.eye(2), pivot=False)
        self.assertEqual(4, len(self.watch.reasons))


if __name__ == "__main__":
    unittest.main()
