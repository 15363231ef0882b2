// SPDX-License-Identifier: Apache-2.0
#include "kbx/cli/doctor_text.h"

#include "tests/support/golden.h"

namespace kbx {
namespace {

using Json = nlohmann::json;

const Json kKbx = {{"version", "0.1.0"}, {"commit", "0123456789ab"}, {"tasks", 20}};

TEST(DoctorText, OfAMachineThatCanJudge) {
  const Json found = {
      {"kbx", kKbx},
      {"kbx_judge", "/opt/kbx/bin/kbx-judge"},
      {"judge",
       {{"python", "/opt/env/bin/python"},
        {"versions", {{"torch", "2.11.0"}, {"triton", "3.6.0"}}},
        {"devices",
         {{{"device", "cuda:0"}, {"name", "NVIDIA H200"}, {"capability", "sm_90"}, {"memory_bytes", 150754820096}}}},
        {"sandbox",
         {{"mechanisms",
           {{{"mechanism", "landlock"}, {"enforced", true}},
            {{"mechanism", "cgroup"}, {"enforced", false}, {"reason", "no delegated group"}}}}}}}}};
  expect_golden("doctor.txt", doctor_text(found, {false}));
}

TEST(DoctorText, OfAMachineThatLacksTorch) {
  const Json found = {{"kbx", kKbx},
                      {"kbx_judge", "/opt/kbx/bin/kbx-judge"},
                      {"judge", {{"no_gpu", "libcuda.so.1 is not there"}}},
                      {"missing", {{"message", "no torch in this Python"}, {"hint", "run make setup"}}}};
  expect_golden("doctor_missing.txt", doctor_text(found, {false}));
}

}  // namespace
}  // namespace kbx
