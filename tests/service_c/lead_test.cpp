// kc_lead: the token, what is left, and that a freed leader gives the Lease up.
#include "service_c/stage.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

constexpr const char* leases = "coordination.k8s.io";

std::string lead_options(const std::string& identity, const std::string& more = {}) {
    return R"({"namespace":"default","lease":"store","identity":")" + identity + "\"" + more + "}";
}

std::string holder_of(const json::value& lease) {
    return std::string(json::get_string(lease, {"spec", "holderIdentity"}));
}

}  // namespace

TEST_CASE("a leader has a token and time; the next one a larger token") {
    server_stage stage;
    const kc_handle client = stage.client();
    call_record first, second;
    kc_handle one = 0, two = 0;
    REQUIRE(kc_lead(client, lead_options("one", R"(,"address":"10.77.0.1:7000")").c_str(), call_record::led, &first,
                    &one) == KC_OK);
    first.wait_count(1);
    const auto begun = first.calls().front();
    CHECK(begun.leading == 1);
    CHECK(begun.token > 0);

    std::int64_t ms = 0;
    std::uint64_t token = 0;
    CHECK(kc_lead_left(one, &ms, &token) == KC_OK);
    CHECK(ms > 0);
    CHECK(ms <= 10'000);
    CHECK(token == begun.token);
    const auto lease = stage.get(leases, "leases", "store");
    CHECK(holder_of(lease) == "one");
    CHECK(json::get_string(lease, {"metadata", "annotations", "service.kcontrol.dev/address"}) == "10.77.0.1:7000");

    REQUIRE(kc_lead(client, lead_options("two").c_str(), call_record::led, &second, &two) == KC_OK);
    CHECK(kc_lead_left(two, &ms, &token) == KC_OK);
    CHECK(ms == 0);
    CHECK(token == 0);
    // It gives the Lease up: the other one need not wait until its 15 s are over.
    CHECK(kc_free(one) == KC_OK);
    CHECK(first.calls().size() == 1);
    second.wait_count(1);
    CHECK(second.calls().front().leading == 1);
    CHECK(second.calls().front().token > begun.token);
    CHECK(kc_free(client) == KC_OK);
    CHECK(holder_of(stage.get(leases, "leases", "store")) == "");
    CHECK(second.calls().size() == 1);
}

TEST_CASE("a leader that loses the Lease is told the token of the term that ended") {
    server_stage stage;
    const kc_handle client = stage.client();
    call_record calls;
    kc_handle lead = 0;
    REQUIRE(kc_lead(client, lead_options("one").c_str(), call_record::led, &calls, &lead) == KC_OK);
    calls.wait_count(1);
    const auto patch = json::parse(R"({"spec":{"holderIdentity":"other"}})");
    REQUIRE(stage.on_server([&] {
        return stage.server().api().patch({leases, "leases"}, {"default", "store"}, *patch);
    }));
    calls.wait_count(2);
    CHECK(calls.calls()[1].leading == 0);
    CHECK(calls.calls()[1].token == calls.calls()[0].token);
    std::int64_t ms = 1;
    CHECK(kc_lead_left(lead, &ms, nullptr) == KC_OK);
    CHECK(ms == 0);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("the own pod carries the label while it leads") {
    server_stage stage;
    stage.create(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"pod-1","namespace":"default"},)"
                 R"("spec":{"containers":[{"name":"c","image":"i"}]}})");
    const kc_handle client = stage.client();
    kc_handle lead = 0;
    REQUIRE(kc_lead(client, lead_options("one", R"(,"label":{"key":"role","value":"leader","pod":"pod-1"})").c_str(),
                    nullptr, nullptr, &lead) == KC_OK);
    const auto role = [](const json::value& pod) { return json::get_string(pod, {"metadata", "labels", "role"}); };
    stage.wait_object("", "pods", "pod-1", [&](const json::value& pod) { return role(pod) == "leader"; });
    CHECK(kc_free(lead) == KC_OK);
    CHECK(role(stage.get("", "pods", "pod-1")) == "");
    CHECK(kc_free(client) == KC_OK);
}
