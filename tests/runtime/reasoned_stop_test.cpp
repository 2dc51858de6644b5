// Stop tokens that say why.
#include <kcontrol/runtime/reasoned_stop.hpp>

#include <doctest/doctest.h>

#include <string>

using namespace kcontrol;

TEST_CASE("the first reason counts, and tokens outlive what stopped them") {
    reasoned_token token;
    {
        reasoned_stop work;
        token = work.token();
        CHECK(token.reason() == stop_reason::none);
        CHECK_FALSE(work.stopped());
        work.stop(stop_reason::timeout);
        work.stop(stop_reason::deleted);
        CHECK(work.stopped());
        CHECK(work.reason() == stop_reason::timeout);
    }
    CHECK(token.token().stop_requested());
    CHECK(token.reason() == stop_reason::timeout);
}

TEST_CASE("destruction stops; a default token is never triggered; a plain one means stopped") {
    reasoned_token token;
    CHECK_FALSE(token.token().stop_possible());
    { token = reasoned_stop().token(); }
    CHECK(token.reason() == stop_reason::stopped);
    std::stop_source plain;
    const reasoned_token of_plain(plain.get_token());
    CHECK(of_plain.reason() == stop_reason::none);
    plain.request_stop();
    CHECK(of_plain.reason() == stop_reason::stopped);
}

TEST_CASE("the parent that is triggered first says why, through generations") {
    struct row {
        const char* name;
        int first, second;  // which of: program, lease, cluster
        stop_reason why;
    };
    const row rows[] = {
        {"the program stops, then gives up its lease", 0, 1, stop_reason::stopped},
        {"the lease is lost, then the program stops", 1, 0, stop_reason::lost_leadership},
        {"the cluster leaves", 2, 1, stop_reason::disengaged},
    };
    for (const row& r : rows) {
        CAPTURE(r.name);
        std::stop_source tokens[3];
        const reasoned_stop group(stop_parents(tokens[0].get_token())
                                      .add(tokens[1].get_token(), stop_reason::lost_leadership)
                                      .add(tokens[2].get_token(), stop_reason::disengaged));
        const reasoned_stop controller(stop_parents(group.token()).add(std::stop_token(), stop_reason::timeout));
        const reasoned_stop reconcile(stop_parents(controller.token()));
        CHECK(reconcile.reason() == stop_reason::none);
        tokens[r.first].request_stop();
        CHECK(reconcile.reason() == r.why);
        tokens[r.second].request_stop();
        CHECK(reconcile.reason() == r.why);
        CHECK(reasoned_stop(stop_parents(reconcile.token())).reason() == r.why);  // one that begins afterwards
    }
}

TEST_CASE("whoever sees the token sees the reason, and a child that ends leaves its parent alone") {
    reasoned_stop parent;
    std::string seen;
    const std::stop_callback note(parent.token().token(), [&] { seen = to_string(parent.reason()); });
    reasoned_stop(stop_parents(parent.token())).stop(stop_reason::deleted);
    CHECK_FALSE(parent.stopped());
    parent.stop(stop_reason::lost_leadership);
    CHECK(seen == "lost leadership");
}
