// What /api/v1/repairs and /api/v1/nodes say of a case.
#include "web/answers.hpp"

#include <kcontrol/controllerutil/conditions.hpp>

#include <doctest/doctest.h>

using namespace gpu_healer;

namespace {

node_repair one_case(const char* phase, bool tainted) {
    node_repair out;
    out.metadata.name = "n0-1";
    out.spec.node = "n0";
    out.spec.policy = "gpus";
    out.status.phase = phase;
    out.status.reason = "Why";
    out.status.step = "reset";
    out.status.attempt = 2;
    timeline_entry entry;
    entry.time = wall_time(std::chrono::seconds(1800000000));
    entry.what = "a \"word\"";
    out.status.timeline.push_back(entry);
    auto& taint = out.status.taint.emplace();
    taint.key = "k";
    taint.value = "v";
    taint.effect = "NoSchedule";
    set_condition(out.status.conditions, condition_for(out, "Quarantined", tainted, "Test"), entry.time.value());
    return out;
}
repair_list with(const node_repair& of) { return {std::make_shared<const node_repair>(of)}; }

}  // namespace

TEST_CASE("a case is told with its timeline") {
    CHECK(repairs_json(with(one_case("Repairing", true))) ==
          R"({"items":[{"name":"n0-1","node":"n0","policy":"gpus","phase":"Repairing","reason":"Why","step":"reset",)"
          R"("attempt":2,"timeline":[{"time":"2027-01-15T08:00:00Z","what":"a \"word\""}]}]})");
    CHECK(repairs_json({}) == R"({"items":[]})");
}

TEST_CASE("nodes are those with an open case, or with a taint that is left") {
    CHECK(nodes_json(with(one_case("Repairing", true))) ==
          R"({"items":[{"name":"n0","phase":"Repairing","taint":"k=v:NoSchedule","repair":"n0-1"}]})");
    CHECK(nodes_json(with(one_case("Held", false))) ==
          R"({"items":[{"name":"n0","phase":"Held","taint":"","repair":"n0-1"}]})");
    CHECK(nodes_json(with(one_case("Cancelled", true))) ==
          R"({"items":[{"name":"n0","phase":"Cancelled","taint":"k=v:NoSchedule","repair":"n0-1"}]})");
    CHECK(nodes_json(with(one_case("Released", false))) == R"({"items":[]})");
}
