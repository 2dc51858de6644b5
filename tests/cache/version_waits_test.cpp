#include <kcontrol/cache/version_waits.hpp>

#include <doctest/doctest.h>

#include <functional>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;

const namespaced_name mine{"default", "mine"}, other{"default", "other"};

using input = std::function<bool(version_waits&)>;
input observed(const namespaced_name& key, std::string version) {
    return [=](version_waits& w) { return w.observed(key, version); };
}
input deleted(const namespaced_name& key, std::string version) {
    return [=](version_waits& w) { return w.deleted(key, version); };
}
input passed(std::string version) {
    return [=](version_waits& w) { return w.passed(version); };
}
input listed(std::string version) {
    return [=](version_waits& w) { return w.listed([=](const namespaced_name&) { return version; }); };
}
input history_reset() {
    return [](version_waits& w) { return w.history_reset(); };
}

}  // namespace

TEST_CASE("version_waits: what ends a wait for a version of an object, and what does not") {
    struct row {
        const char* what;
        const char* version;
        std::vector<input> goes_on;
        std::vector<input> ends;  // each of them, of a wait of its own
    };
    const row rows[] = {
        {"an older version",
         "100",
         {observed(mine, "99"), observed(mine, "9")},
         {observed(mine, "100"), observed(mine, "101")}},
        {"a version with more digits is newer", "99", {observed(mine, "98")}, {observed(mine, "100")}},
        {"another object's version says nothing, the watch's does",
         "100",
         {observed(other, "200"), passed("99")},
         {passed("100"), passed("1000")}},
        {"its deletion, once it is later", "100", {deleted(mine, "99"), deleted(other, "200")}, {deleted(mine, "101")}},
        {"a list says how far it is by its version", "100", {listed(""), listed("99")}, {passed("100"), listed("100")}},
        {"nothing is known of how far the watch is", "100", {passed(""), passed("0"), passed("v7")}, {passed("100")}},
        {"another history", "100", {}, {history_reset()}},
        {"an opaque version, by equality",
         "v7",
         {observed(mine, "v8"), observed(mine, "100"), observed(other, "v7")},
         {observed(mine, "v7")}},
        {"of an opaque one the watch says nothing", "v7", {passed("v7"), passed("100")}, {observed(mine, "v7")}},
        {"an opaque one that is deleted", "v7", {deleted(other, "v9")}, {deleted(mine, "v9")}},
        {"an opaque one that a list lacks", "v7", {listed("v8")}, {listed(""), listed("v7")}},
        {"opaque, and another history", "v7", {}, {history_reset()}},
        {"leading zeros are opaque", "0100", {passed("200"), observed(mine, "100")}, {observed(mine, "0100")}},
    };
    for (const auto& r : rows) {
        CAPTURE(r.what);
        for (std::size_t i = 0; i < r.ends.size(); ++i) {
            CAPTURE(i);
            version_waits waits;
            const auto ticket = waits.add(mine, r.version);
            CHECK_FALSE(waits.is_over(ticket));
            for (const auto& nothing : r.goes_on) CHECK_FALSE(nothing(waits));
            CHECK_FALSE(waits.is_over(ticket));
            CHECK(r.ends[i](waits));
            CHECK(waits.is_over(ticket));
            CHECK(waits.size() == 0);
        }
    }
}

TEST_CASE("version_waits: what has no version is not waited for") {
    version_waits waits;
    CHECK(waits.is_over(waits.add(mine, "")));
    CHECK(waits.is_over(waits.add(mine, "0")));
}

TEST_CASE("version_waits: several end each at its own time, and one that is given up is over") {
    version_waits waits;
    const auto first = waits.add(mine, "10"), second = waits.add(other, "20"), third = waits.add(mine, "30");
    waits.cancel(third);
    CHECK(waits.is_over(third));
    CHECK(waits.passed("15"));
    CHECK(waits.is_over(first));
    CHECK_FALSE(waits.is_over(second));
    CHECK_FALSE(waits.passed("15"));
    CHECK(waits.passed("20"));
    CHECK(waits.is_over(second));
}
