// When a registered object is applied and deleted: every transition, and each way in which a request can fail.
#include <kcontrol/service/detail/registration_machine.hpp>

#include "support/print.hpp"

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace kcontrol::service::detail;
using namespace std::chrono_literals;

registration_settings settings(bool resolved = true, bool owned = false, bool remove = true) {
    registration_settings out;
    out.resolved = resolved;
    out.owned = owned;
    out.remove = remove;
    return out;
}

/// A machine, its time, and what it is asked and told, as text.
class registrar {
public:
    explicit registrar(registration_settings s = settings()) : m(s) {}

    registration_machine m;
    time_point now{1h};

    std::string step() {
        const registration_step s = m.next(now);
        const char* const names[] = {"", "resolve", "find_pod", "apply", "remove"};
        if (s.finished) return "finished";
        if (s.request != registration_request::none) return names[static_cast<int>(s.request)];
        if (!s.until) return "idle";
        return "wait " + std::to_string(std::chrono::duration_cast<std::chrono::milliseconds>(*s.until - now).count());
    }
    void brings(registration_answer answer = {}) { m.answered(std::move(answer), now, 0); }
    void stored(const std::string& version, const std::string& uid = "u") { brings({"o", uid, version}); }
    void fails(const error& why) { m.answered(why, now, 0); }
    std::string told() {
        std::string out;
        for (const auto& notice : m.take_notices()) {
            const char* const names[] = {"failed",        "recovered",        "forbidden",
                                         "pod_forbidden", "remove_forbidden", "undone"};
            out += (out.empty() ? "" : ", ") + std::string(names[static_cast<int>(notice.event)]);
        }
        return out;
    }
    /// Applied in version 5, and watched.
    void settle() {
        REQUIRE(step() == "apply");
        stored("5");
        m.watching(true, now);
        REQUIRE(step() == "wait 300000");
    }
};

}  // namespace

TEST_CASE("registration_machine: what is not known is found out first") {
    registrar r(settings(false, true));
    REQUIRE(r.step() == "resolve");
    r.brings();
    REQUIRE(r.step() == "find_pod");
    r.brings({"pod-0", "pod-uid", "3"});
    CHECK(r.m.owner().name == "pod-0");
    REQUIRE(r.step() == "apply");
    CHECK_FALSE(r.m.applied());
    r.stored("5");
    CHECK(r.m.applied());
    CHECK(r.m.uid() == "u");
    CHECK(r.step() == "wait 30000");
    r.m.watching(true, r.now);
    CHECK(r.step() == "wait 300000");
    CHECK(r.told().empty());
}

TEST_CASE("registration_machine: without a pod, or the right to read one, nothing owns the object") {
    for (const auto& [why, told] :
         {std::pair(error(api_errc::not_found), ""), std::pair(error(api_errc::forbidden), "pod_forbidden")}) {
        registrar r(settings(true, true));
        REQUIRE(r.step() == "find_pod");
        r.fails(why);
        CHECK(r.m.owner().name.empty());
        CHECK(r.told() == told);
        CHECK(r.step() == "apply");
    }
    // But while the server does not say that there is none, it may be there.
    registrar r(settings(true, true));
    REQUIRE(r.step() == "find_pod");
    r.fails(error(errc::timeout));
    CHECK(r.step() == "wait 1000");
    r.now += 1s;
    CHECK(r.step() == "find_pod");
}

TEST_CASE_FIXTURE(registrar, "registration_machine: it is applied again when the watch shows another version") {
    settle();
    m.observed("5", now);  // its own
    m.observed("4", now);  // late
    CHECK(step() == "wait 300000");
    now += 10s;
    m.observed("7", now);
    SUBCASE("a change that it undoes") {
        REQUIRE(step() == "apply");
        stored("8");
        m.observed("8", now);
    }
    SUBCASE("a change of other fields, which stay") {
        REQUIRE(step() == "apply");
        stored("7");
    }
    SUBCASE("two changes, the second while it is applied") {
        REQUIRE(step() == "apply");
        m.observed("9", now);
        CHECK(m.applied());
        stored("8");
        CHECK(step() == "wait 1000");
        now += 1s;
        REQUIRE(step() == "apply");
        stored("10");
    }
    SUBCASE("its own write shows before its answer") {
        REQUIRE(step() == "apply");
        m.observed("8", now);
        stored("8");
    }
    CHECK(step() == "wait 300000");
    CHECK(m.applied());
    CHECK(told().empty());
}

TEST_CASE_FIXTURE(registrar, "registration_machine: a deletion is a version, too, and the object gets another uid") {
    settle();
    now += 1min;
    m.observed("6", now);
    REQUIRE(step() == "apply");
    stored("7", "v");
    CHECK(m.uid() == "v");
    CHECK(step() == "wait 300000");
}

TEST_CASE_FIXTURE(registrar, "registration_machine: versions that can't be compared count as changes") {
    REQUIRE(step() == "apply");
    stored("abc");
    m.watching(true, now);
    now += 1min;
    m.observed("abc", now);
    CHECK(step() == "wait 240000");
    m.observed("abd", now);
    CHECK(step() == "apply");
}

TEST_CASE_FIXTURE(registrar, "registration_machine: one who changes it back again and again is met ever more slowly") {
    settle();
    now += 1min;
    std::uint64_t version = 5;
    std::string waits, all;
    for (int i = 0; i < 8; ++i) {
        m.observed(std::to_string(++version), now);
        std::string what = step();
        waits += " " + what;
        while (what != "apply") {
            now += std::chrono::milliseconds(std::stoi(what.substr(5)));
            what = step();
        }
        stored(std::to_string(++version));
        all += told();
    }
    CHECK(waits == " apply wait 1000 wait 2000 wait 4000 wait 8000 wait 16000 wait 30000 wait 30000");
    CHECK(all == "undone");
    // Changes of other fields are no reason to wait longer.
    m.observed(std::to_string(++version), now);
    now += 1min;
    REQUIRE(step() == "apply");
    stored(std::to_string(version));
    m.observed(std::to_string(++version), now);
    CHECK(step() == "wait 1000");
}

TEST_CASE_FIXTURE(registrar, "registration_machine: when the watch ends, what happened meanwhile is not known") {
    settle();
    now += 10s;
    m.watching(false, now);
    REQUIRE(step() == "apply");
    stored("5");
    CHECK(step() == "wait 30000");  // none tells
    m.watching(true, now);
    CHECK(step() == "wait 300000");
    now += 5min;
    CHECK(step() == "apply");
}

TEST_CASE_FIXTURE(registrar, "registration_machine: versions that go back begin another epoch of the watch") {
    settle();
    CHECK(m.epoch() == 0);
    now += 5min;
    REQUIRE(step() == "apply");
    stored("3");
    CHECK(m.epoch() == 1);
    CHECK(m.version() == "3");
    m.observed("4", now);
    now += 1s;
    CHECK(step() == "apply");
}

TEST_CASE("registration_machine: failures of an apply") {
    struct row {
        error why;
        bool final;
        const char* wait;
        const char* told;
    };
    for (const auto& r : {row{error(errc::timeout), false, "wait 1000", "failed"},
                          row{error(errc::connection_refused), false, "wait 1000", "failed"},
                          row{error(errc::unknown_outcome), false, "wait 1000", "failed"},
                          row{error(api_errc::internal_error), false, "wait 1000", "failed"},
                          row{error(api_errc::conflict), false, "wait 1000", "failed"},
                          row{error(api_errc::invalid), true, "wait 60000", "failed"},
                          row{error(api_errc::not_found), true, "wait 60000", "failed"},
                          row{error(errc::no_such_kind), true, "wait 60000", "failed"},
                          row{error(api_errc::forbidden), true, "wait 60000", "forbidden"}}) {
        CAPTURE(r.why.what());
        registrar x;
        REQUIRE(x.step() == "apply");
        x.fails(r.why);
        CHECK(x.step() == r.wait);
        CHECK(x.told() == r.told);
        CHECK(x.m.is_final() == r.final);
        CHECK(x.m.failure()->code() == r.why.code());
        x.now += 1min;
        REQUIRE(x.step() == "apply");
        x.fails(r.why);
        CHECK(x.told().empty());
        x.now += 1min;
        REQUIRE(x.step() == "apply");
        x.stored("5");
        CHECK(x.told() == "recovered");
        CHECK_FALSE(x.m.failure());
        CHECK_FALSE(x.m.is_final());
    }
}

TEST_CASE("registration_machine: pauses between failures grow up to half a minute, and are spread") {
    registrar r;
    std::string waits;
    for (int i = 0; i < 7; ++i) {
        REQUIRE(r.step() == "apply");
        r.fails(error(errc::timeout));
        waits += r.step().substr(4);
        r.now += 1min;
    }
    CHECK(waits == " 1000 2000 4000 8000 16000 30000 30000");
    REQUIRE(r.step() == "apply");
    r.m.answered(error(errc::timeout), r.now, 0.5);
    CHECK(r.step() == "wait 37500");
}

TEST_CASE("registration_machine: at the end the object is deleted, if there may be one") {
    SUBCASE("it was never applied") {
        registrar r;
        REQUIRE(r.step() == "apply");
        r.fails(error(api_errc::forbidden));
        r.m.stop(r.now + 10s);
        CHECK(r.step() == "finished");
    }
    SUBCASE("nobody knows whether it was") {
        registrar r;
        REQUIRE(r.step() == "apply");
        r.fails(error(errc::unknown_outcome));
        r.m.stop(r.now + 10s);
        CHECK(r.step() == "remove");
    }
    SUBCASE("it stays, by option") {
        registrar r(settings(true, false, false));
        REQUIRE(r.step() == "apply");
        r.stored("5");
        r.m.stop(r.now + 10s);
        CHECK(r.step() == "finished");
    }
    SUBCASE("a stop while it is applied") {
        registrar r;
        REQUIRE(r.step() == "apply");
        r.m.stop(r.now + 10s);
        r.stored("5");
        REQUIRE(r.step() == "remove");
        r.brings();
        CHECK(r.step() == "finished");
    }
    for (const auto& why : {error(api_errc::not_found), error(api_errc::conflict)}) {
        registrar r;
        r.settle();
        r.m.stop(r.now + 10s);
        REQUIRE(r.step() == "remove");
        r.fails(why);  // it is not there, or is another one
        CHECK(r.step() == "finished");
        CHECK_FALSE(r.m.failure());
    }
    SUBCASE("a right is missing") {
        registrar r;
        r.settle();
        r.m.stop(r.now + 10s);
        REQUIRE(r.step() == "remove");
        r.fails(error(api_errc::forbidden));
        CHECK(r.told() == "remove_forbidden");
        CHECK(r.step() == "finished");
        CHECK(*r.m.failure() == api_errc::forbidden);
    }
    SUBCASE("the server is not there") {
        registrar r;
        r.settle();
        r.m.stop(r.now + 2s);
        for (int i = 0; i < 4; ++i) {
            REQUIRE(r.step() == "remove");
            r.fails(error(errc::connection_refused));
            CHECK(r.step() == "wait 500");
            r.now += 500ms;
        }
        CHECK(r.step() == "finished");
        CHECK(*r.m.failure() == errc::connection_refused);
    }
}

TEST_CASE_FIXTURE(registrar, "registration_machine: nothing is applied any more once it stops") {
    settle();
    m.stop(now + 10s);
    m.observed("9", now);
    m.watching(false, now);
    REQUIRE(step() == "remove");
    brings();
    CHECK(step() == "finished");
}
