#include <kcontrol/cache/store.hpp>

#include <doctest/doctest.h>

#include <string>

namespace {

using namespace kcontrol;

struct thing {
    object_meta metadata;
};

any_object make(std::string name, std::string uid, std::string version, std::string ns = "default") {
    auto object = std::make_shared<thing>();
    object->metadata.name = std::move(name);
    object->metadata.namespace_ = std::move(ns);
    object->metadata.uid = std::move(uid);
    object->metadata.resource_version = std::move(version);
    return any_object(std::shared_ptr<const thing>(std::move(object)));
}

std::string describe(const std::vector<any_event>& events) {
    std::string out;
    for (const auto& e : events) {
        if (!out.empty()) out += " ";
        out += e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
        out += e.object().meta().name + "@" + e.object().meta().resource_version;
        if (e.initial) out += "i";
        if (e.final_state_unknown) out += "?";
    }
    return out;
}

TEST_CASE("store: apply says what it amounts to") {
    store s;
    CHECK(describe(s.apply(make("a", "1", "10"))) == "+a@10");
    CHECK(describe(s.apply(make("a", "1", "10"))) == "");
    CHECK(describe(s.apply(make("a", "1", "11"))) == "~a@11");
    CHECK(s.get({"default", "a"}).meta().resource_version == "11");
}

TEST_CASE("store: another uid under the same key is a deletion and an addition") {
    store s;
    s.apply(make("a", "1", "10"));
    CHECK(describe(s.apply(make("a", "2", "12"))) == "-a@10? +a@12");
}

TEST_CASE("store: remove delivers the last state once") {
    store s;
    s.apply(make("a", "1", "10"));
    CHECK(describe(s.remove(make("a", "1", "13"))) == "-a@13");
    CHECK(describe(s.remove(make("a", "1", "13"))) == "");
    CHECK(s.size() == 0);
}

TEST_CASE("store: removing a recreated object ends the one we knew") {
    store s;
    s.apply(make("a", "1", "10"));
    CHECK(describe(s.remove(make("a", "2", "13"))) == "-a@10?");
    CHECK(s.size() == 0);
}

TEST_CASE("store: replace reports exactly the difference, deletions first") {
    store s;
    CHECK(describe(s.replace({make("b", "2", "5"), make("a", "1", "4"), make("d", "4", "6")}, true)) ==
          "+a@4i +b@5i +d@6i");
    CHECK(describe(s.replace({make("a", "1", "4"), make("b", "2", "9"), make("c", "3", "8")}, false)) ==
          "-d@6? ~b@9 +c@8");
    CHECK(describe(s.replace({make("a", "1", "4"), make("b", "2", "9"), make("c", "3", "8")}, false)) == "");
    CHECK(describe(s.replace({make("a", "7", "20")}, false)) == "-b@9? -c@8? -a@4? +a@20");
    CHECK(describe(s.replace({}, false)) == "-a@20?");
}

TEST_CASE("store: an unchanged object keeps its identity through a replace") {
    store s;
    const auto first = make("a", "1", "4");
    s.replace({first}, true);
    s.replace({make("a", "1", "4")}, false);
    CHECK(s.get({"default", "a"}) == first);
}

TEST_CASE("store: list is sorted and can be limited to a namespace") {
    store s;
    s.apply(make("b", "1", "1", "y"));
    s.apply(make("a", "2", "2", "y"));
    s.apply(make("z", "3", "3", "x"));
    REQUIRE(s.list().size() == 3);
    CHECK(s.list()[0].meta().name == "z");
    CHECK(s.list("y").size() == 2);
    CHECK(s.list("y")[0].meta().name == "a");
    CHECK(s.list("none").empty());
}

}  // namespace
