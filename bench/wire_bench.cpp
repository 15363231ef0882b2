// SPDX-License-Identifier: Apache-2.0
// What a frame costs: encoding and decoding a call's payload, and a round trip over a socket between two threads.
#include <benchmark/benchmark.h>

#include <thread>

#include "kbx/wire/channel.h"

namespace {

using namespace kbx::wire;  // NOLINT: a program of its own

Json call_payload() {
  const Json tensor{{"tensor",
                     {{"block", 1},
                      {"offset", 512},
                      {"dtype", "float32"},
                      {"shape", {64, 64}},
                      {"strides", {64, 1}},
                      {"place", "cuda"}}}};
  return {{"args", {tensor, tensor}}, {"kwargs", {{"dim", -1}, {"keepdim", true}}}};
}

void BM_EncodeCall(benchmark::State& state) {
  const Json payload = call_payload();
  for (auto _ : state) benchmark::DoNotOptimize(encode_payload(payload));
}
BENCHMARK(BM_EncodeCall);

void BM_DecodeCall(benchmark::State& state) {
  const std::string bytes = encode_payload(call_payload());
  for (auto _ : state) benchmark::DoNotOptimize(decode_payload(bytes));
}
BENCHMARK(BM_DecodeCall);

void BM_RoundTrip(benchmark::State& state) {
  auto [a, b] = Channel::pair();
  Channel here(std::move(a)), there(std::move(b));
  std::thread echo([&] {
    for (;;) {
      Received received = there.receive();
      if (received.arrival != Arrival::kMessage || received.message.type == Type::kStop) return;
      there.send(Type::kDone, received.message.nonce, received.message.payload);
    }
  });
  const Json payload = call_payload();
  for (auto _ : state) {
    here.send(Type::kCall, 1, payload);
    benchmark::DoNotOptimize(here.receive());
  }
  here.send(Type::kStop, 0, Json::object());
  echo.join();
}
BENCHMARK(BM_RoundTrip)->UseRealTime();

}  // namespace
