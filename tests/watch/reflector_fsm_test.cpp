#include <kcontrol/watch/reflector_fsm.hpp>

#include <doctest/doctest.h>

#include <sstream>

namespace doctest {
template <>
struct StringMaker<kcontrol::reflector_action> {
    static String convert(const kcontrol::reflector_action& a) {
        std::ostringstream out;
        out << a;
        return out.str().c_str();
    }
};
}  // namespace doctest

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using act = reflector_action;

constexpr time_point t0{std::chrono::hours(1)};

error from_server(int code, std::string reason, std::string message = "no") {
    api_status status;
    status.code = code;
    status.reason = std::move(reason);
    status.message = std::move(message);
    return error(std::move(status));
}

const error expired = from_server(410, "Expired");
const error gone = from_server(410, "Gone");
const error html_410 = from_server(410, "");
const error too_large = from_server(504, "Timeout", "Too large resource version: 9, current: 5");
const error not_found = from_server(404, "NotFound");
const error forbidden = from_server(403, "Forbidden");
const error overloaded = from_server(429, "TooManyRequests");
const error internal = from_server(500, "InternalError");
const error refused(errc::connection_refused);
const error lost(errc::connection_lost);
const error rubbish(errc::decode_failed, "rubbish");

// Time of its own, so that tests say only what matters; and the same server answers, unless it is told otherwise.
class machine {
public:
    explicit machine(reflector_policy policy = {}) : fsm(policy) {}

    // Goes on to the first step that is no question who answers.
    act known(act step) {
        while (step.step == reflector_step::identify) step = fsm.on_identity(server, now, 0);
        return step;
    }
    act start() { return known(fsm.start(now)); }
    act page(std::string_view version, std::string_view token = {}) { return known(fsm.on_page(version, token, now)); }
    act replaced() { return known(fsm.on_replaced(now)); }
    // The whole list, and on.
    act listed(std::string_view version) {
        CHECK(page(version).step == reflector_step::replace);
        return replaced();
    }
    act list_failed(const error& why) { return known(fsm.on_list_failed(why, now, 0)); }
    act opened() { return known(fsm.on_watch_open(now, 300s)); }
    act refused_watch(const error& why) { return known(fsm.on_watch_refused(why, now, 0)); }
    act event(std::string_view version) { return known(fsm.on_event(version, now)); }
    act error_event(const error& why) { return known(fsm.on_error_event(why, now, 0)); }
    act ended(double unit = 0) { return known(fsm.on_watch_end(now, unit)); }
    act broken(const error& why = lost) { return known(fsm.on_watch_broken(why, now, 0)); }
    // The wait is over.
    act timer(const act& slept) {
        REQUIRE(slept.step == reflector_step::sleep);
        now += slept.delay;
        return known(fsm.on_timer(now));
    }
    // It is due.
    act due() {
        REQUIRE(fsm.due().has_value());
        now = *fsm.due();
        return known(fsm.on_due(now));
    }
    void identify(std::string uid, std::string version = {}) {
        server_identity who;
        who.uid = std::move(uid);
        who.resource_version = std::move(version);
        server = who;
    }
    bool live() const { return fsm.state() == reflector_state::live; }
    bool says(std::string_view words) const { return fsm.reason().find(words) != std::string::npos; }

    reflector_fsm fsm;
    time_point now = t0;
    result<server_identity> server = error(api_errc::not_found, "no kube-system here");
};

// One whose first list is complete at version 10 and whose watch has been open since t0.
machine live(std::string uid = {}) {
    machine m;
    if (!uid.empty()) m.identify(std::move(uid), "10");
    m.start();
    m.listed("10");
    m.opened();
    return m;
}

TEST_CASE("reflector_fsm: lists at 0, page by page, then watches from the list's version") {
    machine m;
    CHECK(m.fsm.state() == reflector_state::idle);
    CHECK(m.fsm.start(t0) == act::identify());
    CHECK(m.fsm.on_identity(m.server, t0, 0) == act::list("0", "", 500));
    CHECK(m.fsm.state() == reflector_state::listing);
    CHECK(m.page("10", "next") == act::list("", "next", 500));
    CHECK_FALSE(m.fsm.synced());
    CHECK(m.page("10", "") == act::replace());
    CHECK_FALSE(m.fsm.synced());
    CHECK(m.replaced() == act::watch("10"));
    CHECK(m.fsm.synced());
    CHECK(m.opened() == act::read());
    CHECK(m.live());
    CHECK_FALSE(m.fsm.due().has_value());
}

TEST_CASE("reflector_fsm: events and bookmarks move the version, a proper end resumes from it") {
    auto m = live();
    CHECK(m.event("11") == act::read());
    CHECK(m.event("") == act::read());
    m.now += 5min;
    CHECK(m.fsm.on_watch_end(m.now, 0) == act::watch("11"));
    CHECK(m.live());
}

TEST_CASE("reflector_fsm: a watch that ends at once without events backs off, and the third is a failure") {
    auto m = live();
    m.now += 10ms;
    auto wait = m.ended();
    CHECK(wait == act::sleep(790ms));
    CHECK(m.live());
    CHECK(m.timer(wait) == act::watch("10"));
    m.opened();
    wait = m.ended(0.5);
    CHECK(wait == act::sleep(2400ms));
    CHECK(m.live());
    CHECK(m.timer(wait) == act::watch("10"));
    m.opened();
    wait = m.ended();
    CHECK(wait == act::sleep(3200ms));
    CHECK(m.fsm.state() == reflector_state::failed);
    CHECK(m.says("3 watches in a row"));
    // One that is opened does not mend it; what lasts does, or what brings something.
    m.timer(wait);
    m.opened();
    CHECK(m.fsm.state() == reflector_state::failed);
    auto by_event = m;
    by_event.event("11");
    CHECK(by_event.live());
    CHECK(by_event.fsm.reason().empty());
    CHECK(m.due() == act::read());
    CHECK(m.now - t0 > 30s);
    CHECK(m.live());
}

TEST_CASE("reflector_fsm: what brings news each time is opened once a second after a burst, and says why") {
    auto m = live();
    int version = 10, opened = 1;
    const time_point begin = m.now;
    for (; m.now < begin + 60s; ++opened) {
        m.now += 1ms;
        m.event(std::to_string(++version));
        act next = m.ended();
        while (next.step == reflector_step::sleep) next = m.timer(next);
        REQUIRE(next == act::watch(std::to_string(version)));
        m.opened();
        CHECK(m.live());
    }
    CHECK(opened > 60);
    CHECK(opened <= 60 + 6);
    CHECK(m.says("no more than one a second"));
    m.due();
    CHECK(m.fsm.reason().empty());
}

TEST_CASE("reflector_fsm: what fails always, however late, is opened ever more seldom and is a failure") {
    for (const auto& [lasts, most] : {std::pair(1ms, 18), std::pair(1500ms, 18), std::pair(10000ms, 20)}) {
        auto m = live();
        const time_point begin = m.now;
        int opened = 1;
        for (; m.now < begin + 5min; ++opened) {
            m.now += lasts;
            act next = m.broken(opened % 2 == 0 ? lost : rubbish);
            if (opened >= 3) CHECK(m.fsm.state() == reflector_state::failed);
            while (next.step == reflector_step::sleep) next = m.timer(next);
            m.opened();
            if (opened >= 3) CHECK(m.fsm.state() == reflector_state::failed);
        }
        CHECK(opened <= most);
    }
}

TEST_CASE("reflector_fsm: a proxy that cuts quiet watches after a minute is no failure, and costs no event a delay") {
    auto m = live();
    for (int i = 0; i < 20; ++i) {
        m.now += 60s;
        CHECK(m.broken() == act::watch("10"));
        m.opened();
        CHECK(m.live());
        CHECK(m.fsm.reason().empty());
    }
}

TEST_CASE("reflector_fsm: every shape of 410 lists at the last version, unpaged, then at the newest") {
    for (const auto& shape : {expired, gone, html_410}) {
        auto by_event = live();
        CHECK(by_event.error_event(shape) == act::list("10", "", 0));
        CHECK(by_event.list_failed(shape) == act::list("", "", 500));
        const auto wait = by_event.list_failed(shape);
        CHECK(wait == act::sleep(800ms));
        CHECK(by_event.timer(wait) == act::list("", "", 500));
        CHECK(by_event.listed("90") == act::watch("90"));

        auto by_status = live();
        by_status.now += 2s;
        by_status.ended();
        CHECK(by_status.refused_watch(shape) == act::list("10", "", 0));
    }
}

TEST_CASE("reflector_fsm: a watch that is always refused as too old, or unknown, lists with backoff") {
    for (const auto& why : {expired, not_found}) {
        for (const bool as_event : {false, true}) {
            auto m = live();
            const time_point begin = m.now;
            int lists = 0;
            act next = m.error_event(why);
            for (; m.now < begin + 5min; ++lists) {
                while (next.step == reflector_step::sleep) next = m.timer(next);
                REQUIRE(next.step == reflector_step::list);
                m.now += 1ms;
                next = m.listed(std::to_string(100 + lists));  // the cluster is busy
                while (next.step == reflector_step::sleep) next = m.timer(next);
                REQUIRE(next.step == reflector_step::watch);
                if (as_event) m.opened();
                next = as_event ? m.error_event(why) : m.refused_watch(why);
                CHECK(m.fsm.state() == reflector_state::failed);
                CHECK(m.says("no"));
            }
            CHECK(lists < 18);
        }
    }
}

TEST_CASE("reflector_fsm: a deletion of nobody knows whom is found by a list, and by no storm of them") {
    auto m = live();
    const time_point begin = m.now;
    int lists = 0;
    while (m.now < begin + 5min) {
        m.now += 1ms;
        act next = m.known(m.fsm.on_unknown_deletion(rubbish, "", m.now, 0));
        while (next.step == reflector_step::sleep) next = m.timer(next);
        CHECK(next == act::list("10", "", 0));
        ++lists;
        m.now += 1ms;
        next = m.listed("10");
        while (next.step == reflector_step::sleep) next = m.timer(next);
        m.opened();
    }
    CHECK(lists < 18);
}

TEST_CASE("reflector_fsm: 410 on a later page lists once more without pages") {
    machine m;
    m.start();
    m.page("10", "more");
    CHECK(m.list_failed(expired) == act::list("", "", 0));
    CHECK(m.listed("12") == act::watch("12"));
}

TEST_CASE("reflector_fsm: a list that does not fit is asked for in pages, then in halves, and says so") {
    const error over_budget(errc::too_large, "larger than 256 MiB");
    machine m;
    CHECK(m.start() == act::list("0", "", 500));
    CHECK(m.list_failed(over_budget) == act::list("", "", 500));
    CHECK(m.page("10", "t") == act::list("", "t", 500));
    // The page that failed is asked for again, not those before it.
    act next = m.list_failed(over_budget);
    CHECK(next == act::list("", "t", 250));
    CHECK(m.says("larger than 256 MiB"));
    CHECK(m.says("250 objects"));
    for (const std::int64_t size : {125, 62, 31, 15, 7, 3, 1}) {
        next = m.list_failed(over_budget);
        if (next.step == reflector_step::sleep) next = m.timer(next);
        CHECK(next == act::list("", "t", size));
    }
    // One object above the budget is nothing that the next request would mend.
    CHECK(m.list_failed(over_budget).step == reflector_step::sleep);
    CHECK(m.fsm.state() == reflector_state::failed);

    machine all_at_once(reflector_policy().page_size(0));
    CHECK(all_at_once.start() == act::list("0", "", 0));
    CHECK(all_at_once.list_failed(over_budget) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: a version the server has not reached yet is given up for the newest state") {
    auto m = live();
    m.error_event(expired);
    CHECK(m.list_failed(too_large) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: trouble of the server resumes with backoff and never lists") {
    for (const auto& trouble : {overloaded, internal, from_server(503, "ServiceUnavailable"), too_large}) {
        auto m = live();
        m.event("11");
        act wait = m.error_event(trouble);
        CHECK(wait == act::sleep(800ms));
        CHECK(m.fsm.state() == reflector_state::failed);
        CHECK(m.timer(wait) == act::watch("11"));
        wait = m.refused_watch(trouble);
        CHECK(wait == act::sleep(1600ms));
        CHECK(m.timer(wait) == act::watch("11"));
        CHECK(m.opened() == act::read());
        CHECK(m.live());
    }
}

TEST_CASE("reflector_fsm: an object that the server can't read any more is found missing by a list") {
    auto m = live();
    const auto wait = m.error_event(from_server(500, "StorageReadError"));
    CHECK(wait == act::sleep(800ms));
    CHECK(m.timer(wait) == act::list("10", "", 0));
}

TEST_CASE("reflector_fsm: Retry-After is honoured and capped") {
    auto with_delay = [](std::chrono::seconds s) {
        api_status status;
        status.code = 429;
        status.reason = "TooManyRequests";
        status.retry_after = s;
        return error(std::move(status));
    };
    CHECK(live().error_event(with_delay(7s)) == act::sleep(7s));
    CHECK(live().error_event(with_delay(1h)) == act::sleep(120s));
    CHECK(live().error_event(with_delay(-5s)) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: a broken connection resumes at once; if it breaks at once again, with backoff") {
    auto m = live();
    m.event("11");
    m.now += 3s;
    CHECK(m.broken() == act::watch("11"));
    m.opened();
    const auto wait = m.broken();
    CHECK(wait == act::sleep(800ms));
    CHECK(m.fsm.state() == reflector_state::failed);
    CHECK(m.fsm.failure() == errc::connection_lost);
    CHECK(m.timer(wait) == act::watch("11"));
}

TEST_CASE("reflector_fsm: backoff doubles to its cap and starts afresh after a quiet time") {
    auto m = live();
    act wait = act::read();
    for (int i = 0; i < 10; ++i) {
        wait = m.refused_watch(refused);
        m.timer(wait);
    }
    CHECK(wait == act::sleep(30s));
    m.now += 10min;
    CHECK(m.refused_watch(refused) == act::sleep(800ms));
}

TEST_CASE("reflector_fsm: a kind that is not installed is probed") {
    machine m(reflector_policy().probe_period(7s));
    m.start();
    const auto wait = m.list_failed(not_found);
    CHECK(wait == act::sleep(7s));
    CHECK(m.fsm.state() == reflector_state::not_installed);
    CHECK(m.timer(wait) == act::list("", "", 500));
    CHECK(m.fsm.state() == reflector_state::not_installed);
    CHECK(m.listed("10") == act::watch("10"));
    m.opened();
    CHECK(m.live());
}

TEST_CASE("reflector_fsm: a kind that vanishes is asked for twice before its objects are gone") {
    auto m = live();
    CHECK(m.refused_watch(not_found) == act::list("10", "", 0));
    auto back = m;
    auto wait = m.list_failed(not_found);
    CHECK(wait == act::sleep(2s));
    CHECK(m.fsm.synced());
    CHECK(m.timer(wait) == act::list("", "", 500));
    CHECK(m.list_failed(not_found) == act::clear());
    CHECK(m.fsm.on_cleared() == act::sleep(15s));
    CHECK_FALSE(m.fsm.synced());

    back.timer(back.list_failed(not_found));
    CHECK(back.listed("12") == act::watch("12"));
}

TEST_CASE("reflector_fsm: without rights it probes, and resumes when they come") {
    auto m = live();
    auto wait = m.refused_watch(forbidden);
    CHECK(wait == act::sleep(15s));
    CHECK(m.fsm.state() == reflector_state::forbidden);
    CHECK(m.timer(wait) == act::watch("10"));

    machine fresh;
    fresh.start();
    wait = fresh.list_failed(forbidden);
    CHECK(wait == act::sleep(15s));
    CHECK(fresh.timer(wait) == act::list("0", "", 500));
}

TEST_CASE("reflector_fsm: a version that makes no sense to the server leads to the newest list") {
    auto m = live();
    const auto wait = m.refused_watch(from_server(400, "BadRequest"));
    CHECK(wait == act::sleep(800ms));
    CHECK(m.timer(wait) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: start() at any point resumes if it can and lists if it must") {
    auto m = live();
    m.event("12");
    CHECK(m.start() == act::watch("12"));
    m.refused_watch(expired);  // stopped in the middle of the list that follows
    CHECK(m.start() == act::watch("12"));
    m.fsm.forget_version();
    CHECK(m.start() == act::list("", "", 500));
    // Versions of another server mean nothing here.
    CHECK(m.page("3") == act::replace(true));
    CHECK(m.replaced() == act::watch("3"));

    machine fresh;
    fresh.start();
    fresh.page("10", "more");  // stopped between pages
    CHECK(fresh.start() == act::list("0", "", 500));
}

TEST_CASE("reflector_fsm: many starts in a row open no more than a watch a second") {
    auto m = live();
    int opened = 0;
    for (int i = 0; i < 100; ++i, m.now += 10ms) {
        if (m.start().step == reflector_step::watch) ++opened;
    }
    CHECK(opened == 5);
}

TEST_CASE("reflector_fsm: the diagnosis of a failure stays until the server has answered") {
    machine m;
    m.start();
    const auto wait = m.list_failed(refused);
    CHECK(m.fsm.reason() == "connection refused");
    m.timer(wait);
    CHECK(m.fsm.state() == reflector_state::failed);
    m.listed("1");
    m.opened();
    CHECK(m.fsm.reason().empty());
}

TEST_CASE("reflector_fsm: a list whose version the server makes no sense of is asked for at the newest state") {
    auto m = live();
    CHECK(m.error_event(expired) == act::list("10", "", 0));
    CHECK(m.known(m.list_failed(from_server(400, "BadRequest"))).step == reflector_step::sleep);
    CHECK(m.known(m.fsm.on_timer(m.now)) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: a watch that can't be resumed, for the server told no version, is begun again by a list") {
    machine m;
    m.start();
    CHECK(m.page("") == act::replace());
    CHECK(m.replaced() == act::watch(""));
    auto refused_one = m;
    CHECK(refused_one.known(refused_one.fsm.on_watch_refused(forbidden, m.now, 0)) == act::sleep(15s));
    CHECK(refused_one.known(refused_one.fsm.on_timer(m.now)) == act::list("0", "", 500));
    m.opened();
    auto told = m;
    m.now += 1min;
    CHECK(m.known(m.fsm.on_watch_broken(lost, m.now, 0)) == act::list("0", "", 500));
    told.event("7");
    told.now += 1min;
    CHECK(told.known(told.fsm.on_watch_broken(lost, told.now, 0)) == act::watch("7"));
}

// --- which server answers, and how far it is

TEST_CASE("reflector_fsm: who answers is asked at each start and after each failure, and not after a proper end") {
    auto m = live("A");
    m.event("11");
    m.now += 5min;
    CHECK(m.fsm.on_watch_end(m.now, 0) == act::watch("11"));
    m.opened();
    m.now += 1min;
    CHECK(m.fsm.on_watch_broken(lost, m.now, 0) == act::identify());
    CHECK(m.fsm.on_identity(m.server, m.now, 0).step != reflector_step::identify);
    CHECK(m.fsm.start(m.now) == act::identify());
}

TEST_CASE("reflector_fsm: another server is listed anew and compared by content, and is told") {
    auto m = live("A");
    m.now += 1min;
    CHECK(m.fsm.on_watch_broken(lost, m.now, 0) == act::identify());
    m.identify("B", "2000");
    CHECK(m.known(act::identify()) == act::list("", "", 500));
    CHECK(m.fsm.state() == reflector_state::listing);
    CHECK(m.says("uid A, now it has B"));
    CHECK(m.fsm.server_changes() == 1);
    CHECK(m.page("7") == act::replace(true));
    CHECK(m.replaced() == act::watch("7"));
    m.opened();
    CHECK(m.live());
    CHECK(m.says("another server"));
    m.due();
    CHECK(m.fsm.reason().empty());
    CHECK(m.fsm.rollbacks() == 0);
}

TEST_CASE("reflector_fsm: nobody who answers is a failure like that of the list; no answer to the question is none") {
    machine m;
    CHECK(m.fsm.start(t0) == act::identify());
    const auto wait = m.fsm.on_identity(refused, t0, 0);
    CHECK(wait == act::sleep(800ms));
    CHECK(m.fsm.state() == reflector_state::failed);
    CHECK(m.fsm.failure() == errc::connection_refused);
    for (const auto& why : {forbidden, not_found, internal, error(errc::timeout), rubbish}) {
        machine other;
        CHECK(other.fsm.start(t0) == act::identify());
        CHECK(other.fsm.on_identity(why, t0, 0) == act::list("0", "", 500));
    }
}

TEST_CASE("reflector_fsm: a server without a kube-system is one that begins with an empty store, and is asked again") {
    auto m = live("A");
    m.now += 1min;
    CHECK(m.fsm.on_watch_broken(lost, m.now, 0) == act::identify());
    CHECK(m.fsm.on_identity(not_found, m.now, 0) == act::sleep(1s));
    CHECK(m.says("no"));
    CHECK_FALSE(m.live());
    auto hidden = m;
    m.now += 1s;
    CHECK(m.fsm.on_timer(m.now) == act::identify());
    m.identify("B", "30");
    CHECK(m.known(act::identify()) == act::list("", "", 500));
    CHECK(m.fsm.server_changes() == 1);
    // It never comes: versions decide.
    int asked = 1;
    auto step = act::sleep(1s);
    for (; step.step == reflector_step::sleep && asked < 100; ++asked) {
        hidden.now += 1s;
        CHECK(hidden.fsm.on_timer(hidden.now) == act::identify());
        step = hidden.fsm.on_identity(not_found, hidden.now, 0);
    }
    CHECK(step == act::watch("10"));
    CHECK(asked == 11);
    // After the next failure it is waited for again.
    hidden.opened();
    hidden.now += 1min;
    CHECK(hidden.fsm.on_watch_broken(lost, hidden.now, 0) == act::identify());
    CHECK(hidden.fsm.on_identity(not_found, hidden.now, 0) == act::sleep(1s));
}

TEST_CASE("reflector_fsm: a server that is behind what is known is asked for a consistent list, which proves it") {
    auto m = live("A");
    m.now += 1min;
    m.fsm.on_watch_broken(lost, m.now, 0);
    m.identify("A", "5");
    CHECK(m.known(act::identify()) == act::probe());
    auto elsewhere = m;
    // Proved.
    CHECK(m.known(m.fsm.on_probe(std::string("5"), m.now)) == act::list("", "", 500));
    CHECK(m.says("went back from 10 to 5"));
    CHECK(m.fsm.rollbacks() == 1);
    CHECK(m.page("6") == act::replace(true));
    CHECK(m.replaced() == act::watch("6"));
    // Or this kind is stored elsewhere.
    CHECK(elsewhere.known(elsewhere.fsm.on_probe(std::string("10"), elsewhere.now)) == act::watch("10"));
    CHECK(elsewhere.fsm.rollbacks() == 0);
}

TEST_CASE("reflector_fsm: a watch resumed after trouble that stays silent for two periods is held against a list") {
    auto m = live();
    m.now += 1min;
    CHECK(m.broken() == act::watch("10"));
    m.opened();
    const time_point opened = m.now;
    auto event_comes = m;
    event_comes.event("11");
    CHECK_FALSE(event_comes.fsm.due().has_value());
    CHECK(m.due() == act::probe());
    CHECK(m.now - opened == 40s);
    CHECK(m.live());
    auto in_order = m;
    CHECK(in_order.fsm.on_probe(std::string("10"), in_order.now) == act::read());
    CHECK_FALSE(in_order.fsm.due().has_value());
    auto no_answer = m;
    CHECK(no_answer.fsm.on_probe(lost, no_answer.now) == act::read());
    CHECK(no_answer.due() == act::probe());
    CHECK(m.known(m.fsm.on_probe(std::string("9"), m.now)) == act::list("", "", 500));
    CHECK(m.fsm.rollbacks() == 1);
    CHECK(m.page("9") == act::replace(true));
}

TEST_CASE("reflector_fsm: a lower version in a watch is a sign, and is not taken") {
    auto m = live();
    CHECK(m.fsm.is_news("11"));
    CHECK(m.fsm.is_news("10"));
    CHECK(m.fsm.is_news(""));
    CHECK(m.fsm.is_news("opaque"));
    CHECK_FALSE(m.fsm.is_news("9"));
    CHECK(m.event("9") == act::probe());
    CHECK(m.fsm.resource_version() == "10");
    CHECK(m.fsm.on_probe(std::string("12"), m.now) == act::read());
    // One that goes on so is not asked more than twice a minute.
    CHECK(m.event("8") == act::read());
    m.now += 31s;
    CHECK(m.event("8") == act::probe());
    CHECK(m.known(m.fsm.on_probe(std::string("8"), m.now)) == act::list("", "", 500));
}

TEST_CASE("reflector_fsm: a list older than what is known is a replica that lags, unless it is consistent") {
    auto m = live();
    CHECK(m.error_event(expired) == act::list("10", "", 0));
    CHECK(m.page("8") == act::list("", "", 500));
    CHECK(m.fsm.resource_version() == "10");
    auto lagged = m;
    CHECK(lagged.page("12") == act::replace());
    CHECK(lagged.replaced() == act::watch("12"));
    CHECK(lagged.fsm.rollbacks() == 0);
    CHECK(m.page("8") == act::replace(true));
    CHECK(m.replaced() == act::watch("8"));
    CHECK(m.fsm.rollbacks() == 1);
}

}  // namespace
