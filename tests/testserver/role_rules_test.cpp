#include "testserver/role_rules.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;

namespace {

struct fixture {
    object_store store{
        store_inputs().timestamp([] { return "2026-11-23T10:00:00Z"; }).random([n = 0ULL]() mutable { return ++n; })};

    fixture() {
        for (auto& type : builtin_resource_types()) store.add_resource(std::move(type));
        add_first_roles(store);
    }
    void make(const char* plural, const char* text) {
        const auto made = store.create(*store.table({"rbac.authorization.k8s.io", plural}), write_target(),
                                       json::parse(text).value().as_object());
        REQUIRE(made);
    }
    bool may(const requester& who, std::string verb, std::string resource) const {
        request_info wish;
        wish.is_resource = true;
        wish.verb = std::move(verb);
        wish.resource = std::move(resource);
        return judge_by_roles(store, who, wish).allowed;
    }
};

}  // namespace

TEST_CASE("masters may do everything, others nothing at first") {
    const fixture f;
    CHECK(f.may({"admin", {"system:masters"}}, "delete", "nodes"));
    CHECK_FALSE(f.may({"bob", {"system:authenticated"}}, "get", "nodes"));
}

TEST_CASE("an aggregated role has the rules of those that its selector finds") {
    fixture f;
    f.make("clusterroles", R"({"metadata":{"name":"all"},"rules":[],
        "aggregationRule":{"clusterRoleSelectors":[{"matchLabels":{"part":"yes"}}]}})");
    f.make("clusterroles", R"({"metadata":{"name":"one","labels":{"part":"yes"}},
        "rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["get"]}]})");
    f.make("clusterroles", R"({"metadata":{"name":"two","labels":{"part":"no"}},
        "rules":[{"apiGroups":[""],"resources":["nodes"],"verbs":["delete"]}]})");
    f.make("clusterrolebindings", R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"all"},
        "subjects":[{"kind":"User","name":"bob"}]})");
    CHECK(f.may({"bob", {}}, "get", "nodes"));
    CHECK_FALSE(f.may({"bob", {}}, "delete", "nodes"));
    CHECK_FALSE(f.may({"eve", {}}, "get", "nodes"));
}

TEST_CASE("a binding to a role that is not there allows nothing") {
    fixture f;
    f.make("clusterrolebindings", R"({"metadata":{"name":"b"},"roleRef":{"kind":"ClusterRole","name":"gone"},
        "subjects":[{"kind":"User","name":"bob"}]})");
    CHECK_FALSE(f.may({"bob", {}}, "get", "nodes"));
}
