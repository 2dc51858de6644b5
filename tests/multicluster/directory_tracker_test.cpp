#include <kcontrol/multicluster/directory_tracker.hpp>

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

constexpr time_point t0{1h};

auth::cluster_config at(std::string host) {
    auth::cluster_config c;
    c.server(http::endpoint("https", std::move(host), 443));
    return c;
}

std::string describe(const std::vector<desired_cluster>& set) {
    std::string out;
    for (const auto& d : set) {
        out += d.name + "=" + (d.config ? d.config->server().host : "!" + d.config.error().what());
        out += d.warning.empty() ? " " : "* ";
    }
    return out;
}

const result<auth::cluster_config> broken = error(errc::invalid_config, "bad");

TEST_CASE("directory_tracker: good files are clusters, sorted by name") {
    directory_tracker t;
    CHECK(describe(t.observe(t0, {{"b", at("2")}, {"a", at("1")}})) == "a=1 b=2 ");
    CHECK_FALSE(t.next_scan());
    CHECK(describe(t.observe(t0, {{"b", at("3")}, {"a", at("1")}})) == "a=1 b=3 ");
}

TEST_CASE("directory_tracker: a half-written new file is not there yet, and an error if it stays broken") {
    directory_tracker t;
    CHECK(describe(t.observe(t0, {{"a", broken}})) == "");
    CHECK(t.next_scan() == t0 + 1500ms);
    CHECK(describe(t.observe(t0 + 1s, {{"a", broken}})) == "");
    CHECK(describe(t.observe(t0 + 1500ms, {{"a", broken}})) == "a=!bad ");
    CHECK_FALSE(t.next_scan());
    CHECK(describe(t.observe(t0 + 2s, {{"a", at("1")}})) == "a=1 ");
}

TEST_CASE("directory_tracker: a file that breaks keeps its cluster, with a warning once it stays broken") {
    directory_tracker t;
    t.observe(t0, {{"a", at("1")}});
    CHECK(describe(t.observe(t0 + 1s, {{"a", broken}})) == "a=1 ");
    CHECK(describe(t.observe(t0 + 3s, {{"a", broken}})) == "a=1* ");
    CHECK(describe(t.observe(t0 + 4s, {{"a", at("2")}})) == "a=2 ");
}

TEST_CASE("directory_tracker: a file that is replaced by removal and creation never leaves") {
    directory_tracker t;
    t.observe(t0, {{"a", at("1")}});
    CHECK(describe(t.observe(t0 + 1s, {})) == "a=1 ");
    CHECK(t.next_scan() == t0 + 1400ms);
    CHECK(describe(t.observe(t0 + 1100ms, {{"a", at("2")}})) == "a=2 ");
}

TEST_CASE("directory_tracker: a removed file is gone after a moment, a broken one too") {
    directory_tracker t;
    t.observe(t0, {{"a", at("1")}, {"b", broken}});
    t.observe(t0 + 2s, {{"a", at("1")}, {"b", broken}});
    t.observe(t0 + 3s, {});
    CHECK(describe(t.observe(t0 + 3400ms, {})) == "");
}

}  // namespace
