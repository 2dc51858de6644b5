#include "testserver/watch_index.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

using numbers = std::vector<std::uint64_t>;

object_filter selecting(const char* ns, const char* labels = "", const char* fields = "") {
    object_filter out;
    out.namespace_ = ns;
    out.labels = label_selector::parse(labels).value();
    out.fields = field_selector::parse(fields).value();
    return out;
}

object_ptr labelled(const char* labels) {
    json::object content;
    metadata_of(content)["labels"] = json::parse(labels).value();
    return std::make_shared<const stored_object>(std::move(content));
}

store_event change_of(const char* ns, const char* name, const char* before, const char* after) {
    store_event out;
    out.key = {ns, name};
    if (before != nullptr) out.previous = labelled(before);
    out.object = labelled(after);
    return out;
}

}  // namespace

TEST_CASE("a change concerns those watches that may select the object, as it was or as it is") {
    const object_filter filters[] = {
        selecting(""),                                      // 0
        selecting("a"),                                     // 1
        selecting("a", "app=web"),                          // 2
        selecting("", "tier in (front,back),app!=db"),      // 3
        selecting("a", "!app"),                             // 4: no value is required
        selecting("b", "app in (web,db),tier in (front)"),  // 5: by tier, of which there is one
        selecting("", "", "metadata.name=one"),             // 6
        selecting("a", "app=web", "metadata.name=two"),     // 7: by its name
        selecting("", "", "metadata.namespace=b"),          // 8
        selecting("a", "", "metadata.name!=one"),           // 9: no name is required
    };
    watch_index all;
    CHECK(all.empty());
    for (std::size_t i = 0; i < std::size(filters); ++i) all.add(i, filters[i]);
    const char* const none = "{}";
    const char* const web = R"({"app":"web"})";
    const char* const both = R"({"app":"web","tier":"front"})";
    const char* const back = R"({"tier":"back"})";

    CHECK(all.concerned_by(change_of("a", "x", nullptr, none)) == numbers{0, 1, 4, 9});
    CHECK(all.concerned_by(change_of("a", "x", nullptr, web)) == numbers{0, 1, 2, 4, 9});
    CHECK(all.concerned_by(change_of("a", "x", web, none)) == numbers{0, 1, 2, 4, 9});
    CHECK(all.concerned_by(change_of("a", "x", both, back)) == numbers{0, 1, 2, 3, 4, 9});
    CHECK(all.concerned_by(change_of("b", "x", both, both)) == numbers{0, 3, 5, 8});
    CHECK(all.concerned_by(change_of("b", "one", web, web)) == numbers{0, 6, 8});
    CHECK(all.concerned_by(change_of("a", "two", none, none)) == numbers{0, 1, 4, 7, 9});
    CHECK(all.concerned_by(change_of("", "one", nullptr, none)) == numbers{0, 6});

    for (std::size_t i = 0; i < std::size(filters); ++i) {
        CHECK_FALSE(all.empty());
        all.remove(i, filters[i]);
        all.remove(i, filters[i]);  // nothing is there any more
    }
    CHECK(all.empty());
}
