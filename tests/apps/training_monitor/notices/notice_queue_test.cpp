#include "notices/notice_queue.hpp"

#include "notices/support.hpp"

#include <doctest/doctest.h>

using namespace training_monitor;
using namespace training_monitor::notices;
namespace tests = training_monitor::notices::tests;
using namespace std::chrono_literals;

namespace {

constexpr kcontrol::time_point start{std::chrono::hours(1)};

notice step(std::string name, job_state from, job_state to) {
    return tests::make_notice(tests::job(std::move(name), to), from, to, start);
}

// What next() says, for comparing: "-", "wait 5ms", "bert Running->Failed #1".
std::string said(notice_queue& q, kcontrol::time_point now) {
    const auto action = q.next(now);
    if (const auto* wait = std::get_if<notice_queue::wait_until>(&action)) {
        return "wait " + std::to_string((wait->when - now) / 1ms) + "ms";
    }
    const auto* tried = std::get_if<notice_queue::try_now>(&action);
    if (!tried) return "-";
    return tried->what.job->name + " " + std::string(tried->what.from_text()) + "->" +
           std::string(tried->what.to_text()) + " #" + std::to_string(tried->attempt) +
           (tried->what.changes > 1 ? " x" + std::to_string(tried->what.changes) : "");
}

}  // namespace

TEST_CASE("notices leave in order, one at a time") {
    notice_queue q{queue_options()};
    CHECK(said(q, start) == "-");
    q.push(step("a", job_state::pending, job_state::running));
    q.push(step("b", job_state::running, job_state::failed));
    q.push(step("a", job_state::running, job_state::succeeded));
    CHECK(q.size() == 3);
    CHECK(said(q, start) == "a Pending->Running #1");
    CHECK(q.size() == 3);
    CHECK_FALSE(q.done(delivery::sent(), start, 0));
    CHECK(said(q, start) == "b Running->Failed #1");
    q.done(delivery::sent(), start, 0);
    CHECK(said(q, start) == "a Running->Succeeded #1");
    q.done(delivery::sent(), start, 0);
    CHECK(said(q, start) == "-");
    CHECK(q.counters().sent == 3);
    CHECK(q.counters().retries == 0);
}

TEST_CASE("the token bucket: so many at once, then so many a second") {
    notice_queue q{queue_options().limit(2, 3)};
    for (int i = 0; i < 6; ++i) q.push(step("j" + std::to_string(i), job_state::pending, job_state::running));
    auto now = start;
    for (int i = 0; i < 3; ++i) {
        CHECK(said(q, now).ends_with("#1"));
        q.done(delivery::sent(), now, 0);
    }
    CHECK(said(q, now) == "wait 500ms");
    CHECK(said(q, now + 200ms) == "wait 300ms");
    now += 500ms;
    CHECK(said(q, now) == "j3 Pending->Running #1");
    q.done(delivery::sent(), now, 0);
    now += 1h;  // it does not save up more than its burst
    CHECK(said(q, now) == "j4 Pending->Running #1");
}

TEST_CASE("Feishu's limits: never more than 5 in a second or 100 in a minute") {
    notice_queue q{queue_options().capacity(1000).limit(3, 2).limit(1, 40)};
    for (int i = 0; i < 400; ++i) q.push(step("j" + std::to_string(i), job_state::pending, job_state::running));
    std::vector<kcontrol::time_point> sent;
    auto now = start;
    for (;;) {
        const auto action = q.next(now);
        if (const auto* wait = std::get_if<notice_queue::wait_until>(&action)) {
            REQUIRE(wait->when > now);
            now = wait->when;
        } else if (std::holds_alternative<notice_queue::nothing>(action)) {
            break;
        } else {
            sent.push_back(now);
            q.done(delivery::sent(), now, 0);
        }
    }
    REQUIRE(sent.size() == 400);
    for (std::size_t i = 5; i < sent.size(); ++i) CHECK(sent[i] - sent[i - 5] >= 1s);
    for (std::size_t i = 100; i < sent.size(); ++i) CHECK(sent[i] - sent[i - 100] >= 60s);
    CHECK(sent.back() - sent.front() < 370s);
}

TEST_CASE("a full queue makes one notice of a job's several, and drops the oldest only where that is not enough") {
    notice_queue q{queue_options().capacity(3)};
    CHECK_FALSE(q.push(step("a", job_state::created, job_state::pending)));
    CHECK_FALSE(q.push(step("a", job_state::pending, job_state::running)));
    CHECK_FALSE(q.push(step("b", job_state::pending, job_state::running)));
    CHECK(q.size() == 3);
    CHECK_FALSE(q.push(step("c", job_state::pending, job_state::running)));  // a's two became one
    CHECK(q.size() == 3);
    CHECK(q.counters().coalesced == 1);
    CHECK_FALSE(q.push(step("b", job_state::running, job_state::failed)));  // joins b's
    CHECK(q.counters().coalesced == 2);
    const auto dropped = q.push(step("d", job_state::pending, job_state::running));
    REQUIRE(dropped);
    CHECK(dropped->what.job->name == "a");
    CHECK(dropped->why == "the queue was full");
    CHECK(q.counters().dropped == 1);
    CHECK(said(q, start) == "b Pending->Failed #1 x2");
    q.done(delivery::sent(), start, 0);
    CHECK(said(q, start) == "c Pending->Running #1");
    q.done(delivery::sent(), start, 0);
    CHECK(said(q, start) == "d Pending->Running #1");
}

TEST_CASE("under a storm the queue keeps its bound, and each job's last state survives") {
    notice_queue q{queue_options().capacity(100)};
    for (int round = 0; round < 50; ++round) {
        for (int j = 0; j < 100; ++j) {
            const auto from = round % 2 == 0 ? job_state::running : job_state::restarting;
            const auto to = round % 2 == 0 ? job_state::restarting : job_state::running;
            CHECK_FALSE(q.push(step("j" + std::to_string(j), from, to)));
            REQUIRE(q.size() <= 100);
        }
    }
    CHECK(q.counters().coalesced == 50 * 100 - 100);
    std::uint32_t changes = 0;
    for (;;) {
        const auto action = q.next(start);
        const auto* tried = std::get_if<notice_queue::try_now>(&action);
        if (!tried) break;
        CHECK(tried->what.to == standing(job_state::running));
        changes += tried->what.changes;
        q.done(delivery::sent(), start, 0);
    }
    CHECK(changes == 50 * 100);
}

TEST_CASE("what another try helps is tried again, later and later, and not for ever") {
    notice_queue q{queue_options().retry(retry_policy().attempts(4).max_age(1h))};
    q.push(step("a", job_state::running, job_state::failed));
    q.push(step("b", job_state::running, job_state::failed));
    auto now = start;
    for (const auto pause : {1000, 2000, 4000}) {
        CHECK(said(q, now).starts_with("a "));
        CHECK_FALSE(q.done(delivery::try_again("HTTP 503"), now, 0));
        CHECK(said(q, now) == "wait " + std::to_string(pause) + "ms");
        now += std::chrono::milliseconds(pause);
    }
    CHECK(said(q, now) == "a Running->Failed #4");
    const auto dead = q.done(delivery::try_again("HTTP 503"), now, 0);
    REQUIRE(dead);
    CHECK(dead->attempts == 4);
    CHECK(dead->why == "HTTP 503");
    CHECK(q.counters().retries == 3);
    CHECK(q.counters().failed == 1);
    CHECK(said(q, now) == "b Running->Failed #1");
}

TEST_CASE("a receiver's own wish for a pause counts, within reason; what it refuses is not tried again") {
    notice_queue q{queue_options().retry(retry_policy().attempts(10).max_age(1h))};
    q.push(step("a", job_state::running, job_state::failed));
    said(q, start);
    q.done(delivery::try_again("HTTP 429", 30s), start, 0);
    CHECK(said(q, start) == "wait 30000ms");
    said(q, start + 30s);
    q.done(delivery::try_again("HTTP 429", 24h), start + 30s, 0);
    CHECK(said(q, start + 30s) == "wait 300000ms");
    said(q, start + 400s);
    const auto dead = q.done(delivery::refused("HTTP 404"), start + 400s, 0);
    REQUIRE(dead);
    CHECK(dead->attempts == 3);
    CHECK(said(q, start + 400s) == "-");
}

TEST_CASE("what is too old is given up, though tried once") {
    notice_queue q{queue_options().retry(retry_policy().attempts(100).max_age(10s))};
    q.push(step("a", job_state::running, job_state::failed));
    CHECK(said(q, start + 1h) == "a Running->Failed #1");
    CHECK(q.done(delivery::try_again("HTTP 500"), start + 1h, 0));
}
