// Which pod carries the leader's label: every transition, and each way in which a request can fail.
#include <kcontrol/service/detail/label_machine.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::service::detail;
using namespace std::chrono_literals;

label_settings mine() {
    label_settings out;
    out.pod = "me";
    out.lease = 10s;
    return out;
}

labelled_pod pod(const std::string& name, bool labelled, const std::string& version = "1") {
    return labelled_pod(name, version, labelled);
}

/// A machine, its time, and what it is asked and told, as text.
class keeper {
public:
    label_machine m{mine()};
    time_point now{1h};

    std::string step() {
        const label_step s = m.next(now);
        switch (s.request) {
        case label_request::none: break;
        case label_request::read: return "read " + s.pod;
        case label_request::list: return "list";
        case label_request::add: return "add " + s.pod + "@" + s.version + (s.fenced ? " fenced" : "");
        case label_request::remove: return "remove " + s.pod + "@" + s.version + (s.fenced ? " fenced" : "");
        }
        if (!s.until) return "idle";
        return "wait " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(*s.until - now).count());
    }
    void brings(std::vector<labelled_pod> pods) { m.answered(std::move(pods), now); }
    void fails(const error& why) { m.answered(why, now); }
    std::string told() {
        std::string out;
        for (const auto& notice : m.take_notices()) {
            const char* const names[] = {"no pod", "forbidden", "failed", "recovered"};
            out += (out.empty() ? "" : ", ") + std::string(names[static_cast<int>(notice.event)]);
        }
        return out;
    }
    /// It leads, and its pod carries the label alone.
    void settle_leading() {
        m.lead(true);
        REQUIRE(step() == "list");
        brings({});
        REQUIRE(step() == "read me");
        brings({pod("me", false, "3")});
        REQUIRE(step() == "add me@3 fenced");
        brings({pod("me", true, "4")});
        REQUIRE(step() == "wait 5000");
        REQUIRE(m.settled());
    }
};

}  // namespace

TEST_CASE_FIXTURE(keeper, "label_machine: at the start the label is taken from the own pod, if it has it") {
    CHECK_FALSE(m.settled());
    REQUIRE(step() == "read me");
    CHECK_FALSE(m.settled());
    SUBCASE("it has none") { brings({pod("me", false)}); }
    SUBCASE("of an earlier container of this pod") {
        brings({pod("me", true, "7")});
        REQUIRE(step() == "remove me@7");  // not fenced: it does not lead
        brings({pod("me", false, "8")});
    }
    SUBCASE("there is no pod") { fails(error(api_errc::not_found)); }
    CHECK(step() == "idle");
    CHECK(m.settled());
    CHECK(told().empty());
}

TEST_CASE_FIXTURE(keeper, "label_machine: a new leader takes it from all others first, then gives it to its own pod") {
    m.lead(true);
    REQUIRE(step() == "list");
    brings({pod("a", true, "4"), pod("b", true, "5")});
    CHECK_FALSE(m.settled());
    REQUIRE(step() == "remove a@4 fenced");
    brings({pod("a", false, "6")});
    REQUIRE(step() == "remove b@5 fenced");
    brings({pod("b", false, "7")});
    REQUIRE(step() == "read me");
    brings({pod("me", false, "3")});
    REQUIRE(step() == "add me@3 fenced");
    brings({pod("me", true, "8")});
    CHECK(step() == "wait 5000");
    CHECK(m.settled());
}

TEST_CASE_FIXTURE(keeper, "label_machine: a list that has the own pod needs no read") {
    m.lead(true);
    REQUIRE(step() == "list");
    brings({pod("a", true, "4"), pod("me", true, "5")});
    REQUIRE(step() == "remove a@4 fenced");
    brings({pod("a", false, "6")});
    CHECK(step() == "wait 5000");
    CHECK(m.settled());
}

TEST_CASE_FIXTURE(keeper, "label_machine: it lists again every half lease, and takes what a late write has left") {
    settle_leading();
    now += 4999ms;
    CHECK(step() == "wait 1");
    now += 1ms;
    REQUIRE(step() == "list");
    SUBCASE("another pod got it") {
        brings({pod("late", true, "9"), pod("me", true, "4")});
        REQUIRE(step() == "remove late@9 fenced");
        brings({pod("late", false, "10")});
    }
    SUBCASE("the own pod lost it") {
        brings({});
        REQUIRE(step() == "read me");
        brings({pod("me", false, "9")});
        REQUIRE(step() == "add me@9 fenced");
        brings({pod("me", true, "10")});
    }
    SUBCASE("all is well") { brings({pod("me", true, "4")}); }
    CHECK(step() == "wait 5000");
    CHECK(m.settled());
    CHECK(told().empty());
}

TEST_CASE_FIXTURE(keeper, "label_machine: at a loss it is taken off, with the version that was read last") {
    settle_leading();
    m.lead(false);
    CHECK_FALSE(m.settled());
    REQUIRE(step() == "remove me@4");
    SUBCASE("it is still there") { brings({pod("me", false, "5")}); }
    SUBCASE("the next leader has done it") {
        fails(error(api_errc::conflict));
        REQUIRE(step() == "read me");
        brings({pod("me", false, "6")});
    }
    SUBCASE("somebody else wrote") {
        fails(error(api_errc::conflict));
        REQUIRE(step() == "read me");
        brings({pod("me", true, "6")});
        REQUIRE(step() == "remove me@6");
        brings({pod("me", false, "7")});
    }
    SUBCASE("the pod is deleted") { fails(error(api_errc::not_found)); }
    CHECK(step() == "idle");
    CHECK(m.settled());
    CHECK(told().empty());
}

TEST_CASE("label_machine: leadership that is lost while a request is under way is decided anew with its answer") {
    for (const int lost_at : {0, 1, 2, 3}) {
        CAPTURE(lost_at);
        keeper k;
        k.m.lead(true);
        REQUIRE(k.step() == "list");
        if (lost_at == 0) k.m.lead(false);
        k.brings({pod("a", true, "4")});
        if (lost_at >= 1) {
            REQUIRE(k.step() == "remove a@4 fenced");
            if (lost_at == 1) k.m.lead(false);
            k.brings({pod("a", false, "6")});
        }
        if (lost_at >= 2) {
            REQUIRE(k.step() == "read me");
            if (lost_at == 2) k.m.lead(false);
            k.brings({pod("me", false, "3")});
        }
        if (lost_at >= 3) {
            REQUIRE(k.step() == "add me@3 fenced");
            k.m.lead(false);
            CHECK_FALSE(k.m.settled());
            k.brings({pod("me", true, "8")});
            REQUIRE(k.step() == "remove me@8");
            k.brings({pod("me", false, "9")});
        } else if (lost_at < 2) {
            REQUIRE(k.step() == "read me");
            k.brings({pod("me", false, "3")});
        }
        CHECK(k.step() == "idle");
        CHECK(k.m.settled());
    }
}

TEST_CASE("label_machine: an add whose answer is lost, or that a stop ends, is undone at a loss") {
    for (const auto& why : {error(errc::unknown_outcome), error(errc::timeout), error(errc::stopped)}) {
        keeper k;
        k.m.lead(true);
        REQUIRE(k.step() == "list");
        k.brings({});
        REQUIRE(k.step() == "read me");
        k.brings({pod("me", false, "3")});
        REQUIRE(k.step() == "add me@3 fenced");
        k.fails(why);
        k.m.lead(false);
        REQUIRE(k.step() == "read me");
        k.brings({pod("me", true, "4")});
        REQUIRE(k.step() == "remove me@4");
    }
}

TEST_CASE("label_machine: after a failure of any request it waits, ever longer, and looks again") {
    for (const int at : {0, 1, 2, 3}) {
        for (const auto& why : {error(errc::timeout), error(api_errc::internal_error), error(errc::connection_lost)}) {
            CAPTURE(at);
            keeper k;
            k.m.lead(true);
            const auto fail_at = [&](int here) {
                if (at == here) k.fails(why);
                return at == here;
            };
            const auto reach = [&] {
                REQUIRE(k.step() == "list");
                if (fail_at(0)) return;
                k.brings({pod("a", true, "4")});
                REQUIRE(k.step() == "remove a@4 fenced");
                if (fail_at(1)) return;
                k.brings({pod("a", false, "5")});
                REQUIRE(k.step() == "read me");
                if (fail_at(2)) return;
                k.brings({pod("me", false, "6")});
                REQUIRE(k.step() == "add me@6 fenced");
                fail_at(3);
            };
            reach();
            CHECK(k.step() == "wait 50");
            CHECK(k.told() == "failed");
            k.now += 50ms;
            // A write on the own pod leaves the others known; all else begins with the list.
            if (at == 2 || at == 3) {
                REQUIRE(k.step() == "read me");
                k.fails(why);
            } else {
                REQUIRE(k.step() == "list");
                k.fails(why);
            }
            CHECK(k.step() == "wait 100");
            CHECK(k.told().empty());
            for (int i = 0; i < 20; ++i) {
                k.now += 1h;
                k.step();
                k.fails(why);
            }
            CHECK(k.step() == "wait 5000");
            k.now += 5s;
            CHECK(k.step() == "list");  // that of before is old
            k.brings({pod("me", true, "9")});
            CHECK(k.step() == "wait 5000");
            CHECK(k.told() == "recovered");
        }
    }
}

TEST_CASE_FIXTURE(keeper, "label_machine: a conflict is met at once with another look, the next ones after pauses") {
    m.lead(true);
    REQUIRE(step() == "list");
    brings({});
    for (const char* const first : {"read me", "read me", "wait 50", "wait 100"}) {
        std::string what = step();
        REQUIRE(what == first);
        if (what != "read me") {
            now += 1s;
            REQUIRE(step() == "read me");
        }
        brings({pod("me", false, "3")});
        REQUIRE(step() == "add me@3 fenced");
        fails(error(api_errc::conflict));
    }
    CHECK(told().empty());
    now += 1s;
    REQUIRE(step() == "read me");
    brings({pod("me", false, "3")});
    REQUIRE(step() == "add me@3 fenced");
    brings({pod("me", true, "4")});
    CHECK(step().starts_with("wait"));
    CHECK(m.settled());
}

TEST_CASE_FIXTURE(keeper, "label_machine: a pod that conflicts or is deleted while it is cleaned") {
    m.lead(true);
    REQUIRE(step() == "list");
    brings({pod("a", true, "4"), pod("b", true, "5")});
    REQUIRE(step() == "remove a@4 fenced");
    SUBCASE("deleted") {
        fails(error(api_errc::not_found));
        CHECK(step() == "remove b@5 fenced");
    }
    SUBCASE("changed") {
        fails(error(api_errc::conflict));
        REQUIRE(step() == "list");
        brings({pod("b", true, "7")});
        CHECK(step() == "remove b@7 fenced");
    }
    SUBCASE("the fence is shut") {
        fails(error(errc::not_leading));
        CHECK(step() == "wait 50");
    }
    CHECK(told().empty());
}

TEST_CASE_FIXTURE(keeper, "label_machine: a missing right is told once per verb, and asked for every minute") {
    m.lead(true);
    for (int i = 0; i < 3; ++i) {
        REQUIRE(step() == "list");
        fails(error(api_errc::forbidden));
        CHECK(told() == (i == 0 ? "forbidden" : ""));
        CHECK(step() == "wait 60000");
        now += 1min;
    }
    REQUIRE(step() == "list");
    brings({pod("a", true, "4")});
    REQUIRE(step() == "remove a@4 fenced");
    fails(error(api_errc::forbidden));
    CHECK(told() == "forbidden");
    // Another term asks at once, and tells no more.
    m.lead(false);
    REQUIRE(step() == "read me");
    brings({pod("me", false)});
    CHECK(step() == "idle");
    m.lead(true);
    REQUIRE(step() == "list");
    brings({pod("a", true, "4")});
    REQUIRE(step() == "remove a@4 fenced");
    fails(error(api_errc::forbidden));
    CHECK(told().empty());
    // Granted, and taken back.
    now += 1min;
    REQUIRE(step() == "list");
    brings({pod("a", true, "4")});
    REQUIRE(step() == "remove a@4 fenced");
    brings({pod("a", false, "5")});
    REQUIRE(step() == "read me");
    brings({pod("me", false)});
    REQUIRE(step() == "add me@1 fenced");
    fails(error(api_errc::forbidden));
    CHECK(told() == "forbidden");
}

TEST_CASE_FIXTURE(keeper, "label_machine: without an own pod nobody gets the label, which is told once") {
    m.lead(true);
    for (int i = 0; i < 2; ++i) {
        REQUIRE(step() == "list");
        brings({});
        REQUIRE(step() == "read me");
        fails(error(api_errc::not_found));
        CHECK(told() == (i == 0 ? "no pod" : ""));
        CHECK(step() == "wait 60000");
        CHECK_FALSE(m.settled());
        now += 1min;
    }
    REQUIRE(step() == "list");
    brings({});
    REQUIRE(step() == "read me");
    brings({pod("me", false)});
    CHECK(step() == "add me@1 fenced");
}
