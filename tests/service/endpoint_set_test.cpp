#include <kcontrol/service/detail/endpoint_set.hpp>

#include "service/stage.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <random>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using service::endpoint;
using service::detail::conflict_rule;
using service::detail::endpoint_set;

endpoint make(const std::string& address, bool ready = true, const std::string& pod = {}) {
    endpoint out;
    out.address = address;
    out.port = 80;
    out.ready = out.serving = ready;
    out.pod = pod;
    return out;
}

}  // namespace

TEST_CASE("endpoint_set: one endpoint for each address and port, in order") {
    endpoint_set set;
    set.put("a", "5", {make("10.0.0.2"), make("10.0.0.1"), make("10.0.0.2", false)});
    auto delta = set.take();
    CHECK(text_of(set.value()) == "10.0.0.1:80 10.0.0.2:80");  // of two in one slice the first counts
    CHECK(text_of(delta.added) == "10.0.0.1:80 10.0.0.2:80");
    CHECK(delta.removed.empty());
    CHECK(set.take().empty());

    endpoint other = make("10.0.0.1");
    other.port = 81;
    set.put("b", "6", {other});
    CHECK(text_of(set.take().added) == "10.0.0.1:81");
    CHECK(text_of(set.value()) == "10.0.0.1:80 10.0.0.1:81 10.0.0.2:80");
}

TEST_CASE("endpoint_set: of two reports of one place the larger resourceVersion counts") {
    struct {
        const char *a, *b;
        bool b_counts;
    } const table[] = {
        {"5", "6", true},
        {"6", "5", false},
        {"9", "10", true},
        {"10", "9", false},
        {"99999999999999999999", "100000000000000000000", true},
        {"", "1", true},
    };
    for (const auto& row : table) {
        CAPTURE(row.a);
        CAPTURE(row.b);
        for (const bool a_first : {true, false}) {
            endpoint_set set;
            if (a_first) set.put("a", row.a, {make("10.0.0.1", true, "old")});
            set.put("b", row.b, {make("10.0.0.1", false, "new")});
            if (!a_first) set.put("a", row.a, {make("10.0.0.1", true, "old")});
            set.take();
            REQUIRE(set.value().size() == 1);
            CHECK(set.value()[0].pod == (row.b_counts ? "new" : "old"));
        }
    }
}

TEST_CASE("endpoint_set: what one source no longer reports is another one's") {
    endpoint_set set;
    set.put("a", "5", {make("10.0.0.1", true, "old")});
    set.put("b", "6", {make("10.0.0.1", true, "new")});
    set.take();
    set.remove("b");
    auto delta = set.take();
    CHECK(set.value()[0].pod == "old");
    REQUIRE(delta.added.size() == 1);
    REQUIRE(delta.removed.size() == 1);
    CHECK(delta.removed[0].pod == "new");
    // A new version of the same report makes it count again, though its endpoints are the same.
    set.put("b", "7", {make("10.0.0.1", true, "new")});
    set.put("a", "8", {make("10.0.0.1", true, "old")});
    set.take();
    CHECK(set.value()[0].pod == "old");
    set.remove("a");
    set.remove("b");
    set.remove("c");
    set.take();
    CHECK(set.value().empty());
}

TEST_CASE("endpoint_set: of pods one that runs counts more than one that terminates") {
    endpoint dying = make("10.0.0.1", false, "old");
    dying.terminating = true;
    for (const auto rule : {conflict_rule::newest, conflict_rule::running}) {
        endpoint_set set(rule);
        set.put("new", "5", {make("10.0.0.1", true, "new")});
        set.put("old", "9", {dying});  // the kubelet's last word about a pod whose address was given to another
        set.take();
        CHECK(set.value()[0].pod == (rule == conflict_rule::running ? "new" : "old"));
    }
}

TEST_CASE("endpoint_set: a snapshot shares the endpoints that did not change") {
    endpoint_set set;
    set.put("a", "1", {make("10.0.0.1"), make("10.0.0.2")});
    set.take();
    const auto before = set.value();
    set.put("a", "2", {make("10.0.0.1"), make("10.0.0.2", false)});
    set.take();
    CHECK(&before[0] == &set.value()[0]);
    CHECK(&before[1] != &set.value()[1]);
    CHECK(before[1].ready);
    CHECK(before.begin() + 1 < before.end());
    CHECK(before.end() - before.begin() == 2);
}

namespace {

// The same by other means: a plain map of sources, from which everything is computed anew.
struct plain_model {
    struct source {
        std::uint64_t version;
        std::vector<endpoint> all;
    };
    std::map<std::string, source> sources;

    std::map<std::pair<std::string, int>, endpoint> value() const {
        std::map<std::pair<std::string, int>, std::pair<std::uint64_t, endpoint>> best;
        for (const auto& [name, of] : sources) {
            for (auto one = of.all.rbegin(); one != of.all.rend(); ++one) {
                const auto at = std::pair<std::string, int>(one->address, one->port);
                const auto found = best.find(at);
                if (found == best.end() || found->second.first <= of.version) best[at] = {of.version, *one};
            }
        }
        std::map<std::pair<std::string, int>, endpoint> out;
        for (auto& [at, one] : best) out[at] = one.second;
        return out;
    }
};

std::uint64_t orders_of_events() { return test::asked_for("KCONTROL_ENDPOINT_ORDERS", test::as_many_as(100'000)); }

// What the events of a history are about.
struct history_shape {
    std::uint64_t places;  // addresses, each with two ports
    std::uint64_t report;  // a source reports fewer than that
    int steps;
};

// Runs one history beside the plain map.
void check_history(std::mt19937_64& random, const history_shape& shape, int steps) {
    const auto below = [&](std::uint64_t n) { return random() % n; };
    std::uint64_t version = 0;
    endpoint_set set;
    plain_model model;
    std::map<std::pair<std::string, int>, endpoint> followed;
    for (int step = 0; step < steps; ++step) {
        const std::string name(1, static_cast<char>('a' + below(4)));
        switch (below(8)) {
        case 0:
            set.remove(name);
            model.sources.erase(name);
            break;
        case 1: {  // a relist: what is not in it is gone
            for (const char c : {'a', 'b', 'c', 'd'}) {
                if (below(2) == 0) continue;
                set.remove(std::string(1, c));
                model.sources.erase(std::string(1, c));
            }
            break;
        }
        default: {
            std::vector<endpoint> all(below(shape.report));
            for (auto& one : all) {
                one = make("10.0.0." + std::to_string(below(shape.places)), below(2) == 0,
                           "p" + std::to_string(below(3)));
                one.port = static_cast<std::uint16_t>(80 + below(2));
                one.terminating = below(4) == 0;
            }
            // Now and then a late event brings an older version, as a replica that lags would.
            const std::uint64_t at = below(10) == 0 && version > 9 ? version - below(8) : ++version;
            bool taken = false;
            for (const auto& [other, of] : model.sources) taken = taken || (of.version == at && other != name);
            const std::uint64_t given = taken ? ++version : at;
            set.put(name, std::to_string(given), all);
            model.sources[name] = {given, all};
        }
        }
        if (below(3) == 0) continue;  // several events become one change
        const auto before = set.value();
        const auto delta = set.take();
        const auto expected = model.value();
        REQUIRE(set.value().size() == expected.size());
        auto at = expected.begin();
        for (const endpoint& one : set.value()) REQUIRE(one == (at++)->second);
        // A snapshot never changes, and the change leads from the one before to this one.
        REQUIRE(before.size() == followed.size());
        at = followed.begin();
        for (const endpoint& one : before) REQUIRE(one == (at++)->second);
        for (const auto& one : delta.removed) {
            REQUIRE(followed.at({one.address, one.port}) == one);
            followed.erase({one.address, one.port});
        }
        for (const auto& one : delta.added)
            REQUIRE(followed.emplace(std::pair(one.address, int{one.port}), one).second);
        REQUIRE(followed == expected);
    }
}

}  // namespace

// KCONTROL_ENDPOINT_ORDERS=1000000 is the nightly's.
TEST_CASE("endpoint_set: random orders of events are as a plain map has it") {
    std::mt19937_64 random(47);
    // Few places, so that sources quarrel about them.
    constexpr history_shape shape{5, 4, 40};
    for (std::uint64_t left = orders_of_events(); left > 0;) {
        const auto steps = static_cast<int>(std::min<std::uint64_t>(left, shape.steps));
        check_history(random, shape, steps);
        left -= static_cast<std::uint64_t>(steps);
    }
}

TEST_CASE("endpoint_set: so are values of many parts") {
    std::mt19937_64 random(64);
    for (const history_shape shape : {history_shape{400, 300, 60}, history_shape{60, 200, 60}}) {
        for (std::uint64_t left = orders_of_events() / 10'000; left > 0; --left) {
            check_history(random, shape, shape.steps);
        }
    }
}

TEST_CASE("endpoint_set: a change copies its part alone") {
    endpoint_set set;
    std::vector<endpoint> all;
    for (int i = 1000; i < 2000; ++i) all.push_back(make("10.0.0." + std::to_string(i)));
    set.put("a", "1", all);
    set.take();
    const auto before = set.value();
    all[500].ready = false;
    set.put("a", "2", all);
    set.take();
    const auto& old = before.parts();
    const auto& now = set.value().parts();
    REQUIRE(old.size() == now.size());
    int copied = 0;
    for (std::size_t i = 0; i < old.size(); ++i) copied += old[i] != now[i] ? 1 : 0;
    CHECK(copied == 1);
    CHECK(before[500].ready);
    CHECK_FALSE(set.value()[500].ready);
}
