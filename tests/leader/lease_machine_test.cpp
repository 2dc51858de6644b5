#include <kcontrol/leader/detail/lease_machine.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::detail;
using namespace std::chrono_literals;

const wall_time noon{std::chrono::seconds(1'800'000'000)};

coordination_lease lease_of(const std::string& holder, std::optional<std::int32_t> seconds = 15,
                            std::int32_t transitions = 3, const std::string& version = "7", duration renewed = 0s) {
    coordination_lease out;
    out.metadata.name = "l";
    out.metadata.namespace_ = "ns";
    out.metadata.resource_version = version;
    if (!holder.empty()) out.spec.holder_identity = holder;
    out.spec.lease_duration_seconds = seconds;
    out.spec.lease_transitions = transitions;
    out.spec.acquire_time = micro_time(noon - 1h);
    out.spec.renew_time = micro_time(noon - 1h + renewed);
    return out;
}

// A candidate "me" at a clock that the test moves; its requests and what it tells as text.
struct candidate {
    candidate() {
        lease_settings s;
        s.name = "l";
        s.namespace_ = "ns";
        s.identity = "me";
        m = lease_machine(s);
    }
    // What it does now: "get", "create", "update", "release", "done", or "wait" with the seconds.
    std::string step() {
        last = m.next(now, noon + (now - begun));
        if (last.finished) return "done";
        switch (last.request) {
        case lease_request::get: return "get";
        case lease_request::create: return "create";
        case lease_request::update: return "update";
        case lease_request::release: return "release";
        case lease_request::none: break;
        }
        return "wait " + seconds(last.until - now);
    }
    static std::string seconds(duration d) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(d).count();
        std::string out = std::to_string(ms / 1000);
        if (ms % 1000 != 0) out += "." + std::to_string(ms % 1000 / 100);
        return out;
    }
    void ok(coordination_lease l) { m.answered(l, now, unit); }
    void fails(error e) { m.answered(e, now, unit); }
    void absent() { fails(error(api_errc::not_found)); }
    void conflict() { fails(error(api_errc::conflict)); }
    // The server stored what was sent.
    void stored(const std::string& version = "8") {
        coordination_lease l = last.object;
        l.metadata.resource_version = version;
        ok(l);
    }
    std::string told() {
        std::string out;
        for (const auto& n : m.take_notices()) {
            out += out.empty() ? "" : ", ";
            if (n.event == lease_event::new_leader) out += "leader:" + n.text;
            if (n.event == lease_event::started) out += "started";
            if (n.event == lease_event::stopped) out += "stopped: " + n.text;
            if (n.event == lease_event::token_went_back) out += "went back: " + n.text;
        }
        return out;
    }
    bool leads() const { return m.leading() && now < m.fence(); }
    // Leads since now, through an absent Lease.
    void lead() {
        REQUIRE(step() == "get");
        absent();
        REQUIRE(step() == "create");
        stored();
        REQUIRE(told() == "leader:me, started");
    }

    lease_machine m{lease_settings()};
    const time_point begun{std::chrono::hours(1)};
    time_point now = begun;
    double unit = 0.5;  // a pause of a follower is 1.6 times the retry period
    lease_step last;
};

}  // namespace

TEST_CASE_FIXTURE(candidate, "lease_machine: an absent Lease is created, and leads from when that was sent") {
    CHECK(step() == "get");
    CHECK(last.until - now == 5s);
    absent();
    CHECK(step() == "create");
    CHECK(last.object.metadata.name == "l");
    CHECK(last.object.metadata.namespace_ == "ns");
    CHECK(last.object.spec.holder_identity == "me");
    CHECK(last.object.spec.lease_duration_seconds == 15);
    CHECK(last.object.spec.lease_transitions == 0);
    CHECK(last.object.spec.acquire_time == micro_time(noon));
    CHECK(last.object.spec.renew_time == micro_time(noon));
    now += 3s;
    stored();
    CHECK(told() == "leader:me, started");
    CHECK(m.fence() == begun + 10s);
    CHECK(step() == "wait 2");
}

TEST_CASE_FIXTURE(candidate, "lease_machine: it renews every retry period with the version it knows") {
    lead();
    for (int i = 1; i <= 3; ++i) {
        now += 2s;
        REQUIRE(step() == "update");
        CHECK(last.object.metadata.resource_version == std::to_string(7 + i));
        CHECK(last.object.spec.acquire_time == micro_time(noon));
        CHECK(last.object.spec.renew_time == micro_time(noon + i * 2s));
        CHECK(last.object.spec.lease_transitions == 0);
        stored(std::to_string(8 + i));
        CHECK(m.fence() == now + 10s);
    }
    CHECK(m.slow_paths() == 0);
    CHECK(told().empty());
}

TEST_CASE_FIXTURE(candidate, "lease_machine: what is in the way of a first look, and the pause after it") {
    for (const auto& why : {error(errc::timeout), error(errc::connection_refused), error(api_errc::forbidden),
                            error(api_errc::internal_error), error(errc::decode_failed), error(errc::stopped)}) {
        candidate c;
        CHECK(c.step() == "get");
        c.fails(why);
        CHECK(c.step() == "wait 3.2");
        c.now += 3200ms;
        CHECK(c.step() == "get");
        CHECK(c.told().empty());
    }
}

TEST_CASE("lease_machine: a Lease of somebody else is waited for from when it was seen, whatever its times say") {
    struct row {
        std::optional<std::int32_t> duration;
        std::chrono::seconds waits;
    };
    // Without a usable duration its holder is believed to have ours.
    for (const auto& r : {row{15, 15s}, row{40, 40s}, row{1, 1s}, row{std::nullopt, 15s}, row{0, 15s}, row{-3, 15s}}) {
        CAPTURE(r.waits.count());
        candidate c;
        c.m.watching(true);
        CHECK(c.step() == "get");
        c.ok(lease_of("other", r.duration));
        CHECK(c.told() == "leader:other");
        CHECK(c.step() == "wait " + std::to_string(r.waits.count()));
        c.now += r.waits - 1ms;
        CHECK(c.step().starts_with("wait"));
        c.now += 1ms;
        CHECK(c.step() == "update");
        CHECK(c.last.object.spec.holder_identity == "me");
        CHECK(c.last.object.spec.lease_transitions == 4);
        CHECK(c.last.object.spec.acquire_time == c.last.object.spec.renew_time);
        CHECK(c.last.object.metadata.resource_version == "7");
    }
}

TEST_CASE("lease_machine: a Lease that is nobody's, its own, or holds nothing at all is taken at once") {
    coordination_lease bare;
    bare.metadata.name = "l";
    bare.metadata.resource_version = "7";
    struct row {
        const char* what;
        coordination_lease lease;
        std::int32_t transitions;
    };
    for (const auto& r : {row{"released", lease_of("", 1), 4}, row{"own", lease_of("me"), 3}, row{"bare", bare, 1}}) {
        CAPTURE(r.what);
        candidate c;
        CHECK(c.step() == "get");
        c.ok(r.lease);
        CHECK(c.step() == "update");
        CHECK(c.last.object.spec.lease_transitions == r.transitions);
        const bool own = r.lease.spec.holder_identity == "me";
        CHECK(c.last.object.spec.acquire_time == (own ? micro_time(noon - 1h) : micro_time(noon)));
        c.stored();
        CHECK(c.leads());
    }
}

TEST_CASE_FIXTURE(candidate,
                  "lease_machine: the Lease keeps its metadata; preferredHolder and strategy go, as with client-go") {
    CHECK(step() == "get");
    coordination_lease l = lease_of("");
    l.metadata.labels["team"] = "x";
    l.spec.preferred_holder = "other";
    l.spec.strategy = "OldestEmulationVersion";
    ok(l);
    CHECK(step() == "update");
    CHECK(last.object.metadata.labels == l.metadata.labels);
    CHECK(last.object.spec.preferred_holder.empty());
    CHECK(last.object.spec.strategy.empty());
    stored();
    CHECK(leads());
}

TEST_CASE_FIXTURE(
    candidate, "lease_machine: without a watch it looks every retry period, stretched; each sign of life counts anew") {
    CHECK(step() == "get");
    ok(lease_of("other"));
    CHECK(step() == "wait 3.2");
    now += 3200ms;
    CHECK(step() == "get");
    ok(lease_of("other", 15, 3, "8", 2s));
    CHECK(step() == "wait 3.2");
    now += 14s;  // of 15 since then
    CHECK(step() == "get");
    ok(lease_of("other", 15, 3, "8", 2s));
    CHECK(step() == "wait 3.2");
    now += 1s;
    CHECK(step() == "wait 2.2");  // client-go, too, tries at its next look only
    now += 2200ms;
    CHECK(step() == "get");
    ok(lease_of("other", 15, 3, "8", 2s));
    CHECK(step() == "update");
    CHECK(last.object.metadata.resource_version == "8");
    stored();
    CHECK(told() == "leader:other, leader:me, started");
}

TEST_CASE_FIXTURE(candidate, "lease_machine: a change of labels is no sign of life") {
    m.watching(true);
    CHECK(step() == "get");
    ok(lease_of("other"));
    now += 10s;
    coordination_lease l = lease_of("other", 15, 3, "9");
    l.metadata.labels["a"] = "b";
    m.observed(l, now);
    CHECK(step() == "wait 5");
    now += 5s;
    CHECK(step() == "update");
    CHECK(last.object.metadata.resource_version == "9");
}

TEST_CASE_FIXTURE(candidate, "lease_machine: the watch shows a release, and it is taken in no time") {
    m.watching(true);
    CHECK(step() == "get");
    ok(lease_of("other"));
    CHECK(step() == "wait 15");
    now += 1s;
    m.observed(lease_of("", 1, 3, "8"), now);
    CHECK(told() == "leader:other, leader:");
    CHECK(step() == "update");
    SUBCASE("and nobody was faster") {
        stored();
        CHECK(told() == "leader:me, started");
    }
    SUBCASE("somebody was faster") {
        conflict();
        CHECK(step() == "wait 3.2");
        m.observed(lease_of("third", 15, 4, "9"), now);
        CHECK(told() == "leader:third");
        now += 3200ms;
        CHECK(step() == "wait 11.8");  // of 15
        CHECK(m.slow_paths() == 0);    // counted of leaders only
    }
    SUBCASE("somebody was faster, and the watch is silent") {
        conflict();
        now += 3200ms;
        CHECK(step() == "get");
    }
    SUBCASE("the answer comes so late that the time is up") {
        now += 10s;
        stored();
        CHECK_FALSE(leads());
        CHECK(step() == "update");  // it is its own, so it is renewed
        stored("9");
        CHECK(told() == "leader:me, started");
    }
    SUBCASE("the answer is lost") {
        fails(error(errc::unknown_outcome));
        CHECK_FALSE(leads());
        now += 3200ms;
        CHECK(step() == "get");
        ok(lease_of("me", 15, 4, "9"));
        CHECK(step() == "update");  // leads by a renewal only
        CHECK_FALSE(leads());
        stored("10");
        CHECK(told() == "leader:me, started");
    }
}

TEST_CASE("lease_machine: a Lease that is deleted") {
    candidate c;
    c.m.watching(true);
    SUBCASE("while another one leads: its time is waited for") {
        CHECK(c.step() == "get");
        c.ok(lease_of("other"));
        c.now += 5s;
        c.m.vanished(c.now);
        CHECK(c.told() == "leader:other, leader:");
        CHECK(c.step() == "wait 10");
        c.now += 10s;
        CHECK(c.step() == "create");
    }
    SUBCASE("while another one leads, who creates it again") {
        CHECK(c.step() == "get");
        c.ok(lease_of("other"));
        c.m.vanished(c.now);
        c.now += 2s;
        c.m.observed(lease_of("other", 15, 0, "9"), c.now);
        CHECK(c.step() == "wait 15");
    }
    SUBCASE("that was nobody's: it is created at once") {
        CHECK(c.step() == "get");
        c.ok(lease_of("", 1));
        CHECK(c.step() == "update");
        c.fails(error(api_errc::not_found));
        c.m.vanished(c.now);
        CHECK(c.step() == "create");
        c.stored();
        CHECK(c.leads());
    }
    SUBCASE("while it leads: it is created again, and leads on") {
        c.lead();
        c.now += 1s;
        c.m.vanished(c.now);
        CHECK(c.step() == "get");
        c.absent();
        CHECK(c.step() == "create");
        c.stored("20");
        CHECK(c.leads());
        CHECK(c.m.fence() == c.now + 10s);
        CHECK(c.told() == "leader:, leader:me");
    }
    SUBCASE("while it leads, and others create it first") {
        c.lead();
        c.m.vanished(c.now);
        CHECK(c.step() == "get");
        c.absent();
        CHECK(c.step() == "create");
        c.fails(error(api_errc::already_exists));
        CHECK(c.step() == "get");
        c.ok(lease_of("other"));
        CHECK_FALSE(c.leads());
        CHECK(c.told() == "leader:, leader:other, stopped: it is held by other");
    }
}

TEST_CASE("lease_machine: a renewal that does not go through") {
    candidate c;
    c.lead();
    c.now += 2s;
    REQUIRE(c.step() == "update");
    SUBCASE("somebody wrote a label: read and written again at once") {
        c.conflict();
        CHECK(c.step() == "get");
        c.ok(lease_of("me", 15, 0, "12"));
        CHECK(c.step() == "update");
        CHECK(c.last.object.metadata.resource_version == "12");
        c.stored("13");
        CHECK(c.m.fence() == c.now + 10s);
        CHECK(c.m.slow_paths() == 1);
        CHECK(c.told().empty());
    }
    SUBCASE("somebody else has it") {
        c.conflict();
        CHECK(c.step() == "get");
        c.ok(lease_of("other"));
        CHECK(c.m.fence() == time_point());
        CHECK(c.told() == "leader:other, stopped: it is held by other");
    }
    SUBCASE("nobody answers: tried every retry period until the deadline, never beyond") {
        int tries = 1;
        for (; c.m.leading(); ++tries) {
            CHECK(c.last.until <= c.begun + 10s);
            c.now += 1s;
            c.fails(error(errc::timeout));
            if (c.step().starts_with("wait")) c.now = c.last.until;
            if (!c.m.leading() || c.now >= c.m.fence()) break;
            REQUIRE(c.step() == "get");
        }
        CHECK(tries == 4);  // at 2, 4, 6 and 8 s
        CHECK(c.now == c.begun + 10s);
        CHECK(c.step() == "get");
        CHECK(c.told() == "stopped: it was not renewed in time");
        CHECK(c.m.slow_paths() == 1);
    }
    SUBCASE("the answer comes after the deadline") {
        c.now += 9s;
        c.stored("9");
        CHECK(c.m.fence() == c.begun + 12s);
        CHECK(c.leads());
        c.now += 1s;  // nothing else came
        CHECK_FALSE(c.leads());
        c.step();
        CHECK(c.told() == "stopped: it was not renewed in time");
    }
    SUBCASE("the process was stopped meanwhile, for an hour") {
        c.now += 1h;
        c.stored("9");
        CHECK_FALSE(c.leads());
        c.step();
        CHECK(c.told() == "stopped: it was not renewed in time");
    }
}

TEST_CASE_FIXTURE(candidate, "lease_machine: after a loss it leads again, but not before its work has returned") {
    lead();
    now += 10s;
    CHECK(step() == "wait 2");
    CHECK(told() == "stopped: it was not renewed in time");
    now += 2s;
    CHECK(step() == "get");
    ok(lease_of("me", 15, 0, "8"));
    CHECK(step() == "wait 2");  // it could be renewed, but the work runs
    m.work_returned();
    now += 2s;
    CHECK(step() == "get");
    ok(lease_of("me", 15, 0, "8"));
    CHECK(step() == "update");
    CHECK(last.object.spec.lease_transitions == 0);
    stored("9");
    CHECK(told() == "started");
    CHECK(leads());
}

TEST_CASE_FIXTURE(candidate, "lease_machine: late events of the watch about its own Lease change nothing") {
    m.watching(true);
    lead();
    now += 2s;
    CHECK(step() == "update");
    stored("9");
    m.observed(lease_of("me", 15, 0, "8"), now);
    CHECK(step() == "wait 2");
    now += 2s;
    CHECK(step() == "update");
    CHECK(last.object.metadata.resource_version == "9");
}

TEST_CASE_FIXTURE(candidate, "lease_machine: an event that shows another holder is asked about at once") {
    m.watching(true);
    lead();
    now += 1s;
    m.observed(lease_of("other", 15, 1, "9"), now);
    CHECK(leads());  // it may be late
    CHECK(step() == "get");
    SUBCASE("it is so") {
        ok(lease_of("other", 15, 1, "9"));
        CHECK(told() == "leader:other, stopped: it is held by other");
    }
    SUBCASE("it was long ago") {
        ok(lease_of("me", 15, 0, "8"));
        CHECK(step() == "update");
        CHECK(told().empty());
    }
}

TEST_CASE_FIXTURE(candidate, "lease_machine: a stop releases what is its own, as client-go does") {
    lead();
    now += 1s;
    m.stop(true, now + 10s);
    CHECK(step() == "release");
    CHECK(told() == "stopped: it stops");
    CHECK(m.fence() == time_point());
    CHECK_FALSE(last.object.spec.holder_identity.present());
    CHECK(last.object.spec.lease_duration_seconds == 1);
    CHECK(last.object.spec.lease_transitions == 0);
    CHECK(last.object.spec.acquire_time == micro_time(noon + 1s));
    CHECK(last.object.spec.renew_time == micro_time(noon + 1s));
    CHECK(last.object.metadata.resource_version == "8");
    SUBCASE("well") {
        stored("9");
        CHECK(step() == "done");
        CHECK(told() == "leader:");
    }
    SUBCASE("after a conflict, once more") {
        conflict();
        CHECK(step() == "get");
        ok(lease_of("me", 15, 0, "12"));
        CHECK(step() == "release");
        CHECK(last.object.metadata.resource_version == "12");
        stored("13");
        CHECK(step() == "done");
    }
    SUBCASE("somebody else has it by now") {
        conflict();
        CHECK(step() == "get");
        ok(lease_of("other"));
        CHECK(step() == "done");
    }
    SUBCASE("it is gone") {
        fails(error(api_errc::not_found));
        CHECK(step() == "get");
        absent();
        CHECK(step() == "done");
    }
    SUBCASE("nobody answers: in bounded time") {
        const time_point asked = now;
        while (step() != "done") {
            if (last.request == lease_request::none) {
                now = last.until;
            } else {
                CHECK(last.until <= asked + 10s);
                now = last.until;
                fails(error(errc::timeout));
            }
            REQUIRE(now <= asked + 10s);
        }
    }
}

TEST_CASE_FIXTURE(candidate, "lease_machine: a stop without a release leaves the Lease alone") {
    lead();
    m.stop(false, now + 10s);
    CHECK(step() == "done");
    CHECK(told() == "stopped: it stops");
}

TEST_CASE_FIXTURE(candidate, "lease_machine: a stop while taking the Lease waits for the outcome, and releases it") {
    CHECK(step() == "get");
    ok(lease_of(""));
    CHECK(step() == "update");
    m.stop(true, now + 10s);
    SUBCASE("it was stored") {
        stored();
        CHECK(m.fence() == time_point());
        CHECK(step() == "release");
        CHECK(told() == "leader:me");  // it never led
        stored("9");
        CHECK(step() == "done");
    }
    SUBCASE("nobody knows whether") {
        fails(error(errc::unknown_outcome));
        now += 2s;
        CHECK(step() == "get");
        ok(lease_of("me", 15, 4, "9"));
        CHECK(step() == "release");
        stored("10");
        CHECK(step() == "done");
    }
    SUBCASE("it was not") {
        conflict();
        CHECK(step() == "done");
    }
}

TEST_CASE("lease_machine: stopped at every step of a life, it ends, and what is its own is nobody's then") {
    // A server that stores what it is sent and refuses old versions; fault(n) says how the n-th request goes wrong.
    struct world {
        std::optional<coordination_lease> stored;
        int version = 100;
        result<coordination_lease> serve(const lease_step& step) {
            if (step.request == lease_request::get) {
                if (!stored) return error(api_errc::not_found);
                return *stored;
            }
            const bool creates = step.request == lease_request::create;
            if (creates && stored) return error(api_errc::already_exists);
            if (!creates && !stored) return error(api_errc::not_found);
            if (!creates && stored->metadata.resource_version != step.object.metadata.resource_version) {
                return error(api_errc::conflict);
            }
            stored = step.object;
            stored->metadata.resource_version = std::to_string(++version);
            return *stored;
        }
    };
    const std::vector<error> faults{error(errc::timeout), error(errc::unknown_outcome), error(api_errc::conflict),
                                    error(api_errc::internal_error)};
    int ended = 0, released = 0;
    for (int stop_at = 0; stop_at < 24; ++stop_at) {
        for (int fault_at = -1; fault_at < 12; ++fault_at) {
            for (std::size_t f = 0; f < faults.size(); ++f) {
                CAPTURE(stop_at);
                CAPTURE(fault_at);
                CAPTURE(faults[f].what());
                candidate c;
                world w;
                if (stop_at % 2 == 1) w.stored = lease_of("other", 4);
                int requests = 0;
                bool done = false;
                for (int i = 0; i < 80 && !done; ++i) {
                    if (i == stop_at) c.m.stop(true, c.now + 60s);
                    const std::string what = c.step();
                    done = what == "done";
                    if (done) break;
                    if (c.last.request == lease_request::none) {
                        c.now = c.last.until;
                        continue;
                    }
                    const bool fails = requests++ == fault_at;
                    const bool reaches = !fails || faults[f] == errc::unknown_outcome;
                    const auto answer = reaches ? w.serve(c.last) : result<coordination_lease>(faults[f]);
                    c.now += 10ms;
                    if (fails) {
                        c.fails(faults[f]);
                    } else {
                        c.m.answered(answer, c.now, c.unit);
                    }
                }
                REQUIRE(done);
                ++ended;
                const std::string holder = w.stored ? w.stored->spec.holder_identity.str() : "";
                CHECK(holder != "me");
                if (w.stored && holder.empty()) ++released;
                CHECK(c.m.fence() == time_point());
            }
        }
    }
    CHECK(ended == 24 * 13 * 4);
    CHECK(released > 500);
}

TEST_CASE("lease_machine: labels and annotations are written with the Lease, and others on it stay") {
    candidate c;
    lease_settings s;
    s.name = "l", s.namespace_ = "ns", s.identity = "me";
    s.labels = {{"group", "fleet"}};
    s.annotations = {{"weight", "3"}};
    c.m = lease_machine(s);
    CHECK(c.step() == "get");
    coordination_lease old = lease_of("");
    old.metadata.labels["theirs"] = "stays";
    old.metadata.labels["group"] = "another";
    c.ok(old);
    CHECK(c.step() == "update");
    CHECK(c.last.object.metadata.labels.size() == 2);
    CHECK(c.last.object.metadata.labels.find("theirs")->second == "stays");
    CHECK(c.last.object.metadata.labels.find("group")->second == "fleet");
    CHECK(c.last.object.metadata.annotations.find("weight")->second == "3");
}

TEST_CASE_FIXTURE(candidate, "lease_machine: the token is the version of the write that acquired the Lease") {
    CHECK(m.token() == 0);
    CHECK(step() == "get");
    ok(lease_of(""));
    CHECK(step() == "update");
    stored("8");
    CHECK(m.token() == 8);
    now += 2s;
    CHECK(step() == "update");
    stored("11");
    CHECK(m.token() == 8);  // a renewal begins no term
    now += 11s;
    m.watching(true);
    CHECK(step() == "wait 15");
    CHECK_FALSE(m.leading());
    CHECK(m.token() == 8);  // of the last term
    m.work_returned();
    m.observed(lease_of("other", 15, 4, "12"), now);
    m.observed(lease_of("", 1, 4, "13"), now);
    CHECK(step() == "update");
    stored("14");
    CHECK(m.token() == 14);
}

TEST_CASE("lease_machine: where the answer of that write was lost, the token is the version that is read back") {
    SUBCASE("by a read") {
        candidate c;
        CHECK(c.step() == "get");
        c.ok(lease_of(""));
        CHECK(c.step() == "update");
        c.fails(error(errc::timeout));
        c.now += 4s;
        CHECK(c.step() == "get");
        SUBCASE("it went through") {
            c.ok(lease_of("me", 15, 4, "8"));
            CHECK(c.step() == "update");
            c.stored("9");
            CHECK(c.m.token() == 8);
        }
        SUBCASE("it did not") {
            c.ok(lease_of(""));
            CHECK(c.step() == "update");
            c.stored("9");
            CHECK(c.m.token() == 9);
        }
        SUBCASE("it did, and another one has led meanwhile") {
            c.ok(lease_of("me", 15, 4, "8"));
            c.m.observed(lease_of("", 1, 5, "12"), c.now);
            CHECK(c.step() == "update");
            c.stored("13");
            CHECK(c.m.token() == 13);
        }
    }
    SUBCASE("a renewal whose answer was lost begins no term, and neither does it give the next one a token") {
        candidate c;
        c.lead();
        c.now += 9s;
        CHECK(c.step() == "update");
        c.fails(error(errc::timeout));
        c.now += 2s;
        CHECK(c.step() == "get");
        c.ok(lease_of("me", 15, 0, "8"));  // it did not go through
        c.m.work_returned();
        CHECK(c.step() == "update");
        c.stored("9");
        CHECK(c.m.leading());
        CHECK(c.m.token() == 9);
    }
}

TEST_CASE("lease_machine: a version that went back") {
    lease_settings s;
    s.name = "l", s.namespace_ = "ns", s.identity = "me";
    candidate c;
    SUBCASE("is told, and it leads, if that is not refused") {
        c.m = lease_machine(s);
        CHECK(c.step() == "get");
        c.ok(lease_of("", 1, 3, "900"));
        CHECK(c.step() == "update");
        c.stored("70");
        CHECK(c.told() == "leader:me, went back: 900 to 70, started");
        CHECK(c.m.token() == 70);
        c.now += 2s;
        CHECK(c.step() == "update");
        c.stored("71");
        CHECK(c.told().empty());
    }
    SUBCASE("of a follower: it gives the Lease up, and waits until another one's version is larger") {
        s.refuse_token_reset = true;
        c.m = lease_machine(s);
        c.m.watching(true);
        c.m.observed(lease_of("", 1, 3, "900"), c.now);
        CHECK(c.step() == "update");
        c.stored("70");
        CHECK(c.told() == "leader:me, went back: 900 to 70");
        CHECK_FALSE(c.m.leading());
        CHECK(c.step() == "release");
        c.stored("71");
        CHECK(c.told() == "leader:");
        CHECK(c.step() == "wait 15");
        c.now += 15s;
        CHECK(c.step() == "wait 15");
        c.m.observed(lease_of("", 1, 3, "899"), c.now);
        CHECK(c.step() == "wait 15");
        c.m.observed(lease_of("", 1, 3, "901"), c.now);
        CHECK(c.step() == "update");
        c.stored("902");
        CHECK(c.told() == "leader:me, started");
        CHECK(c.m.token() == 902);
    }
    SUBCASE("of a leader: it stops, and gives the Lease up when its work has returned") {
        s.refuse_token_reset = true;
        c.m = lease_machine(s);
        c.m.watching(true);
        CHECK(c.step() == "get");
        c.ok(lease_of("", 1, 3, "900"));
        CHECK(c.step() == "update");
        c.stored("901");
        CHECK(c.told() == "leader:me, started");
        c.now += 2s;
        CHECK(c.step() == "update");
        c.stored("70");
        CHECK(c.told() == "went back: 901 to 70, stopped: the Lease's version went back from 901 to 70");
        CHECK(c.step() == "wait 15");
        c.m.work_returned();
        CHECK(c.step() == "release");
        SUBCASE("which may fail") {
            c.fails(error(errc::timeout));
            c.now += 4s;
            CHECK(c.step() == "get");
            c.ok(lease_of("me", 15, 4, "70"));
            CHECK(c.step() == "release");
            c.stored("71");
        }
        SUBCASE("which may go through") { c.stored("71"); }
        CHECK(c.step() == "wait 15");
        c.m.stop(true, c.now + 10s);
        CHECK(c.step() == "done");
    }
    SUBCASE("is none where versions are no numbers") {
        s.refuse_token_reset = true;
        c.m = lease_machine(s);
        CHECK(c.step() == "get");
        c.ok(lease_of("", 1, 3, "900"));
        CHECK(c.step() == "update");
        c.stored("x70");
        CHECK(c.told() == "leader:me, started");
        CHECK(c.m.token() == 0);
    }
}
