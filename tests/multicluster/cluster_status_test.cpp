#include <kcontrol/multicluster/cluster_status.hpp>

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;

kind_status kind(std::string name, informer_state state, error_code failure = {}, bool synced = false) {
    kind_status k;
    k.gvk = group_version_kind("g", "v1", std::move(name));
    k.informer.state = state;
    k.informer.failure = failure;
    k.informer.synced = synced || state == informer_state::live;
    if (failure) k.informer.reason = failure.message();
    return k;
}

const kind_status live = kind("A", informer_state::live);
const kind_status absent = kind("B", informer_state::not_installed);
const kind_status listing = kind("C", informer_state::listing);
const kind_status relisting = kind("C", informer_state::listing, {}, true);
const kind_status forbidden = kind("D", informer_state::forbidden, api_errc::forbidden);
const kind_status odd = [] {
    auto k = live;
    k.informer.reason = "another server answers";
    return k;
}();
const kind_status spoiled = [] {
    auto k = live;
    k.informer.invalid = 2;
    return k;
}();
const kind_status silent = kind("E", informer_state::failed, errc::connection_refused);
const kind_status rejected = kind("F", informer_state::failed, api_errc::unauthorized);
const kind_status distrusted = kind("G", informer_state::failed, errc::tls_failed);

TEST_CASE("derive_cluster_state: the state follows from the kinds") {
    struct row {
        std::vector<kind_status> kinds;
        cluster_state state;
        const char* reason;
    };
    const row rows[] = {
        {{}, cluster_state::live, ""},
        {{live, absent}, cluster_state::live, ""},
        {{absent, absent}, cluster_state::live, ""},
        {{live, relisting}, cluster_state::live, ""},
        {{live, odd, spoiled}, cluster_state::live, "A: another server answers"},
        {{live, spoiled}, cluster_state::live, "A: 2 objects can't be decoded; the log names them"},
        {{spoiled, silent}, cluster_state::degraded, "E: connection refused"},
        {{listing, listing}, cluster_state::connecting, ""},
        {{live, listing}, cluster_state::connecting, ""},
        {{live, forbidden}, cluster_state::degraded, "D: Forbidden"},
        {{forbidden, forbidden}, cluster_state::degraded, "D: Forbidden"},
        {{live, silent}, cluster_state::degraded, "E: connection refused"},
        {{forbidden, silent}, cluster_state::degraded, "E: connection refused"},
        {{silent, silent}, cluster_state::unreachable, "connection refused"},
        {{silent, listing}, cluster_state::unreachable, "connection refused"},
        {{absent, silent}, cluster_state::unreachable, "connection refused"},
        {{absent, rejected}, cluster_state::failed, "Unauthorized"},
        {{rejected, rejected}, cluster_state::failed, "Unauthorized"},
        {{distrusted, distrusted}, cluster_state::failed, "TLS failed"},
        {{silent, rejected}, cluster_state::failed, "connection refused"},
    };
    for (const auto& r : rows) {
        CAPTURE(&r - rows);
        const auto [state, reason] = derive_cluster_state(r.kinds);
        CHECK(to_string(state) == to_string(r.state));
        CHECK(reason == r.reason);
    }
}

TEST_CASE("equal_ignoring_times: counts and states matter, the last sign of life does not") {
    cluster_status a;
    a.kinds = {live};
    auto b = a;
    b.last_sync = wall_time(std::chrono::hours(1));
    CHECK(equal_ignoring_times(a, b));
    b.kinds[0].informer.watches = 2;
    CHECK_FALSE(equal_ignoring_times(a, b));
    b = a;
    b.reason = "x";
    CHECK_FALSE(equal_ignoring_times(a, b));
}

}  // namespace
