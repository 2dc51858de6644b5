// What each write leaves in a Lease, as JSON, beside client-go's: tools/leaderelection/leaderelection.go and
// resourcelock/leaselock.go (LeaderElectionRecordToLeaseSpec) of k8s.io/client-go 0.36.
#include "leader/stage.hpp"

#include <doctest/doctest.h>

#include <algorithm>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

const testing::group_resource leases{"coordination.k8s.io", "leases"};

json::value spec_of(const stage& s) {
    const auto lease = s.server_api.get(leases, {"default", "l"});
    return lease ? lease->at("spec") : json::value(json::object());
}

bool held_by(const stage& s, std::string_view who) {
    const json::value spec = spec_of(s);
    const json::value* holder = json::find(spec, {"holderIdentity"});
    return holder != nullptr && holder->is_string() && holder->as_string() == who;
}

// The five fields of a LeaderElectionRecord, and no other.
const std::string five = "acquireTime holderIdentity leaseDurationSeconds leaseTransitions renewTime | ";

std::string written(const json::value& spec) {
    std::vector<std::string> names;
    for (const auto& member : spec.as_object()) names.emplace_back(member.key());
    std::sort(names.begin(), names.end());
    std::string out;
    for (const auto& name : names) out += name + " ";
    const bool equal = json::serialize(spec.at("acquireTime")) == json::serialize(spec.at("renewTime"));
    return out + "| " + json::serialize(spec.at("holderIdentity")) + " " +
           json::serialize(spec.at("leaseDurationSeconds")) + " " + json::serialize(spec.at("leaseTransitions")) +
           (equal ? " acquired now" : " acquired before");
}

}  // namespace

TEST_CASE("leases: what each write leaves is client-go's, field by field") {
    stage s(2);
    process& a = s[0];
    process& b = s[1];
    // acquire: the Lease is created.
    a.start();
    REQUIRE(s.until([&] { return held_by(s, "a"); }, 5s));
    CHECK(written(spec_of(s)) == five + R"("a" 15 0 acquired now)");
    const json::value acquired = spec_of(s).at("acquireTime");

    // renew: only renewTime moves.
    s.pass(7s);
    CHECK(written(spec_of(s)) == five + R"("a" 15 0 acquired before)");
    CHECK(spec_of(s).at("acquireTime") == acquired);

    // release: the holder is the empty text, and the Lease is free after a second.
    bool stopped = false;
    asio::co_spawn(a.ex, a.elector->stop(), [&](std::exception_ptr, bool) { stopped = true; });
    REQUIRE(s.until([&] { return stopped; }, 10s));
    CHECK(written(spec_of(s)) == five + R"("" 1 0 acquired now)");

    // take-over of a released Lease.
    b.start();
    REQUIRE(s.until([&] { return held_by(s, "b"); }, 10s));
    CHECK(written(spec_of(s)) == five + R"("b" 15 1 acquired now)");

    // take-over of a Lease whose holder is away.
    b.link(testing::link_state::refused);
    a.restart_elector();
    a.start();
    REQUIRE(s.until([&] { return held_by(s, "a"); }, 60s));
    CHECK(written(spec_of(s)) == five + R"("a" 15 2 acquired now)");
}

TEST_CASE("leases: a candidate that starts again under its own name goes on with the Lease's term") {
    stage s(1);
    const auto made = s.server_api.create({{"apiVersion", "coordination.k8s.io/v1"},
                                           {"kind", "Lease"},
                                           {"metadata", {{"name", "l"}, {"namespace", "default"}}},
                                           {"spec",
                                            {{"holderIdentity", "a"},
                                             {"leaseDurationSeconds", 60},
                                             {"leaseTransitions", 7},
                                             {"acquireTime", "2026-01-02T03:04:05.000006Z"},
                                             {"renewTime", "2026-01-02T03:04:15.000006Z"}}}});
    REQUIRE(made.has_value());
    s[0].start();
    REQUIRE(s.until([&] { return s[0].leading(); }, 5s));
    CHECK(written(spec_of(s)) == five + R"("a" 15 7 acquired before)");
    CHECK(json::get_string(spec_of(s), {"acquireTime"}) == "2026-01-02T03:04:05.000006Z");
}

TEST_CASE("leases: what client-go's record does not have is removed, labels and annotations stay") {
    stage s(1);
    const auto made = s.server_api.create(
        {{"apiVersion", "coordination.k8s.io/v1"},
         {"kind", "Lease"},
         {"metadata",
          {{"name", "l"}, {"namespace", "default"}, {"labels", {{"team", "x"}}}, {"annotations", {{"note", "y"}}}}},
         {"spec",
          {{"holderIdentity", ""},
           {"leaseDurationSeconds", 1},
           {"preferredHolder", "z"},
           {"strategy", "OldestEmulationVersion"}}}});
    REQUIRE(made.has_value());
    s[0].start();
    REQUIRE(s.until([&] { return held_by(s, "a"); }, 5s));
    CHECK(written(spec_of(s)) == five + R"("a" 15 1 acquired now)");
    const auto lease = s.server_api.get(leases, {"default", "l"}).value();
    CHECK(json::get_string(lease, {"metadata", "labels", "team"}) == "x");
    CHECK(json::get_string(lease, {"metadata", "annotations", "note"}) == "y");
}
