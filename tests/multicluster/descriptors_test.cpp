// A process that may open no more files: what is connected goes on, what can't be opened says why, and all is well once
// there is room. On real sockets.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/testing/local_api_server.hpp>
#include <kcontrol/testing/temporary_directory.hpp>

#include "simulation/widget.hpp"
#include "support/print.hpp"
#include "transport/fixture.hpp"

#include <cstdio>
#include <fcntl.h>
#include <map>
#include <sys/resource.h>
#include <unistd.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;

/// While it lives, descriptors above the first free one can't be had; `spare` of them can.
class no_more_files {
public:
    explicit no_more_files(int spare = 0) {
        REQUIRE(::getrlimit(RLIMIT_NOFILE, &before_) == 0);
        const int next = ::open("/dev/null", O_RDONLY | O_CLOEXEC);
        ::close(next);
        rlimit tight = before_;
        tight.rlim_cur = static_cast<rlim_t>(next + spare);
        REQUIRE(::setrlimit(RLIMIT_NOFILE, &tight) == 0);
    }
    ~no_more_files() { ::setrlimit(RLIMIT_NOFILE, &before_); }

private:
    rlimit before_{};
};

struct fixture : loopback {
    fixture() {
        multicluster_options o;
        o.kinds({kind_choice(resource_of<widget>())});
        o.transport(http::make_transport_factory(env));
        o.log(logger([this](const log_record&) { ++logged; }, log_level::info));
        o.on_event([this](const std::string& cluster, const resource_info&, const any_event&) { ++events[cluster]; });
        o.on_status([this](const cluster_status& s) { statuses[s.name] = s; });
        o.on_removed([this](const std::string&) { ++removed; });
        manager.emplace(env, ex(), std::move(o));
        for (auto* server : {&a, &b}) {
            server->api().register_resource({"test.kcontrol.dev", "v1", "Widget", "widgets"});
            REQUIRE(server->start().has_value());
            create(*server, "first");
        }
    }
    ~fixture() {
        run(context, manager->stop());
        run(context, a.stop());
        run(context, b.stop());
    }

    static void create(testing::local_api_server& at, const std::string& name) {
        (void)at.api()
            .create({{"apiVersion", "test.kcontrol.dev/v1"},
                     {"kind", "Widget"},
                     {"metadata", {{"name", name}, {"namespace", "default"}}},
                     {"spec", {{"value", 1}}}})
            .value();
    }

    /// Runs until `condition` holds; a minute is the most, whatever the machine.
    template <class Condition>
    void soon(Condition condition) {
        context.restart();
        const auto limit = env.now() + 60s;
        while (!condition() && env.now() < limit) context.run_one_for(1s);
        CHECK(condition());
    }
    bool says(const std::string& cluster, const std::string& what) {
        return statuses[cluster].reason.find(what) != std::string::npos;
    }

    testing::local_api_server a{env, ex(), {}, false};
    testing::local_api_server b{env, ex(), {}, false};
    std::map<std::string, int> events;
    std::map<std::string, cluster_status> statuses;
    int removed = 0, logged = 0;
    std::optional<multicluster_manager> manager;
};

}  // namespace

TEST_CASE("descriptors exhausted: a cluster that can't be connected to says so; the others go on, and it recovers") {
    fixture f;
    f.manager->set_desired({{"a", f.a.config()}});
    f.soon([&] { return f.statuses["a"].state == cluster_state::live; });
    {
        const no_more_files tight;
        f.manager->set_desired({{"a", f.a.config()}, {"b", f.b.config()}});
        f.soon([&] { return f.says("b", "Too many open files"); });
        CHECK(f.statuses["b"].state == cluster_state::unreachable);
        // No message beside it: to see whether an object is one UBSan needs a descriptor, the first time.
        CHECK(f.says("b", "raise its limit"));
        const int before = f.logged;
        for (int i = 0; i < 3; ++i) {
            fixture::create(f.a, "more" + std::to_string(i));
            f.soon([&] { return f.events["a"] == 2 + i; });
        }
        CHECK(f.statuses["a"].state == cluster_state::live);
        CHECK(f.logged - before <= 3);
    }
    f.soon([&] { return f.statuses["b"].state == cluster_state::live && f.events["b"] == 1; });
    CHECK(f.statuses["a"].kinds.at(0).informer.watches == 1);
}

TEST_CASE("descriptors exhausted: kubeconfigs that can't be read are not gone, and their clusters go on") {
    for (const int spare : {0, 1}) {  // the directory can't be read; it can, and its files can't
        fixture f;
        const testing::temporary_directory dir;
        dir.write("a.yaml", f.a.kubeconfig());
        const testing::temporary_directory other;
        other.write("b.yaml", f.b.kubeconfig());
        directory_source source(f.env, f.ex(), dir.path(), auth::trust::trusted);
        int sets = 0;
        REQUIRE(source
                    .start([&](std::vector<desired_cluster> set) {
                        ++sets;
                        f.manager->set_desired(std::move(set));
                    })
                    .has_value());
        f.soon([&] { return f.statuses["a"].state == cluster_state::live; });
        {
            const no_more_files tight(spare);
            REQUIRE(std::rename(other.path("b.yaml").c_str(), dir.path("b.yaml").c_str()) == 0);
            const auto until = f.env.now() + 1s;  // measures: long enough to hear of it; nothing shall happen
            f.soon([&] { return f.env.now() > until; });
            fixture::create(f.a, "more");
            f.soon([&] { return f.events["a"] == 2; });
            CHECK(f.removed == 0);
            CHECK(f.statuses["a"].state == cluster_state::live);
        }
        REQUIRE(std::rename(dir.path("b.yaml").c_str(), dir.path("c.yaml").c_str()) == 0);
        f.soon([&] { return f.statuses["c"].state == cluster_state::live; });
        CHECK(f.statuses["a"].kinds.at(0).informer.watches == 1);
        source.stop();
    }
}
