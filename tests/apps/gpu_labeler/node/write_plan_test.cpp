#include "node/write_plan.hpp"

#include <doctest/doctest.h>

using gpu_labeler::node_marks;
using gpu_labeler::write_plan;
using gpu_labeler::write_step;

namespace {

node_marks marks(const std::string& count, const std::string& time = "100") {
    return {{{"nvidia.com/gpu.count", count}, {gpu_labeler::timestamp_label, time}}, {{"kcontrol.dev/a", "{}"}}};
}

}  // namespace

TEST_CASE("write plan: look, write what differs, then nothing") {
    write_plan plan;
    CHECK(plan.next(marks("8")) == write_step::look);
    plan.found({});
    CHECK(plan.next(marks("8")) == write_step::write);
    CHECK(plan.next({}) == write_step::nothing);
    plan.found(marks("8"));
    CHECK(plan.next(marks("8")) == write_step::nothing);
    CHECK(plan.next(marks("7")) == write_step::write);
    CHECK(plan.next({}) == write_step::write);  // stale ones must go
    plan.doubt();
    CHECK(plan.next(marks("8")) == write_step::look);
    CHECK(!plan.there());
}

TEST_CASE("write plan: every part counts, the time alone does not") {
    const auto without = [](node_marks all, auto drop) {
        drop(all);
        return all;
    };
    write_plan plan;
    plan.found(marks("8", "100"));
    CHECK(plan.next(marks("8", "200")) == write_step::nothing);
    CHECK(plan.next(marks("7", "200")) == write_step::write);
    CHECK(plan.next(without(marks("8"), [](auto& m) { m.annotations.clear(); })) == write_step::write);
    CHECK(plan.next(without(marks("8"), [](auto& m) { m.annotations["kcontrol.dev/a"] = "[]"; })) == write_step::write);
    CHECK(plan.next(without(marks("8"), [](auto& m) { m.labels["nvidia.com/mig-1g.5gb.count"] = "1"; })) ==
          write_step::write);
    // With --no-timestamp it goes, without it comes.
    const auto no_time = without(marks("8"), [](auto& m) { m.labels.erase(gpu_labeler::timestamp_label); });
    CHECK(plan.next(no_time) == write_step::write);
    plan.found(no_time);
    CHECK(plan.next(no_time) == write_step::nothing);
    CHECK(plan.next(marks("8")) == write_step::write);
}
