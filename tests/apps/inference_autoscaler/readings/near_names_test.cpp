// Names that were perhaps meant.
#include "readings/near_names.hpp"

#include <doctest/doctest.h>

using namespace inference_autoscaler;

TEST_CASE("near names differ by a third of their letters at most, the nearest first") {
    const std::vector<std::string> known{"DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_TOTAL", "up",
                                         "vllm:num_requests_waiting"};
    CHECK(near_names("DCGM_FI_DEV_FB_USD", known) ==
          std::vector<std::string>{"DCGM_FI_DEV_FB_USED", "DCGM_FI_DEV_FB_FREE", "DCGM_FI_DEV_FB_TOTAL"});
    CHECK(near_names("ups", known) == std::vector<std::string>{"up"});
    CHECK(near_names("http_requests_total", known).empty());
    CHECK(near_names("", known) == std::vector<std::string>{"up"});
    CHECK(never_seen_words("vllm:num_request_waiting", known) ==
          "there is no metric \"vllm:num_request_waiting\"; near: vllm:num_requests_waiting");
    CHECK(never_seen_words("http_requests_total", known) ==
          "there is no metric \"http_requests_total\", nor one of a similar name");
}
