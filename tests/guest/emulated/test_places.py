# SPDX-License-Identifier: Apache-2.0
"""Tensors behave as on a card: where they are, what may be mixed, and what torch says when not. The error texts are
those of torch 2.11 on an H200."""

import copy
import gc
import threading
import timeit
import unittest

import numpy as np
import torch
from support import emulated, install, only_emulated

CUDA = torch.device("cuda", 0)
ELEMENTWISE = "Expected all tensors to be on the same device, but found at least two devices, cuda:0 and cpu!"


class PlacesTest(unittest.TestCase):
    def setUp(self):
        install()
        self.card, self.host = torch.ones(4, 4, device="cuda"), torch.ones(4, 4)

    def assert_refused(self, text, function, error=RuntimeError):
        with self.assertRaises(error) as caught:
            function()
        self.assertEqual(text, str(caught.exception))

    def test_factories_place_results_where_they_are_told(self):
        for made in (
            torch.zeros(3, device="cuda"),
            torch.rand(3, device="cuda:0"),
            torch.empty(3, device=CUDA),
            torch.arange(3, device=0),
            torch.tensor(5.0, device="cuda"),
            torch.full((2,), 1, device="cuda"),
            torch.randn(2, device="cuda"),
            torch.empty_strided((2,), (1,), device="cuda"),
            torch.eye(2, device="cuda"),
            torch.linspace(0, 1, 3, device="cuda"),
            torch.zeros_like(self.host, device="cuda"),
            self.host.new_zeros(2, device="cuda"),
            torch.as_tensor([1], device="cuda"),
            torch.as_tensor(np.ones(2), device="cuda"),
        ):
            self.assertEqual(CUDA, made.device)
            self.assertTrue(made.is_cuda)
            self.assertFalse(made.is_cpu)
            self.assertEqual(0, made.get_device())
        self.assertEqual("cpu", torch.zeros(3).device.type)
        self.assertEqual(-1, self.host.get_device())
        self.assertTrue(self.host.is_cpu)

    def test_results_follow_their_inputs(self):
        card = self.card
        parts = [
            card + 1,
            card @ card,
            card.sum(),
            card[0],
            card[0, 0],
            card[:, None],
            card.T,
            card.view(16),
            card > 0,
            card.to(torch.float16),
            torch.zeros_like(card),
            card.new_empty(3),
            torch.cat([card, card]),
            torch.nn.functional.softmax(card, -1),
            card.detach(),
            card.data,
            card.clone(),
            card.contiguous(),
            card.expand(2, 4, 4),
            card.add_(1),
            card + torch.tensor(1.0),
            card[torch.tensor([0])],
            torch.where(card > 0, card, 0.0),
            card.half().float(),
            torch.tensor(card[0, 0]),
        ]
        parts += [*card.max(dim=1), *torch.unbind(card), *card.split(2), *torch.linalg.svd(card)]
        for part in parts:
            self.assertEqual(CUDA, part.device)

    def test_moving_copies_and_staying_does_not(self):
        moved = self.host.to("cuda")
        moved += 1
        self.assertEqual(1.0, self.host[0, 0].item())
        self.assertEqual("cpu", self.host.device.type)
        back = moved.cpu()
        back += 1
        self.assertEqual(2.0, moved[0, 0].item())
        self.assertIs(moved, moved.cuda())
        self.assertIs(moved, moved.to("cuda"))
        self.assertIs(self.host, self.host.cpu())
        self.assertEqual((CUDA, torch.float64), (self.host.to("cuda", torch.float64).device, torch.float64))
        self.assertEqual(torch.float16, self.host.to(device="cuda", dtype=torch.float16).dtype)
        self.assertEqual(CUDA, self.host.to(self.card).device)
        self.assertEqual("cpu", self.card.to(self.host).device.type)
        self.assertEqual(CUDA, self.card.to(torch.float64, False, True).device)
        self.assertEqual(CUDA, self.host.to("cuda", non_blocking=True).device)
        self.assertEqual(CUDA, self.host.cuda(non_blocking=True).device)
        self.assertEqual(CUDA, self.host.type_as(self.card).device)
        self.assertIsNot(self.card, self.card.to("cuda", copy=True))

    def test_host_data_is_copied_when_it_is_placed(self):
        array = np.ones(3, np.float32)
        placed = torch.as_tensor(array, device="cuda")
        array[0] = 5
        self.assertEqual(1.0, placed[0].item())
        shared = torch.as_tensor(array)
        self.assertEqual("cpu", shared.device.type)
        self.assertEqual("cpu", torch.as_tensor(self.card, device="cpu").device.type)
        self.assertIs(self.card, torch.as_tensor(self.card))
        self.assertEqual(CUDA, torch.asarray(self.card).device)

    @only_emulated
    def test_the_mark_lies_on_memory_and_dies_with_it(self):
        host = torch.ones(8)
        view = host[2:]
        self.assertIs(view, emulated.mark(view))
        self.assertTrue(emulated.is_emulated(host))
        live = len(emulated.places.live_storages())
        del host, view
        gc.collect()
        self.assertEqual(live - 1, len(emulated.places.live_storages()))
        self.assertFalse(emulated.is_emulated(torch.ones(8)))

    def test_mixing_is_refused_in_torch_s_words(self):
        card, host, index = self.card, self.host, torch.tensor([0, 1])
        other = (
            "Expected all tensors to be on the same device, but got {} is on {}, different from other tensors on {} "
            "(when checking argument in method wrapper_CUDA_{})"
        )
        functional = torch.nn.functional
        for text, function in (
            (ELEMENTWISE, lambda: card + host),
            (ELEMENTWISE, lambda: host + torch.tensor(1.0, device="cuda")),
            (ELEMENTWISE, lambda: host.add_(card)),
            (ELEMENTWISE, lambda: torch.where(card > 0, card, host)),
            (ELEMENTWISE, lambda: functional.mse_loss(card, host)),
            (ELEMENTWISE, lambda: torch.add(card, card, out=host)),
            (other.format("mat2", "cpu", "cuda:0", "mm"), lambda: card @ host),
            (other.format("mat2", "cuda:0", "cpu", "mm"), lambda: torch.mm(host, card)),
            (other.format("tensors", "cpu", "cuda:0", "cat"), lambda: torch.cat([card, host])),
            (other.format("tensors", "cuda:0", "cpu", "cat"), lambda: torch.stack([host, card])),
            (other.format("index", "cpu", "cuda:0", "_index_select"), lambda: torch.index_select(card, 0, index)),
            (other.format("index", "cpu", "cuda:0", "_index_select"), lambda: functional.embedding(index, card)),
            (other.format("index", "cuda:0", "cpu", "_index_select"), lambda: functional.embedding(index.cuda(), host)),
            (other.format("mat2", "cpu", "cuda:0", "mm"), lambda: functional.linear(card, host)),
            (
                other.format("weight", "cpu", "cuda:0", "_native_layer_norm"),
                lambda: functional.layer_norm(card, (4,), torch.ones(4)),
            ),
            (
                other.format("target", "cpu", "cuda:0", "nll_loss_forward"),
                lambda: functional.cross_entropy(card, torch.zeros(4, dtype=torch.long)),
            ),
            (other.format("other", "cpu", "cuda:0", "_equal"), lambda: torch.equal(card, host)),
            (
                "Input type (torch.cuda.FloatTensor) and weight type (torch.FloatTensor) should be the same",
                lambda: functional.conv2d(torch.ones(1, 1, 4, 4, device="cuda"), torch.ones(1, 1, 2, 2)),
            ),
            (
                "indices should be either on cpu or on the same device as the indexed tensor (cpu)",
                lambda: host[index.cuda()],
            ),
            (
                "expected self and mask to be on the same device, but got mask on cpu and self on cuda:0",
                lambda: card.masked_fill(host > 0, 1.0),
            ),
        ):
            with self.subTest(text):
                self.assert_refused(text, function)

    def test_what_a_card_mixes_is_mixed(self):
        card = self.card.clone()
        card[0] = torch.full((4,), 3.0)
        card[card > 2] = torch.tensor(5.0)
        card.copy_(card.cpu() * 2)
        self.assertEqual(10.0, card[0, 0].item())
        self.assertEqual(CUDA, card[torch.tensor([0, 1])].device)
        self.assertEqual(CUDA, card.view_as(self.host).device)
        self.assertEqual("cpu", torch.ones(4, 4).copy_(card).device.type)

        def assign():
            card[card > 2] = torch.ones(4)

        self.assert_refused(ELEMENTWISE, assign)

    def test_a_card_s_tensor_is_no_array(self):
        text = (
            "can't convert cuda:0 device type tensor to numpy. Use Tensor.cpu() to copy the tensor to host memory "
            "first."
        )
        self.assert_refused(text, lambda: self.card.numpy(), TypeError)
        self.assert_refused(text, lambda: np.asarray(self.card), TypeError)
        self.assertEqual((4, 4), self.card.cpu().numpy().shape)
        self.assertEqual((4, 4), self.card.numpy(force=True).shape)
        self.assertEqual(1.0, self.card[0, 0].item())
        self.assertEqual([1.0] * 4, self.card[0].tolist())

    def test_there_is_one_card(self):
        for function in (
            lambda: torch.ones(1, device="cuda:1"),
            lambda: self.host.to("cuda:1"),
            lambda: self.host.cuda(3),
        ):
            with self.assertRaisesRegex(torch.AcceleratorError, "CUDA error: invalid device ordinal"):
                function()

    def test_texts(self):
        self.assertEqual("tensor(1, device='cuda:0')", repr(torch.tensor(1, device="cuda")))
        self.assertEqual(
            "tensor([1., 1.], device='cuda:0', requires_grad=True)",
            repr(torch.ones(2, device="cuda", requires_grad=True)),
        )
        self.assertEqual(
            "tensor([1., 1.], device='cuda:0', dtype=torch.float16)", f"{torch.ones(2, device='cuda').half()}"
        )
        self.assertEqual("tensor([[1., 1.],\n        [1., 1.]], device='cuda:0')", str(self.card[:2, :2]))
        self.assertEqual("tensor([1., 1.])", repr(torch.ones(2)))
        self.assertEqual("torch.cuda.HalfTensor", self.card.half().type())
        self.assertEqual("torch.FloatTensor", self.host.type())
        self.assertEqual(CUDA, self.host.type("torch.cuda.DoubleTensor").device)

    def test_default_devices(self):
        with torch.device("cuda"):
            self.assertEqual(CUDA, torch.ones(2).device)
            self.assertEqual(CUDA, torch.nn.Linear(2, 2).weight.device)
            self.assertEqual("cpu", torch.ones(2, device="cpu").device.type)
        self.assertEqual("cpu", torch.ones(2).device.type)
        torch.set_default_device("cuda")
        try:
            self.assertEqual("cuda", torch.get_default_device().type)
            self.assertEqual(CUDA, torch.rand(2).device)
            self.assertEqual(CUDA, torch.tensor([1, 2]).device)
        finally:
            torch.set_default_device(None)
        self.assertEqual("cpu", torch.ones(2).device.type)

    def test_modules_and_parameters(self):
        model = torch.nn.Sequential(torch.nn.Linear(4, 3), torch.nn.BatchNorm1d(3))
        with self.assertRaises(RuntimeError):
            model(self.card)
        parameter = model[0].weight
        model.to("cuda")
        self.assertIs(parameter, model[0].weight)
        self.assertIsInstance(model[0].weight, torch.nn.Parameter)
        self.assertTrue(all(t.is_cuda for t in (*model.parameters(), *model.buffers())))
        self.assertEqual(CUDA, model(self.card).device)
        self.assertEqual(CUDA, next(copy.deepcopy(model).parameters()).device)
        self.assertEqual("cpu", model.cpu()[0].weight.device.type)
        self.assertEqual(CUDA, model.cuda()[0].bias.device)
        self.assertIs(torch.Tensor, type(self.card))
        self.assertEqual(CUDA, torch.nn.Parameter(self.card).device)
        self.assertEqual(CUDA, model.state_dict()["0.weight"].device)

    def test_autograd(self):
        x = torch.ones(3, device="cuda", requires_grad=True)
        (x * x).sum().backward()
        self.assertEqual(CUDA, x.grad.device)
        (gradient,) = torch.autograd.grad((x * 3).sum(), x)
        self.assertEqual(CUDA, gradient.device)
        seen = []

        class Double(torch.autograd.Function):
            @staticmethod
            def forward(ctx, x):
                ctx.save_for_backward(x, x * 2)
                return x * 2

            @staticmethod
            def backward(ctx, gradient):
                seen.extend(
                    [
                        gradient.device,
                        *(t.device for t in ctx.saved_tensors),
                        torch.ones(1).device,
                        torch.empty_like(gradient).device,
                    ]
                )
                return gradient * 2

        Double.apply(x).sum().backward()
        self.assertEqual([CUDA, CUDA, CUDA, torch.device("cpu"), CUDA], seen)
        leaf = torch.ones(3, requires_grad=True)
        Double.apply(leaf).sum().backward()
        self.assertEqual("cpu", leaf.grad.device.type)

    def test_generators(self):
        generator = torch.Generator(device="cuda")
        self.assertIsInstance(generator, torch.Generator)
        self.assertEqual("cuda", generator.device.type)
        first = torch.rand(3, device="cuda", generator=generator.manual_seed(3))
        again = torch.rand(3, device="cuda", generator=generator.manual_seed(3))
        self.assertTrue(torch.equal(first, again))
        self.assert_refused(
            "Expected a 'cuda' device type for generator but found 'cpu'",
            lambda: torch.rand(3, device="cuda", generator=torch.Generator()),
        )
        self.assert_refused(
            "Expected a 'cpu' device type for generator but found 'cuda'", lambda: torch.rand(3, generator=generator)
        )

    def test_pinned_memory(self):
        pinned = self.host.pin_memory()
        self.assertTrue(pinned.is_pinned())
        self.assertFalse(self.host.is_pinned())
        self.assertEqual("cpu", pinned.device.type)
        self.assertTrue(torch.empty(3, pin_memory=True).is_pinned())
        self.assertEqual(CUDA, pinned.cuda().device)
        with self.assertRaisesRegex(RuntimeError, "cannot pin 'torch.cuda.FloatTensor'"):
            self.card.pin_memory()

    def test_other_layouts_and_transforms(self):
        sparse = self.card.to_sparse()
        self.assertTrue(sparse.is_cuda)
        self.assertEqual(CUDA, sparse.to_dense().device)
        seen = []

        def row(x):
            seen.append(x.is_cuda)
            return x * 2 + torch.ones(4, device="cuda")

        self.assertEqual(CUDA, torch.vmap(row)(self.card).device)
        self.assertEqual([True], seen)
        self.assertEqual("meta", torch.empty(3, device="meta").device.type)

    def test_threads_see_places_too(self):
        seen = []
        thread = threading.Thread(target=lambda: seen.append(torch.ones(2, device="cuda").is_cuda))
        thread.start()
        thread.join()
        self.assertEqual([True], seen)

    @only_emulated
    def test_an_operation_costs_microseconds(self):
        # Generous: measured at 3 us on a free core, and this must not fail on a busy one.
        once = min(timeit.repeat(lambda: self.card.is_cuda, number=2000, repeat=5)) / 2000
        self.assertLess(once, 50e-6)


if __name__ == "__main__":
    unittest.main()
