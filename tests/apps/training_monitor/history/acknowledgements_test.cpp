// That somebody takes care of a job: until when that holds, and what is kept of it.
#include "history/acknowledgements.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace training_monitor;
using kcontrol::wall_time;

namespace {

wall_time at(std::int64_t seconds) { return wall_time(std::chrono::seconds(1'700'000'000 + seconds)); }

acknowledgement taken(std::string name, std::int64_t when, std::string concern = "failed") {
    return {"a", "ml", "Job", std::move(name), "u", std::move(concern), "ana", "looking", at(when)};
}

job_record record(std::string name) {
    job_view view;
    view.cluster = "a";
    view.namespace_ = "ml";
    view.kind = "Job";
    view.name = std::move(name);
    view.uid = "u";
    job_record out;
    out.view = std::make_shared<const job_view>(std::move(view));
    out.spans.emplace_back();
    return out;
}

need failed_since(std::int64_t when) {
    need out;
    out.what = concern::failed;
    out.since = at(when);
    return out;
}

}  // namespace

TEST_CASE("acknowledgement: it holds for what the job needed then, and no longer than a month") {
    acknowledgements care;
    care.put(taken("bert", 10));
    const auto bert = record("bert");
    REQUIRE(care.find(bert, failed_since(5), at(20)));
    CHECK(care.find(bert, failed_since(5), at(20))->by == "ana");
    CHECK(care.find(bert, failed_since(10), at(20)));
    CHECK_FALSE(care.find(bert, failed_since(11), at(20)));  // it failed again
    auto other = failed_since(5);
    other.what = concern::restarting;
    CHECK_FALSE(care.find(bert, other, at(20)));
    CHECK_FALSE(care.find(record("gpt"), failed_since(5), at(20)));
    auto younger = record("bert");
    auto view = *younger.view;
    view.uid = "another";
    younger.view = std::make_shared<const job_view>(view);
    CHECK_FALSE(care.find(younger, failed_since(5), at(20)));
    constexpr std::int64_t month = 30 * 86'400;
    CHECK(care.find(bert, failed_since(5), at(10 + month - 1)));
    CHECK_FALSE(care.find(bert, failed_since(5), at(10 + month)));
}

TEST_CASE("acknowledgement: who keeps them is told of each, also of those that go for want of room") {
    acknowledgements care(2);
    std::vector<std::string> told;
    care.on_changed(
        [&](const acknowledgement& one, bool removed) { told.push_back((removed ? "-" : "+") + one.name); });
    care.put(taken("a", 1));
    care.put(taken("b", 2));
    care.put(taken("a", 3, "waiting"));
    care.put(taken("c", 4));
    CHECK(told == std::vector<std::string>{"+a", "+b", "+a", "+c", "-b"});
    told.clear();
    CHECK_FALSE(care.remove(record("b").id()));
    CHECK(care.remove(record("a").id()));
    CHECK(told == std::vector<std::string>{"-a"});
    CHECK(care.size() == 1);
}

TEST_CASE("acknowledgement: what an earlier run kept, without what is too old") {
    acknowledgements care;
    std::vector<std::string> told;
    care.on_changed(
        [&](const acknowledgement& one, bool removed) { told.push_back((removed ? "-" : "+") + one.name); });
    care.restore({taken("old", 0), taken("new", 86'400)}, at(30 * 86'400));
    CHECK(care.size() == 1);
    CHECK(told == std::vector<std::string>{"-old"});
    CHECK(care.find(record("new"), failed_since(0), at(30 * 86'400)));
}
