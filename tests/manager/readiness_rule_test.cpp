// Which informer is in the way of readiness, and since when: the decision alone.
#include <kcontrol/manager/detail/readiness_rule.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using namespace std::chrono_literals;

informer_report report(const std::string& kind, informer_state state, bool synced = true) {
    informer_status status;
    status.state = state;
    status.synced = synced;
    if (state != informer_state::live) status.reason = "why";
    return informer_report(group_version_kind("", "v1", kind), "", std::move(status));
}

class judge {
public:
    explicit judge(readiness when) : rule_(when, 30s) {}

    std::string ask(const std::vector<informer_report>& all, duration later = {}) {
        now_ += later;
        rule_.observe(all, now_);
        std::string out;
        for (const std::string& one : rule_.objections(all, now_)) out += one + "\n";
        return out;
    }

private:
    detail::readiness_rule rule_;
    time_point now_{std::chrono::hours(1)};
};

constexpr auto live = informer_state::live;
constexpr auto failed = informer_state::failed;

TEST_CASE("readiness_rule: nobody is ready before every informer has synced, whatever the grace") {
    for (const readiness when : {readiness::synced_once, readiness::live}) {
        judge j(when);
        CHECK(j.ask({}) == "");
        CHECK(j.ask({report("Pod", live), report("Job", failed, false)}) == "Job (v1): failed, why\n");
        CHECK(j.ask({report("Pod", live), report("Job", live)}) == "");
    }
}

TEST_CASE("readiness_rule: synced once is ready for ever") {
    judge j(readiness::synced_once);
    CHECK(j.ask({report("Pod", live)}) == "");
    CHECK(j.ask({report("Pod", failed)}) == "");
    CHECK(j.ask({report("Pod", failed)}, 24h) == "");
}

TEST_CASE("readiness_rule: not live for longer than the grace is not ready; a moment of life begins it anew") {
    judge j(readiness::live);
    CHECK(j.ask({report("Pod", live)}) == "");
    CHECK(j.ask({report("Pod", failed)}) == "");
    CHECK(j.ask({report("Pod", informer_state::listing)}, 20s) == "");
    CHECK(j.ask({report("Pod", failed)}, 10s) == "");
    CHECK(j.ask({report("Pod", failed)}, 1s) == "Pod (v1): failed, why, 0 objects, not live for 31 s\n");
    CHECK(j.ask({report("Pod", live)}, 1s) == "");
    CHECK(j.ask({report("Pod", failed)}, 40s) == "");
    CHECK(j.ask({report("Pod", failed)}, 31s) != "");
}

TEST_CASE("readiness_rule: two informers of one kind are two, and a new one takes nobody's time") {
    judge j(readiness::live);
    CHECK(j.ask({report("Pod", live), report("Pod", failed)}) == "");
    CHECK(j.ask({report("Pod", failed), report("Pod", live)}, 20s) == "");
    CHECK(j.ask({report("Pod", failed), report("Pod", live)}, 20s) == "");
    CHECK(j.ask({report("Job", failed), report("Pod", failed), report("Pod", live)}, 11s) ==
          "Pod (v1): failed, why, 0 objects, not live for 31 s\n");
}

}  // namespace
