// Several sources as one: names with prefixes, and what happens to one source touches no other.
#include <kcontrol/multicluster/directory_source.hpp>
#include <kcontrol/multicluster/multicluster_manager.hpp>
#include <kcontrol/multicluster/union_source.hpp>

#include "support/throws.hpp"
#include "support/widget_world.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using namespace std::chrono_literals;
using words = std::vector<std::string>;

auth::cluster_config config_of(const std::string& host) {
    return auth::cluster_config(http::endpoint("https", host, 443));
}

// A source of which a test says everything.
struct fake_source final : cluster_source {
    result<void> start(std::function<void(std::vector<desired_cluster>)> on_change) override {
        ++starts;
        if (throws) throw std::runtime_error("no sense today");
        if (failure) return *failure;
        tell = std::move(on_change);
        if (!at_start.empty()) say(at_start);
        return {};
    }
    void stop() override { ++stops, old = std::exchange(tell, nullptr); }

    void say(const words& names) {
        std::vector<desired_cluster> all;
        for (const auto& n : names) all.emplace_back(n, config_of(n));
        tell(std::move(all));
    }

    std::function<void(std::vector<desired_cluster>)> tell, old;
    words at_start;
    std::optional<error> failure;
    bool throws = false;
    int starts = 0, stops = 0;
};

struct fixture : widget_world {
    explicit fixture(union_source_options o = {}) { all.emplace(env, home, o.log(log())); }
    ~fixture() {
        all.reset();
        context.run_for(1min);
    }

    logger log() {
        return logger([this](const log_record& r) {
            std::string line(r.message);
            for (const auto& f : r.fields) line += " " + std::string(f.name) + "=" + f.value;
            logged.push_back(line);
        });
    }
    std::shared_ptr<fake_source> add(const std::string& prefix, words at_start = {}) {
        const auto added = std::make_shared<fake_source>();
        added->at_start = std::move(at_start);
        REQUIRE(all->add(prefix, added).has_value());
        return added;
    }
    result<void> start() {
        return all->start([this](std::vector<desired_cluster> clusters) {
            std::string names;
            for (const auto& c : clusters) names += c.name + " ";
            told.push_back(names);
        });
    }
    words take(duration d = 100ms) {
        context.run_for(d);
        return std::exchange(told, {});
    }
    bool refuses(const std::string& prefix, const std::string& part) {
        const auto added = all->add(prefix, std::make_shared<fake_source>());
        return !added && added.error() == errc::invalid_argument &&
               added.error().message().find(part) != std::string::npos;
    }

    std::optional<union_source> all;
    words told, logged;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "union_source: the clusters of all sources, with their prefixes, told as one set") {
    const auto prod = add("prod", {"a", "b"});
    const auto test = add("test", {"a"});
    REQUIRE(start().has_value());
    CHECK(told.empty());  // soon, not inside start()
    CHECK(take() == words{"prod#a prod#b test#a "});
    test->say({"a", "c"});
    CHECK(take() == words{"prod#a prod#b test#a test#c "});
    prod->say({});
    CHECK(take() == words{"test#a test#c "});
    test->say({"a", "c"});
    CHECK(take().empty());  // nothing changed
    prod->say({"b"});
    test->say({});
    CHECK(take() == words{"prod#b "});
}

TEST_CASE_FIXTURE(fixture, "union_source: all that a source says of a cluster is kept") {
    const auto prod = add("prod");
    std::vector<desired_cluster> got;
    REQUIRE(all->start([&](std::vector<desired_cluster> c) { got = std::move(c); }).has_value());
    desired_cluster bad("x", error(errc::invalid_config, "no such user"));
    bad.warning = "careful";
    bad.labels = {{"region", "east"}};
    prod->tell({bad});
    context.run_for(1s);
    REQUIRE(got.size() == 1);
    CHECK(got[0].name == "prod#x");
    CHECK(got[0].config.error().message() == "no such user");
    CHECK(got[0].warning == "careful");
    CHECK(got[0].labels == cluster_labels{{"region", "east"}});
}

TEST_CASE("union_source: another separator") {
    fixture f(union_source_options().separator("/"));
    f.add("prod", {"a#1"});
    CHECK(f.refuses("x/y", "holds the separator \"/\""));
    f.add("x#y", {"b"});
    REQUIRE(f.start().has_value());
    CHECK(f.take() == words{"prod/a#1 x#y/b "});
}

TEST_CASE("union_source: names of different sources can't be one") {
    fixture f;
    f.add("prod");
    CHECK(f.refuses("", "is empty"));
    CHECK(f.refuses("prod", "\"prod\" of a source of clusters is taken"));
    CHECK(f.refuses("a#b", "holds the separator \"#\""));
    CHECK_FALSE(f.all->add("null", nullptr).has_value());
    f.all->remove("prod");
    f.add("prod");  // free again

    fixture none(union_source_options().separator(""));
    const auto started = none.start();
    REQUIRE_FALSE(started.has_value());
    CHECK(started.error().message().find("separator is empty") != std::string::npos);
}

TEST_CASE_FIXTURE(fixture, "union_source: without any source there are no clusters, and that is told") {
    REQUIRE(start().has_value());
    CHECK(take() == words{""});
}

TEST_CASE_FIXTURE(fixture, "union_source: as long as no source has told anything, nothing is told") {
    const auto one = add("one");
    const auto two = add("two");
    REQUIRE(start().has_value());
    CHECK(take(1min).empty());
    two->say({"a"});
    CHECK(take() == words{"two#a "});  // and `one`, which is slow, holds nobody up
    one->say({});
    CHECK(take().empty());
}

TEST_CASE_FIXTURE(fixture, "union_source: sources are added and removed while it runs") {
    const auto prod = add("prod", {"a"});
    REQUIRE(start().has_value());
    CHECK(take() == words{"prod#a "});
    const auto test = add("test", {"b"});
    CHECK(test->starts == 1);
    CHECK(take() == words{"prod#a test#b "});
    all->remove("prod");
    all->remove("prod");
    CHECK(prod->stops == 1);
    CHECK(take() == words{"test#b "});
    prod->old({});
    CHECK(take().empty());  // a source that has gone is not heard
    all->remove("test");
    CHECK(take() == words{""});
}

TEST_CASE_FIXTURE(fixture,
                  "union_source: a source that does not start is told once and tried again; the others go on") {
    add("good", {"a"});
    const auto bad = add("bad", {"b"});
    bad->failure = error(errc::file_failed, "no such directory");
    REQUIRE(start().has_value());
    CHECK(take(1min) == words{"good#a "});
    CHECK(bad->starts >= 5);
    CHECK(bad->starts <= 9);
    CHECK(logged == words{"a source of clusters does not start; it is tried again, and the others go on source=bad "
                          "error=" +
                          bad->failure->what()});
    REQUIRE(all->failures().contains("bad"));
    CHECK(all->failures().at("bad") == errc::file_failed);
    bad->failure = error(errc::file_failed, "no permission");
    take(1min);
    CHECK(logged.size() == 2);  // another reason is news
    bad->failure.reset();
    CHECK(take(1min) == words{"bad#b good#a "});
    CHECK(all->failures().empty());
    const int starts = bad->starts;
    CHECK(take(5min).empty());
    CHECK(bad->starts == starts);
}

TEST_CASE_FIXTURE(fixture, "union_source: a source that throws is one that does not start") {
    add("good", {"a"});
    const auto bad = add("bad", {"b"});
    bad->throws = true;
    REQUIRE(start().has_value());
    CHECK(take(3s) == words{"good#a "});
    CHECK(bad->stops == bad->starts);  // whatever it had begun is ended
    CHECK(all->failures().at("bad").message().find("no sense today") != std::string::npos);
    bad->throws = false;
    CHECK(take(1min) == words{"bad#b good#a "});
}

TEST_CASE_FIXTURE(fixture, "union_source: a source that failed and is removed is not started again") {
    const auto bad = add("bad");
    bad->failure = error(errc::file_failed, "x");
    REQUIRE(start().has_value());
    context.run_for(10ms);
    all->remove("bad");
    CHECK(take(5min) == words{""});
    CHECK(bad->starts == 1);
    CHECK(all->failures().empty());
}

TEST_CASE_FIXTURE(fixture, "union_source: a stop stops all, and nothing is remembered") {
    const auto one = add("one", {"a"});
    const auto bad = add("bad");
    bad->failure = error(errc::file_failed, "x");
    for (int i = 1; i <= 2; ++i) {
        REQUIRE(start().has_value());
        CHECK_FALSE(start().has_value());  // it runs
        CHECK(take() == words{"one#a "});
        all->stop();
        all->stop();
        CHECK(one->stops == i);
        const int tries = bad->starts;
        one->old({});
        CHECK(take(1min).empty());
        CHECK(bad->starts == tries);
        CHECK(all->failures().empty());
    }
    one->at_start = {"z"};
    REQUIRE(start().has_value());
    CHECK(take() == words{"one#z "});
}

TEST_CASE("union_source: with the manager, a broken source and one that changes touch no cluster of another") {
    fixture f;
    auto& a = f.widget_world::add("a");
    auto& b = f.widget_world::add("b");
    multicluster_options o;
    o.kinds({kind_choice(resource_of<widget>())}).transport(f.network.factory());
    multicluster_manager manager(f.env, f.home, std::move(o));
    const auto east = f.add("east");
    const auto west = f.add("west");
    const auto lost = std::make_shared<directory_source>(f.env, f.home, "/nowhere", auth::trust::trusted);
    REQUIRE(f.all->add("lost", lost).has_value());
    REQUIRE(f.all->start([&](std::vector<desired_cluster> d) { manager.set_desired(std::move(d)); }).has_value());
    east->tell({desired_cluster("x", a.config())});
    west->tell({desired_cluster("x", b.config())});
    f.context.run_for(2s);
    CHECK(manager.names() == words{"east#x", "west#x"});
    west->tell({});
    f.context.run_for(2s);
    CHECK(manager.names() == words{"east#x"});
    CHECK(a.lists() == 1);
    CHECK(a.watches() == 1);
    f.env.write_file("/nowhere/new", "nonsense");
    f.context.run_for(1min);
    CHECK(f.all->failures().empty());
    CHECK(a.watches() == 1);
    f.ends_within(5s, manager.stop());
}
