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

std::string describe(const store_change& change) {
    std::string out;
    for (const auto& e : change.events) {
        if (!out.empty()) out += " ";
        out += e.type == event_type::added ? "+" : (e.type == event_type::updated ? "~" : "-");
        out += e.object().meta().name + "@" + e.object().meta().resource_version;
        if (e.initial) out += "i";
        if (e.final_state_unknown) out += "?";
    }
    for (const auto& object : change.invalid) {
        out += (out.empty() ? "!" : " !") + object->describe() + "@" + std::string(object->metadata.resource_version);
    }
    return out;
}

store_content content(std::vector<any_object> objects) { return store_content(std::move(objects)); }

invalid_object bad(std::string name, std::string uid, std::string version, std::string why = "spec: no") {
    invalid_object out;
    out.metadata = make(std::move(name), std::move(uid), std::move(version)).meta();
    out.why = error(errc::decode_failed, std::move(why));
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
    CHECK(describe(s.replace(content({make("b", "2", "5"), make("a", "1", "4"), make("d", "4", "6")}), true)) ==
          "+a@4i +b@5i +d@6i");
    CHECK(describe(s.replace(content({make("a", "1", "4"), make("b", "2", "9"), make("c", "3", "8")}), false)) ==
          "-d@6? ~b@9 +c@8");
    CHECK(describe(s.replace(content({make("a", "1", "4"), make("b", "2", "9"), make("c", "3", "8")}), false)) == "");
    CHECK(describe(s.replace(content({make("a", "7", "20")}), false)) == "-b@9? -c@8? -a@4? +a@20");
    CHECK(describe(s.replace(content({}), false)) == "-a@20?");
}

TEST_CASE("store: an unchanged object keeps its identity through a replace") {
    store s;
    const auto first = make("a", "1", "4");
    s.replace(content({first}), true);
    s.replace(content({make("a", "1", "4")}), false);
    CHECK(s.get({"default", "a"}) == first);
}

TEST_CASE("store: an older version of the same object is no news, of another it is") {
    store s;
    s.apply(make("a", "1", "10"));
    CHECK(describe(s.apply(make("a", "1", "9"))) == "");
    CHECK(s.get({"default", "a"}).meta().resource_version == "10");
    CHECK(describe(s.apply(make("a", "2", "9"))) == "-a@10? +a@9");
    CHECK(describe(s.apply(make("b", "3", "opaque"))) == "+b@opaque");
    CHECK(describe(s.apply(make("b", "3", "other"))) == "~b@other");
}

TEST_CASE("store: an object that can't be read keeps its last good version, and is told once a version") {
    store s;
    s.apply(make("a", "1", "10"));
    CHECK(describe(s.mark_invalid(bad("a", "1", "11"))) == "!default/a@11");
    CHECK(s.get({"default", "a"}).meta().resource_version == "10");
    CHECK(s.invalid_count() == 1);
    CHECK(describe(s.mark_invalid(bad("a", "1", "11"))) == "");
    CHECK(describe(s.mark_invalid(bad("a", "1", "12"))) == "!default/a@12");
    CHECK(describe(s.apply(make("a", "1", "13"))) == "~a@13");
    CHECK(s.invalid_count() == 0);
    // Right again with what was known before: nothing changed.
    s.mark_invalid(bad("a", "1", "14"));
    CHECK(describe(s.apply(make("a", "1", "13"))) == "");
    CHECK(s.invalid_count() == 0);

    CHECK(describe(s.mark_invalid(bad("new", "7", "20"))) == "!default/new@20");
    CHECK(s.size() == 1);
    REQUIRE(s.invalid().size() == 1);
    CHECK(s.invalid()[0]->why.message() == "spec: no");
    CHECK(describe(s.remove_invalid(bad("new", "7", "21"))) == "");
    CHECK(s.invalid_count() == 0);
    s.mark_invalid(bad("a", "1", "15"));
    CHECK(describe(s.remove_invalid(bad("a", "1", "16"))) == "-a@13?");
    CHECK(s.size() == 0);
    CHECK(s.invalid_count() == 0);
    // Its name can't be read, its uid can.
    s.apply(make("b", "2", "20"));
    s.mark_invalid(bad("b\\xff", "2", "21"));
    CHECK(describe(s.remove_invalid(bad("", "9", "22"))) == "");
    CHECK(describe(s.remove_invalid(bad("", "2", "22"))) == "-b@20?");
    CHECK(s.invalid_count() == 0);
}

TEST_CASE("store: an object made anew that can't be read ends the one we knew") {
    store s;
    s.apply(make("a", "1", "10"));
    CHECK(describe(s.mark_invalid(bad("a", "2", "12"))) == "-a@10? !default/a@12");
    CHECK(s.size() == 0);
    s.apply(make("b", "1", "10"));
    CHECK(describe(s.mark_invalid(bad("b", "", "12"))) == "!default/b@12");
    CHECK(s.size() == 1);
    CHECK(describe(s.mark_invalid(bad("", "", "13"))) == "!default/(no name)@13");
    CHECK(s.invalid_count() == 2);
}

TEST_CASE("store: replace keeps what is in the list and can't be read") {
    store s;
    s.replace(content({make("a", "1", "4"), make("b", "2", "5"), make("c", "3", "6")}), true);
    s.mark_invalid(bad("a", "1", "7"));
    store_content next({make("a", "1", "8")});
    next.invalid = {bad("b", "2", "9"), bad("c", "33", "10"), bad("d", "4", "11"), bad("", "", "")};
    CHECK(describe(s.replace(next, false)) ==
          "-c@6? ~a@8 !default/(no name)@ !default/b@9 !default/c@10 !default/d@11");
    CHECK(s.get({"default", "b"}).meta().resource_version == "5");
    CHECK(s.invalid_count() == 3);
    next.invalid.pop_back();
    CHECK(describe(s.replace(next, false)) == "");
    CHECK(describe(s.replace(content({make("a", "1", "8")}), false)) == "-b@5?");
    CHECK(s.invalid_count() == 0);
}

TEST_CASE("store: of another history, equal versions are not the same object") {
    store s;
    s.replace(content({make("a", "1", "4"), make("b", "2", "5"), make("c", "3", "9")}), true);
    store_content next({make("a", "1", "4"), make("b", "2", "5"), make("c", "3", "7")});
    next.same = [](const any_object& a, const any_object&) { return a.meta().name == "a"; };
    CHECK(describe(s.replace(next, false)) == "~b@5 ~c@7");
    CHECK(s.get({"default", "c"}).meta().resource_version == "7");
    // One that can't be read there keeps its last good version, which says nothing of those to come.
    next.invalid = {bad("d", "4", "6")};
    s.apply(make("d", "4", "20"));
    CHECK(describe(s.replace(next, false)) == "!default/d@6");
    CHECK(s.get({"default", "d"}).meta().resource_version == "20");
    CHECK(describe(s.apply(make("d", "4", "8"))) == "~d@8");
    CHECK(describe(s.apply(make("d", "4", "7"))) == "");
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
