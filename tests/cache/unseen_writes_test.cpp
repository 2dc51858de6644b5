// What this program wrote and the copy has yet to show, as decisions.
#include <kcontrol/cache/detail/unseen_writes.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include "simulation/widget.hpp"

#include <doctest/doctest.h>

#include <memory>
#include <set>
#include <string>
#include <vector>

namespace {

using namespace kcontrol;
using detail::unseen_writes;

any_object object(const std::string& name, const std::string& version) {
    auto made = std::make_shared<test::widget>();
    made->metadata.namespace_ = "default";
    made->metadata.name = name;
    made->metadata.resource_version = version;
    return any_object(std::shared_ptr<const test::widget>(made));
}

std::string text_of(const std::vector<any_object>& all) {
    std::string out;
    for (const auto& one : all) out += one.meta().name.str() + one.meta().resource_version.str() + " ";
    return out;
}

// What is in a list, by names.
std::function<bool(const namespaced_name&)> has(std::set<std::string> names = {}) {
    return [names = std::move(names)](const namespaced_name& key) { return names.contains(key.name); };
}

TEST_CASE("unseen writes: what the watch brings is forgotten") {
    unseen_writes w;
    CHECK_FALSE(w.add(object("a", "11"), "10"));
    CHECK(w.size() == 1);
    w.observed({"default", "b"});
    CHECK(w.size() == 1);
    w.observed({"default", "a"});
    CHECK(w.empty());
    CHECK(text_of(w.listed("12", "20", has())).empty());
}

TEST_CASE("unseen writes: what the watch passes over is none of its objects") {
    unseen_writes w;
    w.add(object("a", "11"), "10");
    w.add(object("b", "13"), "10");
    w.passed("");
    w.passed("10");
    CHECK(w.size() == 2);
    w.passed("12");
    CHECK(w.size() == 1);
    CHECK(text_of(w.listed("12", "20", has())) == "b13 ");
}

TEST_CASE("unseen writes: what a list that is as new does not have came and went") {
    unseen_writes w;
    for (const auto* name : {"a", "b", "c"}) w.add(object(name, "11"), "10");
    w.add(object("c", "14"), "10");
    CHECK(text_of(w.listed("10", "13", has({"b"}))) == "a11 ");
    // That list is older than the last write; another one tells.
    CHECK(w.size() == 1);
    CHECK(text_of(w.listed("13", "14", has())) == "c14 ");
    CHECK(w.empty());
    CHECK(text_of(w.listed("14", "15", has())).empty());
}

TEST_CASE("unseen writes: an answer that comes after the list that passed over it") {
    unseen_writes w;
    CHECK(text_of(w.listed("10", "20", has())).empty());
    CHECK(w.add(object("a", "15"), "22"));
    CHECK(w.add(object("a", "20"), "22"));
    CHECK_FALSE(w.add(object("a", "10"), "22"));  // the watch has brought it, and its end
    CHECK_FALSE(w.add(object("a", "21"), "22"));
    CHECK(w.empty());
    CHECK_FALSE(w.add(object("a", "23"), "22"));
    CHECK(w.size() == 1);
    // Of a first list nobody knows what it passed over.
    unseen_writes first;
    first.listed("", "20", has());
    CHECK_FALSE(first.add(object("a", "15"), "20"));
}

TEST_CASE("unseen writes: another history") {
    unseen_writes w;
    w.listed("10", "20", has());
    w.add(object("a", "21"), "20");
    w.add(object("b", "22"), "20");
    CHECK(text_of(w.history_reset(has({"b"}))) == "a21 ");
    CHECK(w.empty());
    CHECK_FALSE(w.add(object("a", "15"), "20"));
}

TEST_CASE("unseen writes: versions that can't be ordered end with the event only") {
    unseen_writes w;
    CHECK_FALSE(w.add(object("a", "v-1"), "v-0"));
    w.passed("v-2");
    CHECK(text_of(w.listed("v-2", "v-3", has())).empty());
    CHECK(w.size() == 1);
    w.observed({"default", "a"});
    CHECK(w.empty());
}

TEST_CASE("unseen writes: there are so many at most") {
    unseen_writes w;
    for (std::size_t i = 0; i < unseen_writes::most + 2; ++i) w.add(object("n" + std::to_string(i), "11"), "10");
    CHECK(w.size() == unseen_writes::most);
    const auto all = w.listed("10", "12", has());
    CHECK(all.size() == unseen_writes::most);
    CHECK(all.front().meta().name == "n2");
}

}  // namespace
