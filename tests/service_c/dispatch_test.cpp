// {"thread":false}: a descriptor for the program's own loop, and all work in kc_client_dispatch().
#include "service_c/stage.hpp"
#include "support/threads.hpp"

#include <poll.h>

using namespace kcontrol::test;

namespace {

constexpr const char* lead_one = R"({"namespace":"default","lease":"store","identity":"one"})";

/// A program's loop: waits for the descriptor alone.
template <class Predicate>
void poll_until(kc_handle client, Predicate done) {
    int fd = -1;
    REQUIRE(kc_client_fd(client, &fd) == KC_OK);
    while (!done()) {
        pollfd wanted{fd, POLLIN, 0};
        REQUIRE(::poll(&wanted, 1, 120'000) == 1);
        const int code = kc_client_dispatch(client, 0);
        REQUIRE((code == KC_OK || code == KC_ETIMEDOUT));
    }
}

}  // namespace

TEST_CASE("no thread is started, callbacks come on the caller's, and timers make the descriptor readable") {
    server_stage stage;
    const std::size_t before = threads_now();
    const kc_handle client = stage.client(R"(,"thread":false)");
    call_record calls;
    kc_handle lead = 0;
    REQUIRE(kc_lead(client,
                    R"({"namespace":"default","lease":"store","leaseDurationSeconds":60,"renewDeadlineSeconds":50,)"
                    R"("retryPeriodSeconds":0.1})",
                    call_record::led, &calls, &lead) == KC_OK);
    poll_until(client, [&] { return !calls.calls().empty(); });
    CHECK(threads_now() == before);
    // It renews only because timers wake the loop.
    const auto renewed = [](const kcontrol::json::value& lease) {
        return std::string(kcontrol::json::get_string(lease, {"spec", "renewTime"}));
    };
    const std::string at_first = renewed(stage.get("coordination.k8s.io", "leases", "store"));
    poll_until(client, [&] { return renewed(stage.get("coordination.k8s.io", "leases", "store")) != at_first; });
    CHECK(calls.calls().size() == 1);
    // Without a thread, kc_free does the work itself.
    CHECK(kc_free(lead) == KC_OK);
    CHECK(kcontrol::json::get_string(stage.get("coordination.k8s.io", "leases", "store"), {"spec", "holderIdentity"}) ==
          "");
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("what is refused: a client with a thread, a callback, two threads") {
    server_stage stage;
    const kc_handle threaded = stage.client();
    int fd = -1;
    CHECK(kc_client_fd(threaded, &fd) == KC_EINVAL);
    CHECK(kc_client_dispatch(threaded, 0) == KC_EINVAL);
    CHECK(last_error().find("{\"thread\":false}") != std::string::npos);
    CHECK(kc_free(threaded) == KC_OK);

    struct state {
        kc_handle client = 0;
        int codes[2] = {-1, -1};
        bool called = false;
        static void led(void* self, int, std::uint64_t) {
            auto& at = *static_cast<state*>(self);
            at.codes[0] = kc_client_dispatch(at.client, 0);
            at.codes[1] = kc_free(at.client);
            at.called = true;
        }
    } at;
    at.client = stage.client(R"(,"thread":false)");
    kc_handle lead = 0;
    REQUIRE(kc_lead(at.client, lead_one, state::led, &at, &lead) == KC_OK);
    poll_until(at.client, [&] { return at.called; });
    CHECK(at.codes[0] == KC_EBUSY);
    CHECK(at.codes[1] == KC_EBUSY);
    CHECK(kc_free(at.client) == KC_OK);
}

TEST_CASE("nothing to do: the time passes") {
    server_stage stage;
    const kc_handle client = stage.client(R"(,"thread":false)");
    while (kc_client_dispatch(client, 0) == KC_OK) {
    }
    CHECK(kc_client_dispatch(client, 0) == KC_ETIMEDOUT);
    CHECK(kc_client_dispatch(client, 1) == KC_ETIMEDOUT);
    CHECK(kc_free(client) == KC_OK);
}

TEST_CASE("a part, and then the client, is freed on one thread while another one dispatches") {
    server_stage stage;
    const kc_handle client = stage.client(R"(,"thread":false)");
    call_record calls;
    kc_handle lead = 0;
    REQUIRE(kc_lead(client, lead_one, call_record::led, &calls, &lead) == KC_OK);
    auto dispatching = std::async(std::launch::async, [&] {  // seam: ok, the second thread is what is tested
        int code = KC_OK;
        while (code == KC_OK || code == KC_ETIMEDOUT) code = kc_client_dispatch(client, -1);
        return code;
    });
    calls.wait_count(1);
    CHECK(kc_free(lead) == KC_OK);
    CHECK(kcontrol::json::get_string(stage.get("coordination.k8s.io", "leases", "store"), {"spec", "holderIdentity"}) ==
          "");
    CHECK(kc_free(client) == KC_OK);
    CHECK(dispatching.get() == KC_EHANDLE);
}
