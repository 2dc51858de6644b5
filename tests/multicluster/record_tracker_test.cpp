#include <kcontrol/multicluster/detail/record_tracker.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using detail::record_tracker;

cluster_record record(const std::string& name, std::string content, std::string revision = {}) {
    cluster_record out(name);
    out.path = std::move(content);
    out.revision = std::move(revision);
    return out;
}

struct fixture {
    // The clusters as "name=host", "name=!why" or "name=host*" with a warning; what is to be told goes to `complaints`.
    std::string take(const std::vector<cluster_record>& records, bool again = false) {
        const auto read = [this](const cluster_record& one) -> result<auth::cluster_config> {
            reads += one.name + " ";
            if (one.path.starts_with("bad")) return error(errc::invalid_config, one.path);
            auth::cluster_config out;
            out.server(http::endpoint("https", one.path, 443));
            return out;
        };
        reads.clear();
        complaints.clear();
        for (const auto& one : tracker.take(records, read, again)) complaints += one.name + ": " + one.why + "; ";
        std::string out;
        for (const auto& one : tracker.present()) {
            out += one.name + "=" + (one.config ? one.config->server().host : "!" + one.config.error().what());
            out += one.warning.empty() ? " " : "* ";
        }
        return out;
    }

    record_tracker tracker;
    std::string reads, complaints;
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "record_tracker: records are clusters, sorted by name, that join, change and leave") {
    CHECK(take({record("b", "2"), record("a", "1")}) == "a=1 b=2 ");
    CHECK(take({record("b", "3"), record("a", "1"), record("c", "4")}) == "a=1 b=3 c=4 ");
    CHECK(take({record("c", "4")}) == "c=4 ");
    CHECK(complaints.empty());
    CHECK(take({}) == "");
}

TEST_CASE_FIXTURE(fixture, "record_tracker: a record that is bad touches no other, and is told once for each reason") {
    CHECK(take({record("a", "1"), record("b", "bad row")}) == "a=1 b=!bad row ");
    CHECK(complaints == "b: bad row; ");
    CHECK(take({record("a", "1"), record("b", "bad row")}) == "a=1 b=!bad row ");
    CHECK(complaints.empty());
    CHECK(take({record("a", "1"), record("b", "bad again")}) == "a=1 b=!bad again ");
    CHECK(complaints == "b: bad again; ");
    CHECK(take({record("a", "1"), record("b", "2")}) == "a=1 b=2 ");
    CHECK(take({record("a", "1"), record("b", "bad again")}) == "a=1 b=2* ");
    CHECK(complaints == "b: bad again; ");
    CHECK(tracker.present()[1].warning == "bad again; the configuration before it stays in use");
    CHECK(take({record("a", "1")}) == "a=1 ");
    CHECK(take({record("a", "1"), record("b", "bad again")}) == "a=1 b=!bad again ");  // it is another one now
    CHECK(complaints == "b: bad again; ");
}

TEST_CASE_FIXTURE(fixture, "record_tracker: a fault of the record counts whatever it says, and is no read") {
    auto faulty = record("a", "1", "7");
    faulty.fault = error(errc::invalid_config, "its labels are nonsense");
    CHECK(take({faulty}) == "a=!its labels are nonsense ");
    CHECK(reads.empty());
    CHECK(take({record("a", "1", "7")}) == "a=1 ");
}

TEST_CASE_FIXTURE(fixture, "record_tracker: what was good at its revision is not read again unless that is asked for") {
    take({record("a", "1", "1"), record("b", "2"), record("c", "bad", "1")});
    CHECK(reads == "a b c ");
    CHECK(take({record("a", "9", "1"), record("b", "3"), record("c", "bad", "1")}) == "a=1 b=3 c=!bad ");
    CHECK(reads == "b c ");
    CHECK(take({record("a", "9", "1")}, true) == "a=9 ");
    CHECK(reads == "a ");
    CHECK(take({record("a", "10", "2")}) == "a=10 ");
    CHECK(take({record("a", "bad", "3")}) == "a=10* ");
    CHECK(take({record("a", "10", "2")}) == "a=10 ");  // put back as it was: good again
}

TEST_CASE_FIXTURE(fixture, "record_tracker: what has no name or a name that is taken is passed over, told once") {
    CHECK(take({record("", "1"), record("a", "2"), record("a", "3")}) == "a=2 ");
    CHECK(complaints ==
          ": a record without a name is no cluster; a: there is another record of this name, which counts; ");
    CHECK(take({record("", "1"), record("a", "2"), record("a", "3")}) == "a=2 ");
    CHECK(complaints.empty());
    CHECK(take({record("a", "2")}) == "a=2 ");
    take({record("a", "2"), record("a", "3")});
    CHECK(complaints == "a: there is another record of this name, which counts; ");
}

TEST_CASE_FIXTURE(fixture,
                  "record_tracker: labels are those of the record, names are text that can be shown anywhere") {
    auto one = record("a\nb", "1", "1");
    one.labels = {{"team", "x"}};
    take({one});
    REQUIRE(tracker.present().size() == 1);
    CHECK(tracker.present()[0].name == "a\\x0ab");
    CHECK(tracker.present()[0].labels == cluster_labels{{"team", "x"}});
    one.labels.clear();
    one.revision = "2";
    take({one});
    CHECK(tracker.present()[0].labels.empty());
}
