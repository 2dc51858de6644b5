// Calls in callbacks, and kc_free() while one runs.
#include "service_c/stage.hpp"

#include <atomic>

using namespace kcontrol::test;

namespace {

constexpr const char* lead_one = R"({"namespace":"default","lease":"store","identity":"one"})";

/// Calls `work` in the first callback, and records what it returned.
class in_callback {
public:
    explicit in_callback(std::function<void(kc_handle)> work) : work_(std::move(work)) {}

    static void changed(void* self, kc_handle what) { static_cast<in_callback*>(self)->run(what); }
    static void led(void* self, int, std::uint64_t) { static_cast<in_callback*>(self)->run(0); }

    void wait() { REQUIRE(done_.get_future().wait_for(patience) == std::future_status::ready); }

private:
    void run(kc_handle what) {
        if (ran_) return;
        ran_ = true;
        work_(what);
        done_.set_value();
    }

    std::function<void(kc_handle)> work_;
    bool ran_ = false;
    std::promise<void> done_;
};

}  // namespace

TEST_CASE("a callback may call all but kc_free of itself and of its client") {
    server_stage stage;
    stage.create(service_web);
    stage.create(slice_of_web({"10.77.0.1"}));
    const kc_handle client = stage.client();
    kc_handle other = 0;
    REQUIRE(kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, &other) == KC_OK);
    kc_handle self = 0, made_lead = 0, made_follow = 0, made_endpoints = 0, made_registration = 0;
    in_callback work([&](kc_handle what) {
        // The handle stands in *out before the first callback.
        CHECK(what == self);
        CHECK(kc_free(what) == KC_EBUSY);
        CHECK(last_error().find("in its own callback") != std::string::npos);
        CHECK(kc_free(client) == KC_EBUSY);
        CHECK(last_error().find("in a callback of its parts") != std::string::npos);
        CHECK(kc_client_dispatch(client, 0) == KC_EINVAL);
        int number = 0;
        CHECK(kc_client_fd(client, &number) == KC_EINVAL);
        char text[64];
        std::int64_t ms = 0;
        const int got = kc_follow_get(what, text, sizeof text, &number, &ms);
        CHECK((got == KC_OK || got == KC_ENOTFOUND));
        CHECK(kc_lead(client, lead_one, nullptr, nullptr, &made_lead) == KC_OK);
        CHECK(kc_lead_left(made_lead, &ms, nullptr) == KC_OK);
        CHECK(kc_follow(client, "k8s://default/store", nullptr, nullptr, &made_follow) == KC_OK);
        CHECK(kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, &made_endpoints) == KC_OK);
        CHECK(kc_register(client,
                          R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"a","namespace":"default"}})",
                          &made_registration) == KC_OK);
        kc_handle snapshot = 0;
        CHECK(kc_snapshot(made_endpoints, &snapshot) == KC_OK);
        CHECK(kc_snapshot_info(snapshot, nullptr, nullptr, nullptr, nullptr) == KC_OK);
        CHECK(kc_free(snapshot) == KC_OK);
        // Other parts may be freed: they end soon after.
        for (const kc_handle part : {made_follow, made_endpoints, made_registration, other}) {
            CHECK(kc_free(part) == KC_OK);
            CHECK(kc_free(part) == KC_EHANDLE);
        }
        kc_handle second = 0;
        CHECK(kc_client_new(stage.options().c_str(), &second) == KC_OK);
        CHECK(kc_free(second) == KC_OK);
    });
    REQUIRE(kc_follow(client, "k8s://default/store", in_callback::changed, &work, &self) == KC_OK);
    work.wait();
    CHECK(kc_free(self) == KC_OK);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("a leader that another part's callback frees gives the Lease up soon after") {
    server_stage stage;
    const kc_handle client = stage.client();
    call_record calls;
    kc_handle lead = 0, follow = 0;
    REQUIRE(kc_lead(client, lead_one, call_record::led, &calls, &lead) == KC_OK);
    calls.wait_count(1);
    in_callback work([&](kc_handle) { CHECK(kc_free(lead) == KC_OK); });
    REQUIRE(kc_follow(client, "k8s://default/store", in_callback::changed, &work, &follow) == KC_OK);
    work.wait();
    stage.wait_object("coordination.k8s.io", "leases", "store", [](const kcontrol::json::value& lease) {
        return kcontrol::json::get_string(lease, {"spec", "holderIdentity"}).empty();
    });
    CHECK(calls.calls().size() == 1);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("kc_free waits for a callback that runs on another thread, and none comes after it") {
    server_stage stage;
    const kc_handle client = stage.client();
    std::promise<void> entered, leave;
    std::atomic<bool> left = false;
    kc_handle lead = 0;
    in_callback work([&](kc_handle) {
        entered.set_value();
        leave.get_future().wait();
        left = true;
    });
    REQUIRE(kc_lead(client, lead_one, in_callback::led, &work, &lead) == KC_OK);
    entered.get_future().wait();
    auto freeing = std::async(std::launch::async, [&] {  // seam: ok, kc_free blocks
        const int code = kc_free(lead);
        CHECK(left);
        return code;
    });
    // The handle ends at once, for others too.
    while (kc_lead_left(lead, nullptr, nullptr) == KC_OK) std::this_thread::yield();
    CHECK(kc_free(lead) == KC_EHANDLE);
    leave.set_value();
    CHECK(freeing.get() == KC_OK);
    CHECK(kc_free(client) == KC_OK);
}
