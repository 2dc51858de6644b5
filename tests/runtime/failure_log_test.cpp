// What is logged about a failure that lasts, recurs, alternates with another one and ends.
#include <kcontrol/runtime/failure_log.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

class journal {
public:
    // "x", "x*3" if it came so often, "well", "well after 5", or "".
    std::string failed(char what) {
        const auto entry = journal_.failed(what, now);
        if (!entry) return {};
        return std::string(1, what) + (entry->times > 1 ? "*" + std::to_string(entry->times) : "");
    }
    std::string recovered() {
        const auto entry = journal_.recovered(now);
        if (!entry) return {};
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(entry->lasted).count();
        return seconds > 0 ? "well after " + std::to_string(seconds) : "well";
    }

    time_point now{std::chrono::hours(1)};

private:
    failure_log<char> journal_;
};

TEST_CASE("failure_log: each change is logged once, whatever lasts is not repeated") {
    journal j;
    CHECK(j.recovered() == "well");
    CHECK(j.recovered() == "");
    CHECK(j.failed('a') == "a");
    j.now += 10min;
    CHECK(j.failed('a') == "");
    CHECK(j.failed('b') == "b");
    j.now += 5s;
    CHECK(j.recovered() == "well after 605");
    CHECK(j.recovered() == "");
}

TEST_CASE("failure_log: what returns within a minute is summed up, and so is its end") {
    journal j;
    CHECK(j.failed('a') == "a");
    CHECK(j.recovered() == "well");
    for (int i = 0; i < 29; ++i) {
        j.now += 2s;
        CHECK(j.failed('a') == "");
        CHECK(j.recovered() == "");
    }
    j.now += 2s;
    CHECK(j.failed('a') == "a*30");
    j.now += 3s;
    CHECK(j.recovered() == "well after 3");
}

TEST_CASE("failure_log: two that alternate are each logged once a minute") {
    journal j;
    std::string told;
    for (int i = 0; i < 120; ++i) {
        told += j.failed(i % 2 == 0 ? 'a' : 'b') + " ";
        j.now += 1s;
    }
    std::erase(told, ' ');
    CHECK(told == "aba*30b*30");
    CHECK(j.recovered() == "well after 120");
}

TEST_CASE("failure_log: of ever new causes the oldest are discarded") {
    journal j;
    for (char what = 'a'; what <= 'z'; ++what) CHECK(j.failed(what) == std::string(1, what));
    CHECK(j.failed('z') == "");
    CHECK(j.failed('y') == "");
    CHECK(j.failed('a') == "a");
}

}  // namespace
