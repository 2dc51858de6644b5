#include <kcontrol/service/detail/leader_machine.hpp>
#include <kcontrol/service/leader_follower.hpp>

#include "support/has.hpp"

#include <doctest/doctest.h>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;
using service::detail::followed_lease;
using service::detail::leader_machine;

time_point at(duration d) { return time_point(std::chrono::hours(1) + d); }

followed_lease lease(const std::string& holder, const std::string& renewed, const std::string& address = {}) {
    followed_lease out;
    out.spec.holder_identity = holder;
    out.spec.renew_time = renewed;
    out.spec.lease_duration_seconds = 15;
    if (!address.empty()) out.metadata.annotations[std::string(service::address_annotation)] = address;
    return out;
}

}  // namespace

TEST_CASE("leader_machine: the annotation, else a holder of the form HOST:PORT") {
    struct {
        const char *holder, *annotation, *address;
    } const table[] = {
        {"a_1234", "10.0.0.1:80", "10.0.0.1:80"},
        {"10.0.0.1:80", "", "10.0.0.1:80"},
        {"10.0.0.1:80", "http://b.example.com/x", "http://b.example.com/x"},
        {"db-0.db.default.svc:5432", "", "db-0.db.default.svc:5432"},
        {"[fd00::1]:80", "", "[fd00::1]:80"},
        {"Host:80", "", "Host:80"},
        {"a_1234", "", ""},
        {"a", "", ""},
        {"a:0", "", ""},
        {"a:65536", "", ""},
        {"a:80x", "", ""},
        {":80", "", ""},
        {"fd00::1:80", "", ""},
        {"[fd00]:80", "", ""},
        {"a b:80", "", ""},
        {"a_1234", "two words", ""},
        {"10.0.0.1:80", "\x1b[2J", "10.0.0.1:80"},
        {"", "10.0.0.1:80", ""},
    };
    for (const auto& row : table) {
        CAPTURE(row.holder);
        CAPTURE(row.annotation);
        leader_machine m("lease default/l");
        m.observed(lease(row.holder, "1", row.annotation), at(0s));
        CHECK(m.holder(at(1s)) == row.holder);
        CHECK(m.address(at(1s)) == row.address);
        const bool odd = *row.holder != '\0' && *row.address == '\0';
        CHECK(m.problem(at(1s)).has_value() == odd);
        if (odd) CHECK(*m.problem(at(1s)) == errc::invalid_argument);
    }
}

TEST_CASE("leader_machine: a holder's time counts from when its renewal was observed") {
    leader_machine m("lease default/l");
    CHECK(m.holder(at(0s)).empty());
    CHECK_FALSE(m.problem(at(0s)));
    m.observed(lease("a:1", "long ago"), at(0s));  // whatever that clock says
    CHECK(m.holder(at(14s)) == "a:1");
    CHECK(*m.due(at(14s)) == at(15s));
    CHECK(m.holder(at(15s)).empty());
    CHECK(m.address(at(15s)).empty());
    CHECK_FALSE(m.due(at(15s)));
    // Seen again, unchanged, as after a resumed watch: that is no renewal. A new label is none either.
    followed_lease same = lease("a:1", "long ago");
    same.metadata.labels["x"] = "y";
    m.observed(same, at(20s));
    CHECK(m.holder(at(20s)).empty());
    m.observed(lease("a:1", "later"), at(30s));
    CHECK(m.holder(at(44s)) == "a:1");
    m.observed(lease("b:1", "later"), at(40s));
    CHECK(m.holder(at(54s)) == "b:1");
    m.observed(lease("", "later"), at(41s));  // given up
    CHECK(m.holder(at(41s)).empty());
    m.vanished();
    CHECK(m.holder(at(42s)).empty());
    CHECK(*m.problem(at(42s)) == api_errc::not_found);
    auto without = lease("c:1", "x");
    without.spec.lease_duration_seconds.reset();
    m.observed(without, at(50s));
    CHECK(*m.due(at(50s)) == at(65s));  // client-go's default
    without.spec.lease_duration_seconds = -3;
    m.observed(without, at(60s));
    CHECK(*m.due(at(60s)) == at(75s));
}

TEST_CASE("leader_machine: one from a file has the time that the file gives it") {
    leader_machine m("lease default/l");
    m.loaded("a:1", "a:1", 15s, at(0s));
    CHECK(m.address(at(14s)) == "a:1");
    CHECK(m.address(at(15s)).empty());
}

TEST_CASE("parse_leader_url: the form, and what is wrong") {
    CHECK(service::parse_leader_url("k8s://ns/the.lease").value() == namespaced_name("ns", "the.lease"));
    struct {
        const char *url, *part;
    } const table[] = {
        {"", "does not begin with k8s://"},  {"http://ns/l", "does not begin with k8s://"},
        {"k8s://", "it has no Lease"},       {"k8s://ns", "it has no Lease"},
        {"k8s://ns/", "it has no Lease"},    {"k8s:///l", "it has no namespace"},
        {"k8s://NS/l", "the namespace: "},   {"k8s://ns/L", "the Lease: "},
        {"k8s://ns/a/b", "the Lease: "},     {"k8s://ns/l?x=1", "the Lease: "},
        {"k8s://ns/\x1b", "k8s://ns/\\x1b"},
    };
    for (const auto& row : table) {
        CAPTURE(row.url);
        const auto read = service::parse_leader_url(row.url);
        REQUIRE(read.has_error());
        CHECK(read.error() == errc::invalid_argument);
        CHECK(test::has(read.error().what(), row.part));
        CHECK(test::has(read.error().what(), "the form is k8s://NAMESPACE/LEASE"));
    }
}
