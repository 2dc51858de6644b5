#include "notices/cluster_vigils.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
using namespace std::chrono_literals;

namespace {

kcontrol::time_point at(kcontrol::duration t) { return kcontrol::time_point(1h + t); }

cluster_view cluster(std::string name, std::string state, std::string reason = "") {
    cluster_view out;
    out.name = std::move(name);
    out.state = std::move(state);
    out.reason = std::move(reason);
    return out;
}

std::string told(const cluster_news& n) {
    std::string out = n.cluster + " " + std::string(n.from) + "->" + std::string(n.to) + " " + n.reason + " " +
                      std::to_string(std::chrono::duration_cast<std::chrono::seconds>(n.lasted).count()) + " to";
    for (const auto& to : n.receivers) out += " " + std::to_string(to.receiver);
    return out;
}

std::vector<std::string> taken(cluster_vigils& of, kcontrol::duration t) {
    std::vector<std::string> out;
    for (const auto& news : of.take(at(t))) out.push_back(told(news));
    return out;
}

using texts = std::vector<std::string>;

}  // namespace

TEST_CASE("cluster vigils: what can't be seen for so long is told once, and that it is back") {
    cluster_vigils all({{{}, {0}, 5min}});
    CHECK_FALSE(all.set(cluster("a", "live"), at(0s)));
    CHECK_FALSE(all.next());
    CHECK_FALSE(all.set(cluster("a", "unreachable", "refused"), at(10s)));
    CHECK(all.next() == at(310s));
    CHECK_FALSE(all.set(cluster("a", "unreachable", "no answer"), at(20s)));  // that does not begin anew
    CHECK(all.next() == at(310s));
    CHECK(taken(all, 309s).empty());
    CHECK(taken(all, 310s) == texts{"a Live->Unreachable no answer 300 to 0"});
    CHECK_FALSE(all.next());
    CHECK_FALSE(all.set(cluster("a", "failed", "bad certificate"), at(320s)));
    CHECK(taken(all, 1h).empty());  // it is the same trouble
    CHECK_FALSE(all.set(cluster("a", "connecting"), at(330s)));
    const auto back = all.set(cluster("a", "live"), at(340s));
    REQUIRE(back.has_value());
    CHECK(told(*back) == "a Failed->Live bad certificate 330 to 0");
    CHECK_FALSE(all.set(cluster("a", "live"), at(350s)));
}

TEST_CASE("cluster vigils: a short trouble is not told, nor its end") {
    cluster_vigils all({{{}, {0}, 5min}});
    all.set(cluster("a", "unreachable"), at(0s));
    CHECK_FALSE(all.set(cluster("a", "degraded"), at(200s)));
    CHECK_FALSE(all.next());
    all.set(cluster("a", "unreachable"), at(210s));
    CHECK(all.next() == at(510s));
    all.forget("a");
    CHECK_FALSE(all.next());
    CHECK(taken(all, 1h).empty());
}

TEST_CASE("cluster vigils: rules by names, with times and receivers of their own") {
    cluster_vigils all({{{"prod-*"}, {0, 1}, 1min}, {{}, {1, 2}, 10min}});
    all.set(cluster("prod-1", "unreachable"), at(0s));
    all.set(cluster("lab", "failed"), at(0s));
    CHECK(all.next() == at(60s));
    CHECK(taken(all, 60s) == texts{"prod-1 Live->Unreachable  60 to 0 1"});
    CHECK(told(*all.set(cluster("prod-1", "live"), at(90s))) == "prod-1 Unreachable->Live  90 to 0 1");
    all.set(cluster("prod-1", "unreachable"), at(100s));
    CHECK(taken(all, 700s) == texts{"lab Live->Failed  700 to 1 2", "prod-1 Live->Unreachable  600 to 0 1 2"});
}

TEST_CASE("cluster vigils: without rules nothing is told") {
    cluster_vigils none({});
    none.set(cluster("a", "unreachable"), at(0s));
    CHECK_FALSE(none.next());
    CHECK(taken(none, 1h).empty());
    CHECK_FALSE(none.set(cluster("a", "live"), at(1h)));
}
