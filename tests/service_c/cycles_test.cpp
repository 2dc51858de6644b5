// Clients with all parts, started and freed many times: memory, descriptors and threads stay.
#include "lifecycle/resources.hpp"
#include "service_c/stage.hpp"

using namespace kcontrol::test;

namespace {

void cycle(const server_stage& stage, const char* thread, bool parts_first) {
    const kc_handle client = stage.client(thread);
    kc_handle lead = 0, follow = 0, endpoints = 0, registration = 0, snapshot = 0;
    REQUIRE(kc_lead(client, R"({"namespace":"default","lease":"store"})", nullptr, nullptr, &lead) == KC_OK);
    REQUIRE(kc_follow(client, "k8s://default/store", nullptr, nullptr, &follow) == KC_OK);
    REQUIRE(kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, &endpoints) == KC_OK);
    REQUIRE(kc_register(client,
                        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}})",
                        &registration) == KC_OK);
    REQUIRE(kc_snapshot(endpoints, &snapshot) == KC_OK);
    if (parts_first)
        for (const kc_handle part : {registration, endpoints, follow, lead}) CHECK(kc_free(part) == KC_OK);
    CHECK(kc_free(client) == KC_OK);
    CHECK(kc_free(snapshot) == KC_OK);
}

}  // namespace

TEST_CASE("many starts and stops leave nothing behind") {
    server_stage stage;
    const int cycles = many_cycles() / 2;
    for (const char* const thread : {"", R"(,"thread":false)"}) {
        CAPTURE(thread);
        // What is made once, and what the server remembers of objects that come and go, is there after a while.
        for (int i = 0; i < cycles / 10 + 5; ++i) cycle(stage, thread, i % 2 == 0);
        const resources before = resources::now();
        for (int i = 0; i < cycles; ++i) cycle(stage, thread, i % 2 == 0);
        // The server closes its ends of the last connections when it comes to it, on its thread: each request lets it.
        resources after = resources::now();
        for (int asked = 0; asked < 100'000 && after.descriptors > before.descriptors + 16; ++asked) {
            stage.get("", "configmaps", "a");
            after = resources::now();
        }
        CHECK(after.threads == before.threads);
        CHECK(after.descriptors <= before.descriptors + 16);
        CHECK(after.bytes <= before.bytes + 4'000'000);
    }
}
