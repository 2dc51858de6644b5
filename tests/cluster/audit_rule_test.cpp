// What an audit makes of a cache and a list of the server, as tables.
#include <kcontrol/cluster/detail/audit_rule.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace kcontrol::detail;

const namespaced_name x("default", "x");

versions_by_key only(const std::string& version) {
    versions_by_key out;
    if (!version.empty()) out.emplace(x, version);
    return out;
}

TEST_CASE("audit: what differs between a cache and a list of version 20 that it has passed") {
    struct row {
        const char* what;
        const char* cached;
        const char* served;
        bool differs;
    };
    const row rows[] = {
        {"the same", "10", "10", false},
        {"neither", "", "", false},
        {"changed since the list", "21", "10", false},
        {"created since the list", "21", "", false},
        {"an old version", "9", "10", true},
        {"one that the server never had then", "15", "10", true},
        {"deleted before the list", "15", "", true},
        {"deleted at the list", "20", "", true},
        {"missing, or deleted since", "", "10", true},
        {"versions without an order", "abc", "abd", true},
        {"the same ones", "abc", "abc", false},
    };
    for (const row& one : rows) {
        CAPTURE(one.what);
        const auto found = compare_with_list(only(one.cached), only(one.served), "20");
        if (one.differs) {
            CHECK(found == std::vector<audit_finding>{audit_finding(x, one.cached, one.served)});
        } else {
            CHECK(found.empty());
        }
    }
}

TEST_CASE("audit: a difference is news once, and again when it has changed or was gone") {
    audit_journal journal;
    const audit_finding old(x, "9", "10");
    const audit_finding older(x, "9", "12");
    CHECK(journal.found({old}).size() == 1);
    CHECK(journal.found({old}).empty());
    CHECK(journal.size() == 1);
    CHECK(journal.found({older}).size() == 1);
    CHECK(journal.found({}).empty());
    CHECK(journal.size() == 0);
    CHECK(journal.found({older}).size() == 1);
}

}  // namespace
