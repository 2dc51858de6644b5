// Many clusters, and the bugs (a) to (g) that a well-known Go program of this kind had: each is a test here.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::link_state;

struct fixture : widget_world {
    explicit fixture(std::vector<kind_choice> kinds = {kind_choice(resource_of<widget>())}) {
        multicluster_options o;
        o.kinds(std::move(kinds)).informers(informer_options().probe_period(5s)).transport(network.factory());
        o.on_event([this](const std::string& cluster, const resource_info& info, const any_event& e) {
            events[cluster] += (e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-")) +
                               e.object().meta().name + (info.gvk.version == "v1" ? " " : "@v2 ");
        });
        o.on_status([this](const cluster_status& s) { statuses[s.name] = s; });
        o.on_removed([this](const std::string& cluster) {
            statuses.erase(cluster);
            removed += cluster;
        });
        manager.emplace(env, home, std::move(o));
    }

    // A context that dies with coroutines suspended on their own events would leak them.
    ~fixture() {
        ends_within(1s, manager->stop());
        settle();
    }

    // Clusters are named by their servers; each has a token.
    void want(std::map<std::string, std::string> names_and_tokens) {
        std::vector<desired_cluster> desired;
        for (const auto& [name, token] : names_and_tokens) {
            auth::cluster_config c;
            c.server(http::endpoint("https", name, 443));
            c.token(secret_string(token));
            desired.emplace_back(name, c);
        }
        manager->set_desired(std::move(desired));
        settle();
    }

    std::string take(const std::string& cluster) { return std::exchange(events[cluster], {}); }
    void settle(duration d = 2s) { context.run_for(d); }
    cluster_state state(const std::string& cluster) { return statuses.at(cluster).state; }

    std::map<std::string, std::string> events;
    std::map<std::string, cluster_status> statuses;
    std::string removed;
    std::optional<multicluster_manager> manager;
};

TEST_CASE("bug (a): starting one informer does not end another") {
    fixture f({kind_choice(resource_of<widget>()), kind_choice(resource_of<gadget>())});
    for (const auto* name : {"a", "b", "c"}) {
        f.add(name).api.register_resource({"test.kcontrol.dev", "v1", "Gadget", "gadgets"});
    }
    f.want({{"a", ""}, {"b", ""}, {"c", ""}});
    for (const auto* name : {"a", "b", "c"}) {
        CHECK(f.state(name) == cluster_state::live);
        CHECK(f.network.open_exchanges(name) == 2);
    }
}

TEST_CASE_FIXTURE(fixture, "bugs (b) and (c): a storm of changes of the set is neither a race nor a deadlock") {
    for (const auto* name : {"a", "b", "c", "d"}) add(name).create("x");
    for (int round = 0; round < 40; ++round) {
        std::map<std::string, std::string> set;
        for (const auto* name : {"a", "b", "c", "d"}) {
            if (env.random() % 2 == 0) set.emplace(name, "t" + std::to_string(env.random() % 2));
        }
        std::vector<desired_cluster> desired;
        for (const auto& [name, token] : set) {
            auth::cluster_config c;
            c.server(http::endpoint("https", name, 443));
            c.token(secret_string(token));
            desired.emplace_back(name, c);
        }
        manager->set_desired(std::move(desired));
        if (round % 3 == 0) settle(duration(env.random() % 5'000'000));
    }
    want({{"a", "t"}, {"c", "t"}});
    CHECK(manager->names() == std::vector<std::string>{"a", "c"});
    for (const auto* name : {"a", "c"}) CHECK(state(name) == cluster_state::live);
    for (const auto* name : {"a", "c"}) CHECK(network.open_exchanges(name) == 1);
    for (const auto* name : {"b", "d"}) CHECK(network.open_exchanges(name) == 0);
}

TEST_CASE_FIXTURE(fixture, "bug (d): a change of one cluster touches no request of another") {
    auto& a = add("a");
    auto& b = add("b");
    want({{"a", "1"}, {"b", "1"}});
    want({{"a", "2"}, {"b", "1"}});
    add("c");
    want({{"a", "2"}, {"b", "1"}, {"c", "1"}});
    want({{"a", "2"}, {"b", "1"}});
    CHECK(removed == "c");
    CHECK(a.watches() == 2);
    CHECK(a.lists() == 1);
    CHECK(statuses.at("a").generation == 2);
    CHECK(b.watches() == 1);
    CHECK(b.lists() == 1);
    CHECK(statuses.at("b").generation == 1);
    CHECK(statuses.at("b").kinds.at(0).informer.watches == 1);
}

TEST_CASE_FIXTURE(fixture, "multicluster_manager: of several configurations at once the last one counts") {
    auto& a = add("a");
    want({{"a", "1"}});
    CHECK(a.watches() == 1);
    std::vector<std::vector<desired_cluster>> one_after_another;
    for (const auto* token : {"2", "1"}) {
        auth::cluster_config c;
        c.server(http::endpoint("https", "a", 443));
        c.token(secret_string(token));
        one_after_another.push_back({desired_cluster("a", c)});
    }
    const auto begun = statuses.at("a").generation;
    for (auto& each : one_after_another) manager->set_desired(std::move(each));
    settle();
    CHECK(state("a") == cluster_state::live);
    CHECK(statuses.at("a").generation == begun + 2);  // to the new one, and back
}

TEST_CASE_FIXTURE(fixture, "bug (e): a rebuild notifies nothing twice, with 1,000 objects") {
    auto& a = add("a");
    for (int i = 0; i < 1000; ++i) a.create("w" + std::to_string(i));
    want({{"a", "1"}});
    CHECK(std::count(events["a"].begin(), events["a"].end(), '+') == 1000);
    take("a");
    want({{"a", "2"}});
    a.set_value("w7", 1);
    settle();
    CHECK(take("a") == "~w7 ");
}

TEST_CASE_FIXTURE(fixture, "bug (f): a bad configuration and a missing kind are states that can be seen, and end") {
    auto& a = add("a");
    a.api.remove_resource(widgets);
    std::vector<desired_cluster> desired;
    desired.emplace_back("a", a.config());
    desired.emplace_back("b", error(errc::invalid_config, "/clusters/b.yaml: no such context"));
    manager->set_desired(std::move(desired));
    settle();
    CHECK(state("a") == cluster_state::live);
    CHECK(statuses.at("a").kinds.at(0).informer.state == informer_state::not_installed);
    CHECK(state("b") == cluster_state::failed);
    CHECK(statuses.at("b").reason == "/clusters/b.yaml: no such context");
    a.api.register_resource(widget_type());
    a.create("x");
    add("b");
    want({{"a", ""}, {"b", ""}});
    settle(5s);
    CHECK(take("a") == "+x ");
    CHECK(state("b") == cluster_state::live);
}

TEST_CASE_FIXTURE(fixture, "bug (g): what a failed start left behind is not half a set") {
    auto& a = add("a");
    a.create("x");
    network.set_link("a", link_state::refused);
    want({{"a", ""}});
    CHECK(state("a") == cluster_state::unreachable);
    want({});
    CHECK(removed == "a");
    network.set_link("a", link_state::up);
    want({{"a", ""}});
    CHECK(state("a") == cluster_state::live);
    CHECK(take("a") == "+x ");
    CHECK(network.open_exchanges("a") == 1);
}

TEST_CASE_FIXTURE(fixture, "multicluster_manager: an unusable new configuration leaves the old one running") {
    auto& a = add("a");
    want({{"a", ""}});
    std::vector<desired_cluster> desired;
    desired.emplace_back("a", error(errc::invalid_config, "broken"));
    manager->set_desired(std::move(desired));
    settle();
    CHECK(state("a") == cluster_state::live);
    CHECK(statuses.at("a").reason == "broken");
    a.create("x");
    settle();
    CHECK(take("a") == "+x ");
}

TEST_CASE_FIXTURE(fixture, "multicluster_manager: one black-holed cluster costs the others nothing, nor the stop") {
    add("a").create("x");
    add("b").create("y");
    network.set_link("a", link_state::black_hole);
    want({{"a", ""}, {"b", ""}});
    CHECK(take("b") == "+y ");
    CHECK(state("b") == cluster_state::live);
    settle(70s);
    CHECK(state("a") == cluster_state::unreachable);
    CHECK(ends_within(1s, manager->stop()));
    CHECK(network.open_exchanges("b") == 0);
    CHECK(manager->names().empty());
}

TEST_CASE_FIXTURE(fixture, "multicluster_manager: a cluster that returns while it is leaving is engaged anew") {
    add("a").create("x");
    want({{"a", ""}});
    manager->set_desired({});
    want({{"a", ""}});
    CHECK(removed == "a");
    CHECK(take("a") == "+x +x ");
    CHECK(state("a") == cluster_state::live);
}

TEST_CASE(
    "multicluster_manager: of two versions the one that the cluster serves is watched, and a change is followed") {
    fixture f({kind_choice(resource_of<widget_v2>(), resource_of<widget>())});
    auto& a = f.add("a");
    a.create("x");
    f.want({{"a", ""}});
    CHECK(f.take("a") == "+x ");
    CHECK(f.statuses.at("a").kinds.at(0).gvk.version == "v1");
    a.api.remove_resource(widgets);
    f.settle(20s);
    CHECK(f.take("a") == "-x ");
    CHECK(f.statuses.at("a").kinds.at(0).informer.state == informer_state::not_installed);
    a.api.register_resource({"test.kcontrol.dev", "v2", "Widget", "widgets"});
    (void)a.api.create({{"apiVersion", "test.kcontrol.dev/v2"}, {"kind", "Widget"}, {"metadata", {{"name", "y"}}}})
        .value();
    f.settle(20s);
    CHECK(f.take("a") == "+y@v2 ");
    CHECK(f.statuses.at("a").kinds.at(0).gvk.version == "v2");
    CHECK(f.statuses.at("a").kinds.at(0).informer.state == informer_state::live);
}

const std::string kubeconfig_of(const std::string& server) {
    return "apiVersion: v1\nkind: Config\ncurrent-context: c\ncontexts: [{name: c, context: {cluster: k, user: u}}]\n"
           "clusters: [{name: k, cluster: {server: \"https://" +
           server +
           ":443\"}}]\n"
           "users: [{name: u, user: {token: t}}]\n";
}

TEST_CASE_FIXTURE(fixture, "directory_source: files are clusters; they come, change and go within two seconds") {
    add("a").create("x");
    auto& b = add("b");
    env.write_file("/clusters/one.yaml", kubeconfig_of("a"));
    env.write_file("/clusters/.hidden", "x");
    env.write_file("/clusters/one.yaml~", "x");
    directory_source source(env, home, "/clusters", auth::trust::trusted);
    REQUIRE(source.start([this](std::vector<desired_cluster> d) { manager->set_desired(std::move(d)); }));
    settle();
    CHECK(manager->names() == std::vector<std::string>{"one"});
    CHECK(take("one") == "+x ");
    env.write_file("/clusters/two.conf", kubeconfig_of("b").substr(0, 80));  // half-written
    settle(500ms);
    CHECK_FALSE(statuses.contains("two"));
    env.write_file("/clusters/two.conf", kubeconfig_of("b"));
    settle();
    CHECK(state("two") == cluster_state::live);
    env.write_file("/clusters/two.conf", kubeconfig_of("b") + "# another text, the same meaning\n");
    settle();
    CHECK(b.watches() == 1);
    env.write_file("/clusters/three", "nonsense");
    settle();
    CHECK(state("three") == cluster_state::failed);
    CHECK(statuses.at("three").reason.find("/clusters/three") != std::string::npos);
    env.remove_file("/clusters/one.yaml");
    settle();
    CHECK(removed == "one");
    source.stop();
    env.remove_file("/clusters/two.conf");
    settle(60s);
    CHECK(state("two") == cluster_state::live);
}

}  // namespace
