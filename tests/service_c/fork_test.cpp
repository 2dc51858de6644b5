// A fork: the child of a process with clients gets KC_EFORKED from each call; the child of one without makes its own.
#include "service_c/stage.hpp"
#include "support/sanitizers.hpp"

#include <sys/wait.h>
#include <unistd.h>

using namespace kcontrol::test;

namespace {

/// What `body` returns in a child, as its exit status.
template <class Body>
int in_child(Body body) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) ::_exit(body());
    int status = 0;
    REQUIRE(::waitpid(child, &status, 0) == child);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

}  // namespace

TEST_CASE("each call in the child of a process with a client") {
    server_stage stage;
    const kc_handle client = stage.client();
    kc_handle lead = 0, follow = 0, endpoints = 0, snapshot = 0;
    REQUIRE(kc_lead(client, R"({"namespace":"default","lease":"a"})", nullptr, nullptr, &lead) == KC_OK);
    REQUIRE(kc_follow(client, "k8s://default/a", nullptr, nullptr, &follow) == KC_OK);
    REQUIRE(kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, &endpoints) == KC_OK);
    REQUIRE(kc_snapshot(endpoints, &snapshot) == KC_OK);
    // No doctest in the child: it returns the number of the first call that is wrong.
    const int wrong = in_child([&] {
        kc_handle out = 1;
        int number = 0;
        kc_endpoint at{};
        at.size = sizeof at;
        const int codes[] = {kc_client_new(nullptr, &out),
                             kc_client_fd(client, &number),
                             kc_client_dispatch(client, 0),
                             kc_lead(client, "{}", nullptr, nullptr, &out),
                             kc_lead_left(lead, nullptr, nullptr),
                             kc_register(client, "{}", &out),
                             kc_follow(client, "k8s://default/a", nullptr, nullptr, &out),
                             kc_follow_get(follow, nullptr, 0, nullptr, nullptr),
                             kc_endpoints(client, "default/web", nullptr, nullptr, nullptr, &out),
                             kc_snapshot(endpoints, &out),
                             kc_snapshot_info(snapshot, nullptr, nullptr, nullptr, nullptr),
                             kc_snapshot_at(snapshot, 0, &at),
                             kc_free(snapshot),
                             kc_free(client),
                             kc_free(12345)};
        int position = 1;
        for (const int code : codes) {
            if (code != KC_EFORKED) return position;
            ++position;
        }
        return kc_abi_version() == 1 && kc_error(nullptr, 0) > 0 && out == 0 ? 0 : 100;
    });
    CHECK(wrong == 0);
    CHECK(kc_free(client) == KC_OK);
    CHECK(kc_free(snapshot) == KC_OK);
}

#if !KCONTROL_TEST_UNDER_TSAN  // which ends a program that forks while it has threads, when the child starts one
TEST_CASE("the child of a process without a client, also of one that has had some, makes its own") {
    server_stage stage;
    CHECK(kc_free(stage.client()) == KC_OK);
    const std::string options = stage.options();
    const int code = in_child([&] {
        kc_handle client = 0, follow = 0;
        if (kc_client_new(options.c_str(), &client) != KC_OK) return 1;
        if (kc_follow(client, "k8s://default/a", nullptr, nullptr, &follow) != KC_OK) return 2;
        return kc_free(client) == KC_OK ? 0 : 3;
    });
    CHECK(code == 0);
}
#endif
