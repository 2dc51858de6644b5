// How clusters are asked: the options are for each, and so is a limit of requests.
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "simulation/encodings.hpp"
#include "simulation/numbered_job.hpp"
#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <map>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

awaitable<void> read(client from, int times) {
    for (int i = 0; i < times; ++i) {
        const namespaced_name key("default", "w");
        client live = from.live();
        const auto got = co_await live.get<widget>(key);
        CHECK(got);
    }
}

}  // namespace

TEST_CASE("multicluster_options: a limit of requests is each cluster's own, and outlasts its rotation") {
    widget_world w;
    std::map<std::string, engaged_cluster*> engaged;
    multicluster_options o;
    o.transport(w.network.factory()).client(client_options().rate_limit(1, 1));
    o.on_engage([&](engaged_cluster& c) { engaged[c.name()] = &c; });
    multicluster_manager m(w.env, w.home, std::move(o));
    for (const char* name : {"a", "b"}) w.add(name).create("w");
    m.set_desired({desired_cluster("a", w.add("a").config()), desired_cluster("b", w.add("b").config())});
    REQUIRE(w.world.run_until([&] { return engaged.size() == 2; }, 1min));
    const auto took = [&](const std::string& cluster, int times) {
        const time_point begun = w.env.now();
        w.world.run(read(engaged.at(cluster)->get_client(), times));
        return w.env.now() - begun;
    };
    w.world.run_for(5s);
    CHECK(took("a", 6) > 4900ms);
    CHECK(took("b", 1) < 100ms);  // it does not wait for what a has used
    m.set_desired({desired_cluster("a", w.add("a").config("new")), desired_cluster("b", w.add("b").config())});
    w.world.run_for(5s);
    CHECK(took("a", 6) > 4900ms);
    w.world.run(m.stop());
}

TEST_CASE("multicluster_options: objects travel as the client's options say, whatever is around the transport") {
    widget_world w;
    auto& server = w.add("a");
    std::map<bool, int> asked;  // by whether it was for Protocol Buffers
    server.api.set_faults([&](const http::server_request& request) {
        if (request.target.find("/jobs") != std::string::npos) ++asked[asks_for_protobuf(request)];
        return testing::fault();
    });
    std::size_t live = 0;
    multicluster_options o;
    o.transport(w.network.factory()).budget(cluster_budget().max_concurrent_requests(4));
    o.client(client_options().encoding(protobuf_encoding()));
    o.kinds({kind_choice(resource_of<numbered_job>())});
    o.on_status([&](const cluster_status& status) { live += status.state == cluster_state::live ? 1U : 0U; });
    multicluster_manager m(w.env, w.home, std::move(o));
    m.set_desired({desired_cluster("a", server.config())});
    REQUIRE(w.world.run_until([&] { return live > 0; }, 1min));
    w.world.run_for(1s);
    CHECK(asked[true] >= 2);  // a list and a watch
    CHECK(asked[false] == 0);
    w.world.run(m.stop());
}
