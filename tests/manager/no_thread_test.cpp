// The library's promise, kept by all of it together: a manager on the host's loop, over TLS and by name, with programs
// that its reconciler runs and a name that nobody resolves, starts no thread.
#include <kcontrol/controller/builder.hpp>
#include <kcontrol/manager/manager.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/run.hpp>
#include <kcontrol/transport/client.hpp>

#include "support/dns_server.hpp"
#include "support/overlay_environment.hpp"
#include "support/threads.hpp"

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

struct pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    static constexpr auto kcontrol_fields() { return fields(); }
};

class host {
public:
    host() {
        env.files["/etc/resolv.conf"] = names.line() + "search cluster.test\n";
        names.names()["api.cluster.test"] = dns_entry({"127.0.0.1"});
        names.names()["stuck.test"] = dns_entry::silent;
    }

    client connect(const std::string& name) {
        auto config = server.config();
        auto tls = config.tls();
        tls.server_name("localhost");  // whom its certificate names
        config.server(http::endpoint("https", name, server.port())).tls(std::move(tls));
        return client::connect(env, context.get_executor(), config, http::make_transport_factory(env)).value();
    }

    reconciliation reconcile() {
        process_command command({"/bin/sh", "-c", "cat; exit 3"});
        command.input("a credential").variable("PATH", "/usr/bin:/bin");
        const auto ended = co_await env.run_process(std::move(command));
        if (ended && ended->exit_status == 3) outputs.push_back(ended->output);
        co_return reconcile_result::done();
    }

    /// Runs the loop until then, and keeps the greatest number of threads there was after any handler.
    template <class Condition>
    void until(Condition condition) {
        context.restart();
        while (!condition()) {
            REQUIRE(context.run_one_for(1min) != 0);
            most = std::max(most, threads_now());
        }
    }

    overlay_environment env;
    boost::asio::io_context context{1};
    dns_server names{context};
    testing::local_api_server server{env, context.get_executor()};
    std::vector<std::string> outputs;
    std::size_t most = 0;
};

}  // namespace

TEST_CASE("a manager starts no thread: not for host names, not for programs, not for anything") {
    const auto before = threads_now();
    host h;
    REQUIRE(h.server.start().has_value());
    for (const auto* name : {"a", "b", "c"}) {
        const auto made = h.server.api().create(
            {{"apiVersion", "v1"}, {"kind", "Pod"}, {"metadata", {{"name", name}, {"namespace", "default"}}}});
        REQUIRE(made.has_value());
    }
    manager stuck(h.env, h.context.get_executor(), h.connect("stuck.test"));
    manager m(h.env, h.context.get_executor(), h.connect("api"));
    const auto reconcile = [&h](reconcile_context, std::shared_ptr<const pod>) { return h.reconcile(); };
    REQUIRE(controller_builder(m, "running").for_<pod>().complete(reconcile).has_value());
    REQUIRE(controller_builder(stuck, "waiting").for_<pod>().complete(reconcile).has_value());
    stuck.start();
    m.start();
    h.until([&h] { return h.outputs.size() == 3; });
    CHECK(h.outputs == std::vector<std::string>(3, "a credential"));
    const auto& asked = h.names.asked();
    CHECK(std::count(asked.begin(), asked.end(), "stuck.test") > 0);
    CHECK(std::count(asked.begin(), asked.end(), "api.cluster.test") > 0);
    testing::run(h.context, m.stop());
    testing::run(h.context, stuck.stop());
    h.most = std::max(h.most, threads_now());
    CHECK(h.most == before);
}
