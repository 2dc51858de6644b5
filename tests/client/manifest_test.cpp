// The objects of a text that people wrote.
#include <kcontrol/client/manifest.hpp>

#include <doctest/doctest.h>

using namespace kcontrol;

TEST_CASE("documents in their order, lists taken apart") {
    const auto all = parse_manifests(
        "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a, namespace: team}\n---\n---\n"
        "apiVersion: v1\nkind: List\nitems:\n"
        "- {apiVersion: apps/v1, kind: Deployment, metadata: {name: b}}\n"
        "- {apiVersion: v1, kind: Namespace, metadata: {name: c}}\n");
    REQUIRE_MESSAGE(all.has_value(), all.error().what());
    REQUIRE(all->size() == 3);
    CHECK((*all)[0].key == namespaced_name("team", "a"));
    CHECK((*all)[0].gvk == group_version_kind("", "v1", "ConfigMap"));
    CHECK((*all)[1].gvk == group_version_kind("apps", "v1", "Deployment"));
    CHECK((*all)[1].key == namespaced_name("", "b"));
    CHECK(json::get_string((*all)[1].object, {"kind"}) == "Deployment");
    CHECK((*all)[2].key.name == "c");
    CHECK(parse_manifests(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"p"}})").value().size() == 1);
}

TEST_CASE("what is no manifest") {
    for (const char* text : {"", "---\n", "a: b\n", "kind: Pod\n", "apiVersion: v1\n", "apiVersion: apps/\nkind: X\n",
                             "items: []\n", "items: [7]\n", "items: [{items: [{items: []}]}]\n", "- 1\n", "text\n"}) {
        CAPTURE(std::string(text));
        const auto refused = parse_manifests(text);
        REQUIRE_FALSE(refused);
        CHECK(refused.error() == errc::invalid_config);
    }
    CHECK_FALSE(parse_manifests("{a: [").has_value());
    CHECK_FALSE(parse_manifests("apiVersion: v1\nkind: Pod\n", 10).has_value());
}
