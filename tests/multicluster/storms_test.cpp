// What happens to many clusters at the same time: servers that restart, credentials that change, clocks that jump,
// proxies and servers that are a burden for an hour. In virtual time.
#include <kcontrol/multicluster/multicluster_manager.hpp>

#include "support/how_much.hpp"
#include "support/print.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using testing::fault;
using testing::link_state;

struct third : widget {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Third", "thirds"};
};
struct fourth : widget {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Fourth", "fourths"};
};
struct fifth : widget {
    static constexpr resource_name kcontrol_resource{"test.kcontrol.dev", "v1", "Fifth", "fifths"};
};

// So many clusters with three widgets each, under one manager.
struct fleet : widget_world {
    explicit fleet(std::size_t size, std::vector<kind_choice> kinds = {kind_choice(resource_of<widget>())}) {
        for (const auto& k : kinds) world.register_resource(testing::resource_type_of(*k.versions.front()));
        multicluster_options o;
        o.kinds(std::move(kinds)).transport(network.factory());
        o.on_event([this](const std::string& cluster, const resource_info&, const any_event& e) {
            ++events;
            const auto& meta = e.object().meta();
            if (!told.insert(cluster + "/" + std::string(meta.name) + "@" + std::string(meta.resource_version))
                     .second) {
                ++told_twice;
            }
        });
        o.on_status([this](const cluster_status& s) {
            statuses[s.name] = s;
            ++seen[s.state];
        });
        manager.emplace(env, home, std::move(o));
        for (std::size_t i = 0; i < size; ++i) names.push_back("c" + std::to_string(i));
        for (const auto& name : names) {
            for (const auto* object : {"x", "y", "z"}) add(name).create(object);
        }
    }

    // A context that dies with coroutines suspended on their own events would leak them.
    ~fleet() {
        ends_within(10s, manager->stop());
        context.run_for(2s);
    }

    void want(const std::string& token, const std::string& ca = {}) {
        std::vector<desired_cluster> desired;
        for (const auto& name : names) {
            auto c = add(name).config(token);
            if (!ca.empty()) c.tls(http::tls_options().ca_pem(ca));
            desired.emplace_back(name, std::move(c));
        }
        manager->set_desired(std::move(desired));
    }

    bool all_are(cluster_state state) const {
        return statuses.size() == names.size() &&
               std::all_of(statuses.begin(), statuses.end(), [&](const auto& s) { return s.second.state == state; });
    }
    std::uint64_t sum(std::uint64_t informer_status::*what) const {
        std::uint64_t out = 0;
        for (const auto& [name, s] : statuses) {
            for (const auto& kind : s.kinds) out += kind.informer.*what;
        }
        return out;
    }
    std::uint64_t requests() const {
        std::uint64_t out = 0;
        for (const auto& name : names) out += network.requests(name);
        return out;
    }
    void change_all(std::int64_t value) {
        for (const auto& name : names) add(name).set_value("x", value);
    }

    std::vector<std::string> names;
    std::map<std::string, cluster_status> statuses;
    std::map<cluster_state, std::uint64_t> seen;
    std::set<std::string> told;
    std::uint64_t events = 0, told_twice = 0;
    std::optional<multicluster_manager> manager;
};

// Requests of each step until all clusters are live again, of `least` steps at least: the most of them by the mean.
double peak_by_mean(fleet& f, duration step, std::size_t least = 1) {
    std::vector<std::uint64_t> rates;
    auto before = f.requests();
    std::size_t last = 0;
    const auto until = f.context.now() + 10min;
    while (f.context.now() < until && !(f.all_are(cluster_state::live) && rates.size() > last + 20)) {
        f.context.run_for(step);
        const auto now = f.requests();
        rates.push_back(now - before);
        if (now != before) last = rates.size();
        before = now;
    }
    std::size_t first = 0;
    while (first < last && rates[first] == 0) ++first;
    last = std::max(last, first + least);
    REQUIRE(rates.size() >= last);
    std::uint64_t all = 0, most = 0;
    for (std::size_t i = first; i < last; ++i) {
        all += rates[i];
        most = std::max(most, rates[i]);
    }
    const double mean = static_cast<double>(all) / static_cast<double>(last - first);
    MESSAGE("requests ", all, " in ", last - first, " steps, the most ", most, ", by the mean ",
            static_cast<double>(most) / mean);
    return static_cast<double>(most) / mean;
}

TEST_CASE("200 clusters whose servers were away for a while come back one after the other") {
    const auto size = as_many_as(200, 4);
    fleet f(size);
    f.want("");
    f.context.run_for(5s);
    REQUIRE(f.all_are(cluster_state::live));
    REQUIRE(f.events == 3 * size);
    for (const auto& name : f.names) {
        f.network.set_link(name, link_state::refused);
        f.network.break_connections(name);
    }
    f.context.run_for(2min);
    CHECK(f.all_are(cluster_state::unreachable));
    for (const auto& name : f.names) f.network.set_link(name, link_state::up);
    CHECK(peak_by_mean(f, 3s) <= 3);
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.sum(&informer_status::lists) == size);
    f.change_all(1);
    f.context.run_for(1s);
    CHECK(f.events == 4 * size);
    CHECK(f.told_twice == 0);
}

TEST_CASE("200 clusters whose connections break at once do not come back at once") {
    const auto size = as_many_as(200, 4);
    fleet f(size);
    f.want("");
    f.context.run_for(5s);
    for (const auto& name : f.names) f.network.break_connections(name);
    CHECK(peak_by_mean(f, 100ms, 5) <= 3);
    CHECK(f.sum(&informer_status::lists) == size);
}

TEST_CASE("200 clusters whose connections break at once miss nothing, and are told nothing twice") {
    const auto size = as_many_as(200, 4);
    fleet f(size);
    f.want("");
    f.context.run_for(5s);
    for (const auto& name : f.names) f.network.break_connections(name);
    f.change_all(1);
    f.context.run_for(10s);
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.sum(&informer_status::lists) == size);
    CHECK(f.events == 4 * size);
    CHECK(f.told_twice == 0);
}

TEST_CASE("tokens and authorities rotate under 500 watches: none is lost, nothing is told twice, old ones end") {
    const auto size = as_many_as(100, 4);
    fleet f(size,
            {kind_choice(resource_of<widget>()), kind_choice(resource_of<gadget>()), kind_choice(resource_of<third>()),
             kind_choice(resource_of<fourth>()), kind_choice(resource_of<fifth>())});
    const auto allow = [&](std::map<std::string, std::string> tokens) {
        for (const auto& name : f.names) f.add(name).api.access().set_tokens(tokens);
    };
    allow({{"t0", "monitor"}});
    f.want("t0");
    f.context.run_for(5s);
    REQUIRE(f.all_are(cluster_state::live));
    f.seen.clear();
    for (int round = 1; round <= 5; ++round) {
        // As credentials are rotated: both are good for a while, and things change meanwhile.
        const auto before = "t" + std::to_string(round - 1), now = "t" + std::to_string(round);
        allow({{before, "monitor"}, {now, "monitor"}});
        f.change_all(2 * round);
        f.want(now, "authority " + std::to_string(round));
        f.change_all(2 * round + 1);
        f.context.run_for(3s);
        allow({{now, "monitor"}});
        f.context.run_for(3s);
        for (const auto& name : f.names) CHECK(f.network.open_exchanges(name) == 5);
    }
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.seen[cluster_state::failed] == 0);
    CHECK(f.seen[cluster_state::unreachable] == 0);
    CHECK(f.sum(&informer_status::lists) == 5 * size);
    CHECK(f.events <= 3 * size + size * 10);
    CHECK(f.events >= 3 * size + size * 5);  // of two changes at once the first may be skipped
    CHECK(f.told_twice == 0);
    const auto last = f.manager->names();
    CHECK(last.size() == size);
}

TEST_CASE("a wall clock that is set, by an hour or by ten years, is no event") {
    fleet f(20);
    f.want("");
    f.context.run_for(5s);
    REQUIRE(f.all_are(cluster_state::live));
    const auto watches = f.sum(&informer_status::watches);
    f.seen.clear();
    std::int64_t value = 0;
    for (const duration by :
         {duration(1h), duration(-1h), duration(24h * 3650), duration(-24h * 7300), duration(-30s)}) {
        f.env.set_wall_clock(by);
        f.change_all(++value);
        f.context.run_for(20s);
    }
    CHECK(f.events == 60 + 20 * 5);
    CHECK(f.sum(&informer_status::lists) == 20);
    CHECK(f.sum(&informer_status::watches) == watches);
    for (const auto state :
         {cluster_state::connecting, cluster_state::degraded, cluster_state::unreachable, cluster_state::failed}) {
        CHECK(f.seen[state] == 0);
    }
}

TEST_CASE("a program that is stopped for long goes on where it was") {
    fleet f(20);
    f.want("");
    f.context.run_for(5s);
    std::int64_t value = 0;
    std::uint64_t events = 60;
    for (const duration by : {duration(40s), duration(10min), duration(12h)}) {
        CAPTURE(by.count());
        f.change_all(++value);
        f.context.skip(by);
        f.context.run_for(2min);
        events += 20;
        CHECK(f.all_are(cluster_state::live));
        CHECK(f.events == events);
    }
    CHECK(f.told_twice == 0);
    CHECK(f.sum(&informer_status::lists) == 20);
    CHECK(f.seen[cluster_state::failed] == 0);
}

TEST_CASE("a monotonic clock that runs back, as none may, makes things late by as much and loses none") {
    fleet f(20);
    f.want("");
    f.context.run_for(5s);
    f.context.skip(-1h);
    f.change_all(1);
    f.context.run_for(2min);
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.events == 80);
    for (const auto& name : f.names) f.network.break_connections(name);
    f.change_all(2);
    f.context.run_for(61min);
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.events == 100);
    CHECK(f.told_twice == 0);
    CHECK(f.sum(&informer_status::lists) == 20);
}

TEST_CASE("a proxy that ends each connection after a minute: never failed, and no list more") {
    for (const bool properly : {false, true}) {
        CAPTURE(properly);
        fleet f(5);
        f.want("");
        f.context.run_for(5s);
        std::map<std::string, std::pair<std::size_t, time_point>> since;  // watches so far, when the last one began
        const auto cut = [&](const std::string& name) {
            return properly ? f.network.truncate_connections(name) : f.network.break_connections(name);
        };
        f.seen.clear();
        std::uint64_t most = 0, before = f.requests();
        for (int second = 0; second < 3600; ++second) {
            f.context.run_for(1s);
            for (const auto& name : f.names) {
                auto& [watches, began] = since[name];
                const auto now = f.add(name).watches();
                if (now != watches) watches = now, began = f.context.now();
                if (f.context.now() - began >= 60s) cut(name), began = f.context.now();
            }
            if (second % 60 == 30) {
                f.change_all(second);
                most = std::max(most, f.requests() - before);
                before = f.requests();
            }
        }
        f.context.run_for(10s);
        CHECK(f.events == 15 + 5 * 60);
        CHECK(f.told_twice == 0);
        CHECK(f.sum(&informer_status::lists) == 5);
        CHECK(f.seen[cluster_state::failed] == 0);
        CHECK(f.seen[cluster_state::unreachable] == 0);
        CHECK(f.all_are(cluster_state::live));
        CHECK(most <= 5 * 4);  // requests a minute of five clusters
    }
}

TEST_CASE("a server that takes 20 s for each answer, for an hour, is slow and nothing else") {
    fleet f(5);
    for (const auto& name : f.names) {
        f.add(name).api.set_faults([](const http::server_request&) { return fault().delay(20s); });
    }
    f.want("");
    f.context.run_for(3min);
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.events == 15);
    f.seen.clear();
    const auto before = f.requests();
    for (int minute = 0; minute < 57; ++minute) {
        f.change_all(minute + 1);
        f.context.run_for(1min);
    }
    CHECK(f.events == 15 + 5 * 57);
    CHECK(f.told_twice == 0);
    CHECK(f.sum(&informer_status::lists) == 5);
    CHECK(f.seen[cluster_state::failed] == 0);
    CHECK(f.seen[cluster_state::unreachable] == 0);
    CHECK(f.requests() - before <= 5 * 57 * 2);
}

TEST_CASE("a server that takes longer than anybody waits, for an hour, is asked seldom and costs the others nothing") {
    fleet f(5);
    f.want("");
    f.context.run_for(5s);
    auto& slow = f.add("c0");
    slow.api.set_faults([](const http::server_request&) { return fault().delay(3min); });
    slow.api.break_watches();
    const auto before = f.network.requests("c0");
    f.context.run_for(1h);
    CHECK(f.statuses.at("c0").state == cluster_state::unreachable);
    CHECK_MESSAGE(f.statuses.at("c0").reason.find("deadline") != std::string::npos, f.statuses.at("c0").reason);
    CHECK(f.network.requests("c0") - before <= 4 * 60);
    for (const auto& name : f.names) CHECK((name == "c0" || f.statuses.at(name).state == cluster_state::live));
    slow.api.set_faults(nullptr);
    f.change_all(1);
    f.context.run_for(2min);
    CHECK(f.all_are(cluster_state::live));
    CHECK(f.events == 20);
    CHECK(f.told_twice == 0);
    CHECK(f.sum(&informer_status::lists) == 5);
}

}  // namespace
