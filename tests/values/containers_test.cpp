// Handles through their tables do what the typed containers do.
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/values/containers.hpp>

#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;
using api::core::v1::container;
using api::core::v1::pod_security_context;

namespace {

container named(std::string_view name) {
    container made;
    made.name = name;
    return made;
}

}  // namespace

TEST_CASE("a dict of generated values by its table") {
    dict<list<container>> map;
    const auto& type = describe<dict<list<container>>>();
    REQUIRE(type.map == nullptr);
    CHECK(detail::map_size(type, &map) == 0);
    CHECK(detail::map_find(type, &map, "a") == nullptr);
    for (const char* key : {"m", "a long key that is not kept inside", "z", "b", "m"}) {
        auto& value = *static_cast<list<container>*>(detail::map_insert(type, &map, key));
        value.push_back(named(key));
    }
    CHECK(map.size() == 4);
    CHECK(map.at("m").size() == 2);
    CHECK(map.at("a long key that is not kept inside")[0].name == "a long key that is not kept inside");
    CHECK(detail::map_find(type, &map, "z") == map.get("z"));
    CHECK(detail::map_find(type, &map, "y") == nullptr);
    std::vector<std::string> keys;
    detail::map_visit(type, &map, &keys, [](void* to, std::string_view key, const void*) {
        static_cast<std::vector<std::string>*>(to)->emplace_back(key);
    });
    CHECK(keys == std::vector<std::string>{"a long key that is not kept inside", "b", "m", "z"});
    map.erase("b");
    CHECK(detail::map_insert(type, &map, "zz") != nullptr);
    CHECK(map.size() == 4);
    detail::map_clear(type, &map);
    CHECK((map.present() && map.empty()));
}

TEST_CASE("a list of generated elements by its table") {
    list<container> containers{named("old")};
    const auto& type = describe<list<container>>();
    REQUIRE(type.list == nullptr);
    detail::list_renew(type, &containers, 3);
    CHECK(containers == list<container>{container{}, container{}, container{}});
    static_cast<container*>(detail::list_at(type, &containers, 1))->name = "a name that needs memory";
    CHECK(containers[1].name == "a name that needs memory");
    CHECK(detail::list_size(type, &containers) == 3);
    containers.push_back(named("typed"));
    CHECK(detail::list_size(type, &containers) == 4);
    detail::list_renew(type, &containers, 0);
    CHECK((containers.present() && containers.empty()));
}

TEST_CASE("a boxed generated part by its table") {
    boxed<pod_security_context> box;
    const auto& type = describe<boxed<pod_security_context>>();
    REQUIRE(type.optional == nullptr);
    CHECK(detail::optional_get(type, &box) == nullptr);
    box.edit().fs_group_change_policy = "a policy that needs memory";
    CHECK(detail::optional_get(type, &box) == &*box);
    auto& fresh = *static_cast<pod_security_context*>(detail::optional_emplace(type, &box));
    CHECK(fresh == pod_security_context{});
    CHECK(&fresh == &*box);
}

TEST_CASE("what lies in an object's block is copied before it is changed") {
    json::document document;
    const auto root = document.parse(R"({"spec":{"containers":[{"name":"a"}],"nodeSelector":{"a":"1","c":"3"},)"
                                     R"("overhead":{"cpu":"1"}}})");
    REQUIRE(root);
    const auto block = decode_block(describe<api::core::v1::pod>(), *root, nullptr);
    REQUIRE(block);
    const auto& pod = *static_cast<const api::core::v1::pod*>(block->get());
    const dict<text> in_block = pod.spec.node_selector;  // a copy owns
    auto& shared = const_cast<dict<text>&>(pod.spec.node_selector);
    const auto& type = describe<dict<text>>();
    *static_cast<text*>(detail::map_insert(type, &shared, "b")) = "2";
    CHECK(shared == dict<text>{{"a", "1"}, {"b", "2"}, {"c", "3"}});
    CHECK(in_block == dict<text>{{"a", "1"}, {"c", "3"}});
    shared.reset();  // a block does not free what was made later
}
