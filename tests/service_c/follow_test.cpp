// kc_follow: the address of whoever leads, its state and age.
#include "service_c/stage.hpp"

using namespace kcontrol::test;

namespace {

std::string lead_options(const std::string& address) {
    return R"({"namespace":"default","lease":"store","identity":"one","address":")" + address + "\"}";
}

}  // namespace

TEST_CASE("the leader's address comes, and goes with it") {
    server_stage stage;
    const kc_handle client = stage.client();
    call_record changes;
    kc_handle follow = 0, lead = 0;
    REQUIRE(kc_follow(client, "k8s://default/store", call_record::changed, &changes, &follow) == KC_OK);
    char address[64] = "?";
    int state = -1;
    std::int64_t age = -2;
    changes.wait([&] {
        return kc_follow_get(follow, address, sizeof address, &state, &age) == KC_ENOTFOUND && state == KC_LIVE;
    });
    CHECK(std::string(address).empty());
    CHECK(age >= 0);

    REQUIRE(kc_lead(client, lead_options("10.77.0.1:7000").c_str(), nullptr, nullptr, &lead) == KC_OK);
    changes.wait([&] { return kc_follow_get(follow, address, sizeof address, &state, &age) == KC_OK; });
    CHECK(std::string(address) == "10.77.0.1:7000");
    CHECK(state == KC_LIVE);
    for (const auto& call : changes.calls()) CHECK(call.what == follow);

    char small[14] = "unchanged";
    CHECK(kc_follow_get(follow, small, sizeof small, nullptr, nullptr) == KC_EINVAL);
    CHECK(last_error().find("takes 15 bytes, and size is 14") != std::string::npos);
    CHECK(std::string(small) == "unchanged");

    CHECK(kc_free(lead) == KC_OK);
    changes.wait([&] { return kc_follow_get(follow, address, sizeof address, nullptr, nullptr) == KC_ENOTFOUND; });
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("what the server refuses has a code") {
    server_stage stage;
    stage.on_server([&] {
        stage.server().api().access().forbid(kcontrol::testing::access_rule("*", "*", "leases"));
        return 0;
    });
    const kc_handle client = stage.client();
    call_record changes;
    kc_handle follow = 0;
    REQUIRE(kc_follow(client, "k8s://default/store", call_record::changed, &changes, &follow) == KC_OK);
    char address[64];
    changes.wait([&] { return kc_follow_get(follow, address, sizeof address, nullptr, nullptr) == KC_EFORBIDDEN; });
    CHECK(last_error().find("leases") != std::string::npos);
    CHECK(kc_free(client) == KC_OK);
}
