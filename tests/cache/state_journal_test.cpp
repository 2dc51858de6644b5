#include <kcontrol/cache/detail/state_journal.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

class journal {
public:
    // "failed", "failed*3" if it came so often, "live", "live after 5", or "".
    std::string take(informer_state state, error_code failure = {}) {
        informer_status status;
        status.state = state;
        status.failure = failure;
        const auto entry = journal_.take(status, now);
        if (!entry) return {};
        std::string out(to_string(entry->state));
        if (entry->times > 1) out += "*" + std::to_string(entry->times);
        if (entry->lasted > duration::zero()) {
            out += " after " + std::to_string(std::chrono::duration_cast<std::chrono::seconds>(entry->lasted).count());
        }
        CHECK(entry->trouble == (entry->state != informer_state::live));
        return out;
    }
    std::string fail(errc why = errc::connection_refused) { return take(informer_state::failed, why); }
    std::string live() { return take(informer_state::live); }

    time_point now{std::chrono::hours(1)};

private:
    detail::state_journal journal_;
};

TEST_CASE("state_journal: each change is told once") {
    journal j;
    CHECK(j.take(informer_state::listing) == "");
    CHECK(j.live() == "live");
    CHECK(j.live() == "");
    CHECK(j.fail() == "failed");
    CHECK(j.fail() == "");
    j.now += 5s;
    CHECK(j.fail(errc::timeout) == "failed");
    CHECK(j.take(informer_state::forbidden, api_errc::forbidden) == "forbidden");
    CHECK(j.take(informer_state::listing) == "");
    j.now += 2s;
    CHECK(j.live() == "live after 7");
    CHECK(j.live() == "");
    CHECK(j.take(informer_state::paused) == "");
}

TEST_CASE("state_journal: the same trouble that comes again and again is told once a minute, and how often it came") {
    journal j;
    j.live();
    CHECK(j.fail() == "failed");
    CHECK(j.live() == "live");
    for (int i = 0; i < 29; ++i) {
        j.now += 2s;
        CHECK(j.fail() == "");
        CHECK(j.live() == "");
    }
    j.now += 2s;
    CHECK(j.fail() == "failed*30");
    // Another one is told at once.
    CHECK(j.fail(errc::timeout) == "failed");
    j.now += 1s;
    CHECK(j.live() == "live after 1");
}

TEST_CASE("state_journal: trouble before the first list is told at once") {
    journal j;
    CHECK(j.take(informer_state::not_installed, api_errc::not_found) == "not-installed");
    j.now += 15s;
    CHECK(j.take(informer_state::not_installed, api_errc::not_found) == "");
    CHECK(j.live() == "live after 15");
}

}  // namespace
