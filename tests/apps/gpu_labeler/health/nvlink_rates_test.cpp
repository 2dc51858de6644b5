#include "health/nvlink_rates.hpp"

#include <doctest/doctest.h>

#include <string>

using namespace gpu_labeler;

namespace {

using count = std::optional<std::uint64_t>;

gpu_sample gpu(std::string uuid, count sent, count received) {
    gpu_sample out;
    out.uuid = std::move(uuid);
    out.nvlink = nvlink_sample();
    out.nvlink->transmitted_bytes = sent;
    out.nvlink->received_bytes = received;
    return out;
}

node_sample node(std::vector<gpu_sample> gpus) {
    node_sample out;
    out.gpus = std::move(gpus);
    return out;
}

kcontrol::time_point at(int milliseconds) { return kcontrol::time_point(std::chrono::milliseconds(milliseconds)); }

std::string shown(const std::optional<double>& rate) {
    return rate ? std::to_string(static_cast<long long>(*rate)) : "-";
}

// "sent received" of each GPU.
std::string rates(const node_sample& sample) {
    std::string out;
    for (const auto& g : sample.gpus) {
        out += out.empty() ? "" : ", ";
        out += g.nvlink ? shown(g.nvlink->transmit_rate) + " " + shown(g.nvlink->receive_rate) : "none";
    }
    return out;
}

}  // namespace

TEST_CASE("NVLink rates: what went over the links between two samples, by time") {
    nvlink_rates known;
    struct row {
        int milliseconds;
        node_sample sample;
        const char* shown;
    };
    row rows[] = {
        {1000, node({gpu("a", 1000, 0), gpu("b", 7, 7)}), "- -, - -"},
        {2000, node({gpu("a", 5000, 0), gpu("b", 9, 8)}), "4000 0, 2 1"},
        {2500, node({gpu("a", 6000, 10), gpu("b", 9, 8)}), "2000 20, 0 0"},
        // Of the same moment nothing can be said.
        {2500, node({gpu("a", 6100, 10), gpu("b", 9, 8)}), "- -, - -"},
        // The GPUs have changed their places.
        {3500, node({gpu("b", 10, 8), gpu("a", 7100, 10)}), "1 0, 1000 0"},
        // One was reset, the other tells one direction only.
        {4500, node({gpu("b", 4, 9), gpu("a", {}, 20)}), "- 1, - 10"},
        {5500, node({gpu("b", 5, 9), gpu("a", 8000, 30)}), "1 0, - 10"},
        // One is lost, and back: what it sent in between is not of the last second.
        {6500, node({gpu("b", 6, 9)}), "1 0"},
        {7500, node({gpu("b", 6, 9), gpu("a", 9000, 30)}), "0 0, - -"},
        {8500, node({gpu("b", 6, 9), gpu("a", 9500, 30)}), "0 0, 500 0"},
        {9500, node({}), ""},
        {9600, node({gpu("b", 6, 9)}), "- -"},
    };
    for (auto& one : rows) {
        CAPTURE(one.milliseconds);
        known.complete(one.sample, at(one.milliseconds));
        CHECK(rates(one.sample) == one.shown);
    }
}

TEST_CASE("NVLink rates: a GPU without NVLink, or without a name, has none") {
    nvlink_rates known;
    auto nameless = gpu("", 1, 1);
    auto plain = gpu_sample();
    plain.uuid = "a";
    for (int i = 1; i < 3; ++i) {
        auto sample = node({nameless, plain});
        known.complete(sample, at(1000 * i));
        CHECK(rates(sample) == "- -, none");
    }
}
