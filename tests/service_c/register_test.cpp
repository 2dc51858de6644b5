// kc_register: an object that is there as long as its handle.
#include "service_c/stage.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

TEST_CASE("an object is there until its handle is freed, also after it was deleted") {
    server_stage stage;
    const kc_handle client = stage.client();
    kc_handle registration = 0;
    REQUIRE(kc_register(client,
                        R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"member","namespace":"default"},)"
                        R"("data":{"address":"10.77.0.1:7000"}})",
                        &registration) == KC_OK);
    const auto there = [](const json::value& object) {
        return json::get_string(object, {"data", "address"}) == "10.77.0.1:7000";
    };
    stage.wait_object("", "configmaps", "member", there);
    REQUIRE(stage.on_server([&] { return stage.server().api().remove({"", "configmaps"}, {"default", "member"}); }));
    stage.wait_object("", "configmaps", "member", there);
    CHECK(kc_free(registration) == KC_OK);
    CHECK(stage.get("", "configmaps", "member").is_null());
    CHECK(kc_free(client) == KC_OK);
}
