// Three candidates with a Lease of 3 s, and everything that can happen to them: tokens grow, a store that refuses
// smaller ones accepts no write of a former leader, and the label is on two pods for at most the Lease's time.
#include "lead_stage.hpp"
#include "support/how_much.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace kcontrol::test;
using testing::link_state;

class trial {
public:
    explicit trial(std::uint64_t seed) : s(3, seed), random(seed * 91) {
        for (auto& one : s.processes) {
            one->linger = random.between(0ms, 20s);
            one->pace = random.between(50ms, 400ms);
            one->start();
        }
        s.server_api.set_faults([this](const http::server_request& r) { return fault_of(r); });
    }

    void run(int events) {
        for (int i = 0; i < events; ++i) {
            s.pass(random.between(0ms, 4s));
            happen();
            note_versions();
        }
        heal();
    }
    bool recovers() {
        const bool led = s.until([&] { return s.leader() != nullptr && s.labelled() == s.leader()->name; }, 2min);
        s.pass(5s);
        return led && s.leader() != nullptr && s.labelled() == s.leader()->name;
    }
    /// What is wrong with the tokens that processes were given.
    std::vector<std::string> wrong_tokens() const {
        std::vector<std::string> out = s.wrong;
        for (const auto& one : s.processes) {
            if (!std::is_sorted(one->tokens.begin(), one->tokens.end())) out.push_back(one->name + ": not growing");
            for (const std::uint64_t token : one->tokens) {
                if (s.holder_at(token) != one->name) out.push_back(one->name + " had " + std::to_string(token));
            }
        }
        return out;
    }

    lead_stage s;

private:
    testing::fault fault_of(const http::server_request& r) {
        testing::fault f;
        const bool of_pods = r.target.find("/pods") != std::string::npos;
        if ((!of_pods && r.target.find("/leases") == std::string::npos) || !random.chance(trouble)) return f;
        switch (random.below(4)) {
        case 0: f.status(500, "InternalError", "etcd is away"); break;
        case 1: f.drop_response(); break;
        case 2: f.drop(); break;
        case 3: f.status(429, "TooManyRequests", "later", 1); break;
        }
        return f;
    }
    void happen() {
        lead_process& one = *s.processes[random.below(s.processes.size())];
        auto& network = s.world.network();
        switch (random.below(14)) {
        case 0: one.link(link_state::black_hole); break;
        case 1: one.link(link_state::refused); break;
        case 2: network.freeze_connections(one.host); break;
        case 3: network.break_connections(one.host); break;
        case 4: one.suspend(); break;
        case 5: one.env.wall_error = random.between(-100h, 100h); break;
        case 6: sleep(one); break;
        // What is longer under way than lease_duration - renew_deadline may come late; docs/leadership.md says so.
        case 7: network.set_latency(one.host, 0ms, random.between(1ms, 400ms)); break;
        case 8: trouble = static_cast<unsigned>(random.below(30)); break;
        case 9: write_status(); break;
        case 10: kill(one); break;
        case 11: s.server_api.end_watches(); break;
        case 12:
        case 13: heal(); break;
        }
    }
    // The machine is suspended, and its process with it.
    void sleep(lead_process& one) {
        const duration length = random.between(1s, 12s);
        one.suspend();
        s.pass(length);
        one.env.slept += length;
        one.resume();
    }
    // As a kubelet does: the versions of pods change.
    void write_status() {
        for (const auto& one : s.processes) {
            const std::string value = std::to_string(random.next());
            (void)s.server_api
                .patch(lead_pods, {"default", one->name}, {{"metadata", {{"annotations", {{"seen", value}}}}}})
                .value();
        }
    }
    // kill -9, and another container in the same pod.
    void kill(lead_process& one) {
        one.resume();
        one.kill();
        s.pass(random.between(0ms, 6s));
        one.make();
        one.start();
    }
    void heal() {
        trouble = 0;
        for (auto& one : s.processes) {
            one->resume();
            one->link(link_state::up);
            s.world.network().set_latency(one->host, 100us, 5ms);
        }
    }
    void note_versions() {
        for (const auto& one : s.processes) {
            if (one->lead) CHECK(one->lead->now().token <= s.server_api.resource_version());
        }
    }

    testing::sim_random random;
    unsigned trouble = 0;
};

std::uint64_t seeds() { return test::asked_for("KCONTROL_LEADER_SEEDS", test::as_many_as(20)); }

}  // namespace

TEST_CASE("lead: whatever happens, tokens grow, late writes are refused, and one pod has the label") {
    std::size_t terms = 0, refused = 0, accepted = 0;
    duration longest{};
    for (std::uint64_t seed = 1; seed <= seeds(); ++seed) {
        CAPTURE(seed);
        trial t(seed);
        t.run(60);
        CHECK(t.recovers());
        REQUIRE(t.wrong_tokens() == std::vector<std::string>());
        CAPTURE(t.s.most_labelled);
        CHECK(t.s.longest_two <= t.s.lease_time);
        for (const auto& one : t.s.processes) terms += one->tokens.size();
        refused += t.s.refused;
        accepted += t.s.accepted;
        longest = std::max(longest, t.s.longest_two);
    }
    MESSAGE(terms << " terms, " << accepted << " writes accepted, " << refused
                  << " refused; the label was on two pods for "
                  << std::chrono::duration_cast<std::chrono::milliseconds>(longest).count() << " ms at most");
    CHECK(terms > seeds() * 5);
    CHECK(refused > seeds() * 20);
    CHECK(accepted > seeds() * 200);
}
