#include "node/refused_marks.hpp"

#include <kcontrol/testing/manual_environment.hpp>
#include <kcontrol/testing/run.hpp>

#include <doctest/doctest.h>

#include <set>

using namespace gpu_labeler;
using kcontrol::api_errc;
using kcontrol::awaitable;
using kcontrol::errc;
using kcontrol::error;
using kcontrol::result;

namespace {

node_marks marks_of(int labels, int annotations = 0) {
    node_marks out;
    for (int i = 0; i < labels; ++i) out.labels["l" + std::to_string(i)] = "v";
    for (int i = 0; i < annotations; ++i) out.annotations["a" + std::to_string(i)] = "v";
    return out;
}

// A server that refuses what has one of these, or all of those.
struct server {
    std::set<std::string> refused;
    std::set<std::string> together;
    bool refuses_all = false;
    std::optional<error> fails;
    int questions = 0;

    awaitable<result<void>> ask(node_marks marks) {
        ++questions;
        if (fails) co_return *fails;
        bool no = refuses_all;
        std::size_t met = 0;
        for (const auto* map : {&marks.labels, &marks.annotations}) {
            for (const auto& [key, value] : *map) {
                no = no || refused.contains(key);
                met += together.contains(key) ? 1 : 0;
            }
        }
        if (no || (!together.empty() && met == together.size())) co_return error(api_errc::invalid, "no " + why);
        co_return result<void>();
    }
    std::string why = "such thing";
};

result<std::vector<refused_mark>> find(server& s, node_marks marks) {
    kcontrol::testing::manual_environment env;
    boost::asio::io_context context;
    const try_function ask = [&s](node_marks some, std::stop_token) { return s.ask(std::move(some)); };
    return kcontrol::testing::run(context, env, find_refused(std::move(marks), ask, {}));
}

std::set<std::string> names(const result<std::vector<refused_mark>>& found) {
    REQUIRE(found);
    std::set<std::string> out;
    for (const auto& mark : *found) {
        CHECK(mark.value == "v");
        CHECK(mark.why == "no such thing");
        out.insert(mark.key);
    }
    return out;
}

}  // namespace

TEST_CASE("refused marks: found by halves") {
    for (const std::set<std::string>& refused :
         {std::set<std::string>{"l0"}, {"l39"}, {"l17", "l18"}, {"a1"}, {"l3", "l20", "a0"}, {}}) {
        server s;
        s.refused = refused;
        CHECK(names(find(s, marks_of(40, 2))) == refused);
        CAPTURE(refused.size());
        CHECK(s.questions <= 2 + static_cast<int>(refused.size()) * 12);
    }
}

TEST_CASE("refused marks: one question where it is about none of them") {
    server s;
    s.refuses_all = true;
    CHECK(names(find(s, marks_of(40))).empty());
    CHECK(s.questions == 1);
    server pair;
    pair.together = {"l1", "l2"};  // each by itself would do
    CHECK(names(find(pair, marks_of(4))).empty());
    server silent;
    silent.fails = error(errc::timeout, "no answer");
    CHECK(find(silent, marks_of(4)).error() == errc::timeout);
    CHECK(silent.questions == 1);
}

TEST_CASE("refused marks: what no server takes") {
    node_marks marks{{{"nvidia.com/gpu.count", "8"},
                      {"nvidia.com/mig-1g.5gb?.count", "1"},
                      {"nvidia.com/blank", "a b"},
                      {"nvidia.com/long", std::string(64, 'x')},
                      {"nvidia.com/empty", ""}},
                     {{"kcontrol.dev/gpu-topology", "{ any text }"}}};
    const auto bad = take_invalid(marks);
    REQUIRE(bad.size() == 3);
    CHECK(bad[0].key == "nvidia.com/blank");
    CHECK(bad[1].key == "nvidia.com/long");
    CHECK(bad[1].why == "must be no more than 63 bytes");
    CHECK(bad[2].key == "nvidia.com/mig-1g.5gb?.count");
    CHECK(marks.labels.size() == 2);
    CHECK(marks.annotations.size() == 1);
    CHECK(take_invalid(marks).empty());
}

TEST_CASE("refused marks: told once, left out by name and value, until they may be taken") {
    refusals r;
    CHECK(r.note({"a", "1", "no"}));
    CHECK(!r.note({"a", "1", "no"}));
    CHECK(r.note({"a", "2", "no"}));
    const node_marks all{{{"a", "1"}, {"b", "1"}}, {{"a", "2"}, {"c", "1"}}};
    CHECK(r.without(all) == node_marks{{{"b", "1"}}, {{"c", "1"}}});
    CHECK(r.without({{{"a", "3"}}, {}}) == node_marks{{{"a", "3"}}, {}});
    r.forget();
    CHECK(r.without(all) == all);
    CHECK(!r.note({"a", "1", "no"}));  // told before
}
