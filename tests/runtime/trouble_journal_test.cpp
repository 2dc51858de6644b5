// What the log is told of trouble that lasts, returns, alternates and ends.
#include <kcontrol/runtime/trouble_journal.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

class journal {
public:
    // "x", "x*3" if it came so often, "well", "well after 5", or "".
    std::string trouble(char what) {
        const auto entry = journal_.trouble(what, now);
        if (!entry) return {};
        return std::string(1, what) + (entry->times > 1 ? "*" + std::to_string(entry->times) : "");
    }
    std::string well() {
        const auto entry = journal_.well(now);
        if (!entry) return {};
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(entry->lasted).count();
        return seconds > 0 ? "well after " + std::to_string(seconds) : "well";
    }

    time_point now{std::chrono::hours(1)};

private:
    trouble_journal<char> journal_;
};

TEST_CASE("trouble_journal: each change is told once, whatever lasts is not repeated") {
    journal j;
    CHECK(j.well() == "well");
    CHECK(j.well() == "");
    CHECK(j.trouble('a') == "a");
    j.now += 10min;
    CHECK(j.trouble('a') == "");
    CHECK(j.trouble('b') == "b");
    j.now += 5s;
    CHECK(j.well() == "well after 605");
    CHECK(j.well() == "");
}

TEST_CASE("trouble_journal: what returns within a minute is summed up, and so is its end") {
    journal j;
    CHECK(j.trouble('a') == "a");
    CHECK(j.well() == "well");
    for (int i = 0; i < 29; ++i) {
        j.now += 2s;
        CHECK(j.trouble('a') == "");
        CHECK(j.well() == "");
    }
    j.now += 2s;
    CHECK(j.trouble('a') == "a*30");
    j.now += 3s;
    CHECK(j.well() == "well after 3");
}

TEST_CASE("trouble_journal: two that alternate are each told once a minute") {
    journal j;
    std::string told;
    for (int i = 0; i < 120; ++i) {
        told += j.trouble(i % 2 == 0 ? 'a' : 'b') + " ";
        j.now += 1s;
    }
    std::erase(told, ' ');
    CHECK(told == "aba*30b*30");
    CHECK(j.well() == "well after 120");
}

TEST_CASE("trouble_journal: of ever new causes the oldest are forgotten") {
    journal j;
    for (char what = 'a'; what <= 'z'; ++what) CHECK(j.trouble(what) == std::string(1, what));
    CHECK(j.trouble('z') == "");
    CHECK(j.trouble('y') == "");
    CHECK(j.trouble('a') == "a");
}

}  // namespace
