// How far the clusters' jobs are in view, and what is said where they are not.
#include "table/health.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <string>
#include <vector>

using namespace training_monitor;

namespace {

job_table::cluster_list clusters(const std::vector<std::string>& states) {
    job_table::cluster_list out;
    for (const auto& state : states) {
        cluster_view one;
        one.name = "c" + std::to_string(out.size());
        one.state = state;
        out.push_back(std::make_shared<const cluster_view>(std::move(one)));
    }
    return out;
}

}  // namespace

TEST_CASE("health: an empty view is only complete where every cluster can be read") {
    struct row {
        std::vector<std::string> states;
        bool complete;
        std::string text;
    };
    const std::vector<row> table{
        {{"live"}, true, ""},
        {{"live", "live"}, true, ""},
        {{}, false, "no clusters: the directory /c (--clusters) has none"},
        {{"unreachable", "failed", "unreachable"}, false, "3 of 3 clusters can't be read"},
        {{"unreachable"}, false, "1 of 1 cluster can't be read"},
        {{"live", "failed"}, false, "1 of 2 clusters can't be read"},
        {{"live", "degraded"}, false, "1 of 2 clusters can't be read in full"},
        {{"connecting", "live"}, false, "1 of 2 clusters not loaded yet"},
        {{"live", "unreachable", "degraded", "connecting", "connecting"},
         false,
         "1 of 5 clusters can't be read, 1 can't be read in full, 2 not loaded yet"},
    };
    for (const auto& one : table) {
        CAPTURE(one.text);
        const auto health = health_of(clusters(one.states));
        CHECK(health.complete() == one.complete);
        CHECK(incomplete_text(health, "the directory /c (--clusters)") == one.text);
    }
    CHECK(incomplete_text({}, "") == "no clusters");
}
