// Who is told of the clusters there should be throws: a source calls him again, and a transport that throws is an
// error.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/multicluster/secret_source.hpp>

#include "support/throws.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;

namespace {

struct listener {
    auto callback() {
        return [this](std::vector<desired_cluster> clusters) {
            ++calls;
            if (faulty) throw_it(what);
            names.clear();
            for (const auto& c : clusters) names += c.name + " ";
        };
    }
    logger log() {
        return logger([this](const log_record& r) {
            if (r.message != "a function of the program threw") return;
            for (const auto& f : r.fields) told += std::string(f.name) + "=" + f.value + " ";
        });
    }
    thrown what = thrown::runtime_error;
    bool faulty = true;
    int calls = 0;
    std::string names, told;
};

constexpr const char* kubeconfig =
    "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
    "clusters: [{name: k, cluster: {server: 'https://a:443'}}]\nusers: [{name: u, user: {token: t}}]\n";

}  // namespace

TEST_CASE("directory_source: on_change() that throws is called again, and then on changes as ever") {
    for (const thrown what : all_thrown) {
        widget_world w;
        listener told;
        told.what = what;
        w.env.write_file("/clusters/one", kubeconfig);
        directory_source source(w.env, w.home, "/clusters", auth::trust::trusted, told.log());
        REQUIRE(source.start(told.callback()));
        w.context.run_for(2min);
        CHECK(told.calls >= 6);  // after 1, 2, 4, 8, 16, 30, 30 s…
        CHECK(told.calls <= 10);
        CHECK(told.told.starts_with("function=on_change() of a directory_source about=/clusters error="));
        told.faulty = false;
        w.context.run_for(35s);
        CHECK(told.names == "one ");
        const int calls = told.calls;
        w.context.run_for(2min);
        CHECK(told.calls == calls);
        w.env.write_file("/clusters/two", kubeconfig);
        w.context.run_for(2s);
        CHECK(told.names == "one two ");
        source.stop();
        w.context.run_for(1min);
    }
}

TEST_CASE("secret_source: on_change() that throws is called again, but not after stop()") {
    for (const thrown what : all_thrown) {
        widget_world w;
        listener told;
        told.what = what;
        auto& at_home = w.add("home");
        secret_source source(w.env, w.home, at_home.config(), w.network.factory(),
                             secret_source_options().in_namespace("default").log(told.log()));
        REQUIRE(source.start(told.callback()));
        w.context.run_for(20s);
        CHECK(told.calls >= 4);
        CHECK(told.calls <= 6);
        CHECK(told.told.starts_with("function=on_change() of a secret_source error="));
        told.faulty = false;
        w.context.run_for(35s);
        const int calls = told.calls;
        w.context.run_for(2min);
        CHECK(told.calls == calls);
        source.stop();
        w.context.run_for(1s);

        told.faulty = true;
        REQUIRE(source.start(told.callback()));
        w.context.run_for(10s);
        CHECK(told.calls > calls);
        source.stop();
        const int before = told.calls;
        w.context.run_for(2min);
        CHECK(told.calls == before);
    }
}

TEST_CASE("a transport that throws for a while makes a cluster that is not live for a while") {
    for (const thrown what : all_thrown) {
        widget_world w;
        bool faulty = true;
        bool makes = false;
        std::string seen;
        std::optional<cluster_status> status;
        struct shaky final : http::transport {
            awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options o) override {
                if (*faulty) throw_it(what);
                return inner->open(std::move(req), std::move(o));
            }
            void close() override { inner->close(); }
            std::shared_ptr<http::transport> inner;
            bool* faulty = nullptr;
            thrown what{};
        };
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())}).informers(informer_options().probe_period(5s));
        o.transport([&](executor ex, const http::endpoint& to,
                        const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
            if (!makes) throw_it(what);
            auto made = std::make_shared<shaky>();
            made->inner = w.network.factory()(ex, to, tls).value();
            made->faulty = &faulty;
            made->what = what;
            return std::shared_ptr<http::transport>(std::move(made));
        });
        o.on_event([&](const std::string&, const resource_info&, const any_event& e) {
            seen += std::string(e.object().meta().name) + " ";
        });
        o.on_status([&](const cluster_status& s) { status = s; });
        multicluster_manager manager(w.env, w.home, std::move(o));
        auto& a = w.add("a");
        a.create("x");
        const auto want = [&](const std::string& token) {
            manager.set_desired({desired_cluster("a", a.config(token))});
            w.context.run_for(10s);
        };
        want("1");
        REQUIRE(status);
        CHECK(status->state == cluster_state::failed);
        CHECK(status->reason.find("the transport factory threw: ") != std::string::npos);
        makes = true;
        w.context.run_for(1min);
        CHECK(status->state == cluster_state::failed);
        CHECK(status->reason.find(text_of(what)) != std::string::npos);
        faulty = false;
        w.context.run_for(1min);
        CHECK(status->state == cluster_state::live);
        CHECK(seen == "x ");
        faulty = true;
        CHECK(w.ends_within(1s, manager.stop()));
        w.context.run_for(1s);
    }
}
