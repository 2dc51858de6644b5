// Which failures are taken for one.
#include "history/cause_groups.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace std::chrono_literals;

namespace {

job_view failed_on(std::string node, std::optional<std::int64_t> code, std::string error, std::string name = "bert") {
    job_view out;
    out.cluster = "prod-1";
    out.namespace_ = "ml";
    out.name = std::move(name);
    out.kind = "PyTorchJob";
    out.state = job_state::failed;
    out.failure = job_failure{std::move(node), code, std::move(error), {}};
    return out;
}

}  // namespace

TEST_CASE("an error without what differs between jobs") {
    const struct {
        std::string_view error, is;
    } table[] = {
        {"RuntimeError: CUDA error: out of memory", "RuntimeError: CUDA error: out of memory"},
        {"Tried to allocate 20.00 GiB (GPU 3; 79.1 GiB total)", "Tried to allocate #.# GiB (GPU #; #.# GiB total)"},
        {"segfault at 0x7ffe1c, rank3 of bert-worker-0", "segfault at #, rank# of *-worker-#"},
        {"commit deadbe7f of feedback", "commit # of feedback"},
        {"two\n\tlines  ", "two lines"},
        {"node 10.0.0.7:29500 closed", "node #.#.#.#:# closed"},
        {"", ""},
    };
    for (const auto& row : table) CHECK_MESSAGE(normalised_error(row.error, "bert") == row.is, row.error);
    CHECK(normalised_error(std::string(500, 'x'), "") == std::string(200, 'x'));
    CHECK(normalised_error("bert", "") == "bert");
}

TEST_CASE("jobs that failed alike have one cause") {
    const auto one = cause_of(failed_on("gpu-3", 137, "lost rank 3 of bert"));
    CHECK(one == cause_of(failed_on("gpu-3", 137, "lost rank 7 of gpt", "gpt")));
    CHECK(one != cause_of(failed_on("gpu-4", 137, "lost rank 3 of bert")));
    CHECK(one != cause_of(failed_on("gpu-3", 1, "lost rank 3 of bert")));
    CHECK(one != cause_of(failed_on("gpu-3", 137, "no route")));
    auto elsewhere = failed_on("gpu-3", 137, "lost rank 3 of bert");
    elsewhere.cluster = "prod-2";
    CHECK(one != cause_of(elsewhere));
    cause_parts parts;
    parts.cluster = parts.node = false;
    CHECK(cause_of(elsewhere, parts) == cause_of(failed_on("gpu-4", 137, "lost rank 1 of bert"), parts));
    CHECK(cause_of(failed_on("", {}, "")).empty());
    job_view unknown;
    unknown.cluster = "prod-1";
    CHECK(cause_of(unknown).empty());
    parts = {};
    parts.node = false;
    CHECK(cause_of(failed_on("gpu-3", {}, ""), parts).empty());  // nothing is left to compare
}

TEST_CASE("one cause is one group, unless there is a long pause") {
    const kcontrol::wall_time t0{1000h};
    using groups = std::vector<std::vector<std::size_t>>;
    CHECK(group_by_cause({}).empty());
    CHECK(group_by_cause({{"a", t0}, {"b", t0}, {"a", t0 + 1min}, {"", t0}, {"", t0}}) ==
          groups{{0, 2}, {1}, {3}, {4}});
    // In any order; a chain of short pauses is one group, however long it is.
    CHECK(group_by_cause({{"a", t0 + 18min}, {"a", t0}, {"a", t0 + 9min}}) == groups{{0, 1, 2}});
    CHECK(group_by_cause({{"a", t0 + 18min}, {"a", t0}, {"a", t0 + 7min}}) == groups{{0}, {1, 2}});
    CHECK(group_by_cause({{"a", t0}, {"a", t0 + 10min}}) == groups{{0, 1}});
    CHECK(group_by_cause({{"a", t0}, {"a", t0 + 10min + 1s}}) == groups{{0}, {1}});
    std::vector<failed_job> fifty(50, failed_job{"a", t0});
    REQUIRE(group_by_cause(fifty).size() == 1);
    CHECK(group_by_cause(fifty)[0].size() == 50);
}
