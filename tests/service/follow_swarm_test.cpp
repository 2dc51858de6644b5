// A Service's endpoints are followed while everything happens that can happen to a cluster and to the way there. What
// is called live is what the server had a short while ago, and in the end the value is the server's.
#include "service/stage.hpp"
#include "simulation/seeds.hpp"

#include <doctest/doctest.h>

#include <deque>
#include <map>
#include <optional>
#include <random>
#include <set>
#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using service::freshness;
using testing::link_state;

// stale_after, and what a value takes from the server to the follower.
constexpr duration usually_behind = 10s + 1s;
// A connection that the network forgot, while others work: the server answers, so that the value is live. The bookmarks
// that are missed tell; real connections have keep-alive probes beside that.
constexpr duration forgotten_behind = 4min;

class swarm {
public:
    explicit swarm(std::uint64_t seed) : s(seed), f(s), random(seed * 47 + 1) {
        note();
        (void)f.of.start().value();
    }

    void run(int events) {
        for (int i = 0; i < events && violation.empty(); ++i) {
            happen();
            pass(std::chrono::milliseconds(below(4000)));
        }
    }
    /// The network is well and nothing changes any more.
    bool settles() {
        end_fault();
        return s.world.run_until([&] { return f.of.state() == freshness::live && f.text() == truth(); }, behind());
    }

    service_stage s;
    followed_endpoints f;
    std::string violation;
    std::map<std::string, int> seen;  // how often each event happened

private:
    std::uint64_t below(std::uint64_t n) { return random() % n; }

    std::string truth() const {
        std::set<std::string> all;
        for (const auto& slice : s.api.list(s.slices)) {
            for (const auto& one : slice.at("endpoints").as_array()) {
                all.insert(std::string(one.at("addresses").as_array().at(0).as_string()) + ":8080");
            }
        }
        std::string out;
        for (const auto& one : all) out += (out.empty() ? "" : " ") + one;
        return out;
    }
    // Values that the server had, each until when.
    void note() {
        const auto now = s.world.env().boot_now();
        if (!values.empty()) values.back().until = now;
        values.push_back({truth(), time_point::max()});
        while (values.front().until < now - 2 * forgotten_behind) values.pop_front();
    }
    void pass(duration time) {
        const auto end = s.world.env().now() + time;
        while (s.world.env().now() < end && violation.empty()) {
            s.world.run_for(std::min<duration>(200ms, end - s.world.env().now()));
            check();
        }
    }
    duration behind() {
        const bool half_open = frozen_at && s.world.env().now() - *frozen_at < forgotten_behind;
        return half_open ? forgotten_behind : usually_behind;
    }
    void check() {
        if (f.of.state() != freshness::live) return;
        const auto oldest = s.world.env().boot_now() - behind();
        const std::string shown = f.text();
        for (const auto& one : values) {
            if (one.until >= oldest && one.text == shown) return;
        }
        violation = "live, but the server never had, or not for a while: " + shown + "; it has: " + truth() + story;
    }

    void happen() {
        static constexpr const char* names[] = {"change",  "change",  "change", "change", "remove",
                                                "kill",    "freeze",  "mute",   "heal",   "heal",
                                                "compact", "restore", "end",    "break",  "suspend"};
        const std::string what = names[below(std::size(names))];
        ++seen[what];
        story += "\n  " + std::to_string(s.world.env().now().time_since_epoch() / 1ms) + " ms " + what;
        const std::string slice(1, static_cast<char>('a' + below(3)));
        if (what == "change") {
            // Each slice has addresses of its own: of two reports, endpoint_set chooses.
            const std::string prefix = "10.0." + std::to_string(slice[0] - 'a') + ".";
            std::vector<made_endpoint> all;
            for (int i = 0; i < 4; ++i) {
                if (below(2) == 0) all.emplace_back(prefix + std::to_string(i));
            }
            s.put_slice(slice, all);
            note();
        } else if (what == "remove") {
            if (s.api.get(s.slices, {"default", slice})) s.remove_slice(slice);
            note();
        } else if (what == "kill") {
            s.kill_server();
        } else if (what == "freeze") {
            frozen_at = s.world.env().now();
            s.world.network().freeze_connections(s.server.name());
        } else if (what == "mute") {
            frozen_at = s.world.env().now();
            s.world.network().freeze_connections(s.server.name());
            s.world.network().set_link(s.server.name(), link_state::black_hole);
        } else if (what == "heal") {
            end_fault();
        } else if (what == "compact") {
            s.api.compact(s.api.resource_version());
        } else if (what == "restore") {
            restore();
        } else if (what == "end") {
            s.api.end_watches();
        } else if (what == "break") {
            s.api.break_watches();
        } else if (what == "suspend") {
            s.world.env().suspend(std::chrono::seconds(below(100)));
        }
    }
    // Another history under versions that were given already can't be told from the one before, by any client: nothing
    // is written until the follower had the time to look.
    void restore() {
        s.kill_server();
        const auto then = s.api.snapshot();
        for (int i = 0; i < 3; ++i) s.put_slice("a", {"10.0.0.9"});
        note();
        if (below(2) == 0) {
            s.revive_server();
            pass(3s);
            s.kill_server();
        }
        s.api.restore(then);
        note();
        s.revive_server();
        pass(behind());
    }
    void end_fault() { s.revive_server(); }

    struct value {
        std::string text;
        time_point until;
    };
    std::optional<time_point> frozen_at;
    std::string story;  // for a failure
    std::mt19937_64 random;
    std::deque<value> values;
};

}  // namespace

TEST_CASE("follow swarm: what is live is not old, and what was missed does not stay") {
    const seed_range seeds(20, 2);
    std::map<std::string, int> seen;
    for (std::uint64_t seed = seeds.first; seed <= seeds.last; ++seed) {
        CAPTURE(seed);
        swarm of(seed);
        of.run(60);
        REQUIRE(of.violation == "");
        CHECK_MESSAGE(of.settles(), of.f.text());
        for (const auto& [what, times] : of.seen) seen[what] += times;
    }
    if (!seeds.one) CHECK(seen.size() == 11);
}
