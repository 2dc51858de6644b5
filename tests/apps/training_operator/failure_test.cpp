// Which failure of several counts, and whether another attempt may help.
#include "gang/failure.hpp"

#include "support.hpp"

#include <doctest/doctest.h>

using namespace training_operator;
using namespace training_operator::tests;

namespace {

std::string found(const gang& ranks, double seconds = 100, bool has_holder = false) {
    const auto failure = find_failure(ranks, after(seconds), has_holder);
    if (!failure) return "none";
    return (failure->retryable ? "again " : "end ") + failure->reason + ": " + failure->message;
}

rank unready(rank of, double since) {
    of.node = "n7";
    of.unready_since = after(since);
    return of;
}

}  // namespace

TEST_CASE("exit codes: from 128 on they are signals") {
    const rank good = one(1, pod_state::running);
    CHECK(found({good}) == "none");
    CHECK(found({failed(0, 1), good}) == "end RankFailed: rank 0 exited with code 1");
    CHECK(found({failed(0, 127), good}) == "end RankFailed: rank 0 exited with code 127");
    CHECK(found({failed(0, 128), good}) == "again RankFailed: rank 0 exited with code 128");
    CHECK(found({failed(0, 137), good}) == "again RankFailed: rank 0 exited with code 137");
    rank told = failed(0, 2);
    told.words = "CUDA error: device-side assert";
    CHECK(found({told, good}) == "end RankFailed: rank 0 exited with code 2: CUDA error: device-side assert");
}

TEST_CASE("the rank that failed first is the cause; where that can't be told, another attempt") {
    CHECK(found({failed(0, 1, 20), failed(1, 137, 10)}) == "again RankFailed: rank 1 exited with code 137");
    CHECK(found({failed(0, 1, 10), failed(1, 137, 20)}) == "end RankFailed: rank 0 exited with code 1");
    CHECK(found({failed(0, 1, 10), failed(1, 137, 10)}) == "again RankFailed: rank 1 exited with code 137");
    CHECK(found({failed(0, 137, 10), failed(1, 1, 10)}) == "again RankFailed: rank 0 exited with code 137");
    CHECK(found({failed(0, 2, 10), failed(1, 3, 10)}) == "end RankFailed: rank 0 exited with code 2");
}

TEST_CASE("what is taken away is no fault of the program") {
    rank evicted = failed(1, 137, 50);
    evicted.disrupted = true;
    evicted.words = "Evicted: the node was low on memory";
    CHECK(found({failed(0, 1, 10), evicted}) ==
          "again Disrupted: rank 1 was taken away: Evicted: the node was low on memory");
    rank deleted = one(1, pod_state::running);
    deleted.leaving = true;
    CHECK(found({failed(0, 1, 10), deleted}) == "again PodDeleted: rank 1 is lost: somebody deleted its pod");
    deleted.state = pod_state::ended_well;
    CHECK(found({deleted}) == "none");
}

TEST_CASE("a Job's controller deletes the other ranks of one that failed: they are not the cause") {
    rank deleted = one(1, pod_state::running);
    deleted.leaving = true;
    CHECK(found({failed(0, 1, 10), deleted}, 100, true) == "end RankFailed: rank 0 exited with code 1");
    CHECK(found({deleted, failed(0, 1, 10)}, 100, true) == "end RankFailed: rank 0 exited with code 1");
    rank killed = failed(1, 143, 10);
    killed.leaving = true;
    CHECK(found({failed(0, 1, 10), killed}, 100, true) == "end RankFailed: rank 0 exited with code 1");
    CHECK(found({deleted}, 100, true) == "again PodDeleted: rank 1 is lost: somebody deleted its pod");
    killed.disrupted = true;
    CHECK(found({failed(0, 1, 10), killed}, 100, true) == "again Disrupted: rank 1 was taken away");
}

TEST_CASE("a node is lost when it is not ready for 60 s; until then nobody is blamed") {
    const rank silent = unready(one(1, pod_state::running), 0);
    CHECK(found({silent}, 59) == "none");
    CHECK(found({silent}, 60) == "again NodeLost: rank 1 is lost: its node n7 is not ready");
    CHECK(found({failed(0, 1, 10), silent}, 59) == "none");
    CHECK(found({failed(0, 1, 10), silent}, 60) == "again NodeLost: rank 1 is lost: its node n7 is not ready");
    CHECK(found({failed(0, 137, 10), silent}, 59) == "again RankFailed: rank 0 exited with code 137");
    CHECK(found({unready(one(0, pod_state::ended_well), 0)}, 100) == "none");  // its work is done
}
