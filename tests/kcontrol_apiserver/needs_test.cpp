#include "apiserver/needs.hpp"

#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/runtime/system_environment.hpp>

#include <boost/asio/io_context.hpp>
#include <doctest/doctest.h>

using namespace kcontrol_apiserver;
namespace json = kcontrol::json;
namespace testing = kcontrol::testing;

namespace {

class fixture {
public:
    /// As if the user had asked.
    void asked(const std::string& method, const std::string& target, int code, const std::string& user = "program") {
        const kcontrol::http::request request(method, target);
        auto& log = api.request_log();
        const auto number = log.begin(request, testing::parse_request(request).value());
        log.set_user(number, user);
        log.end(number, code);
    }
    void define(const std::string& plural, const std::string& kind) {
        const auto made =
            api.create({{"apiVersion", "apiextensions.k8s.io/v1"},
                        {"kind", "CustomResourceDefinition"},
                        {"metadata", {{"name", plural + ".example.com"}}},
                        {"spec",
                         {{"group", "example.com"},
                          {"scope", "Namespaced"},
                          {"names", {{"plural", plural}, {"kind", kind}}},
                          {"versions", json::array{{{"name", "v1"},
                                                    {"served", true},
                                                    {"storage", true},
                                                    {"schema", {{"openAPIV3Schema", {{"type", "object"}}}}}}}}}}});
        REQUIRE(made.has_value());
    }

    kcontrol::system_environment env;
    boost::asio::io_context context;
    testing::api_server api{env, context.get_executor(), testing::api_server_options().default_and_validate(true)};
};

}  // namespace

TEST_CASE_FIXTURE(fixture, "the role is of one user's requests") {
    needs n(api, "program");
    CHECK(!n.asked());
    CHECK(json::to_yaml(n.cluster_role("none")).ends_with("rules: []\n"));
    asked("GET", "/api/v1/pods?watch=true", 200);
    asked("PATCH", "/apis/apps/v1/namespaces/a/deployments/b?fieldManager=x", 0);
    n.look();
    api.request_log().end(2, 201);
    asked("DELETE", "/api/v1/namespaces/a/secrets/b", 200, "admin");
    n.look();
    CHECK(n.asked());
    CHECK(n.all_known());
    CHECK(json::to_yaml(n.cluster_role("mine")) == R"(apiVersion: rbac.authorization.k8s.io/v1
kind: ClusterRole
metadata:
  name: mine
rules:
- apiGroups:
  - ""
  resources:
  - pods
  verbs:
  - watch
- apiGroups:
  - apps
  resources:
  - deployments
  verbs:
  - create
  - patch
)");
    const auto before = json::to_yaml(n.cluster_role("mine"));
    for (int looks = 0; looks < 2; ++looks) {
        for (int i = 0; i < 9'000; ++i) asked("GET", "/version", 200, "admin");
        n.look();
    }
    CHECK(n.all_known());
    CHECK(json::to_yaml(n.cluster_role("mine")) == before);
    for (int i = 0; i < 11'000; ++i) asked("GET", "/version", 200, "admin");
    n.look();
    CHECK(!n.all_known());
}

TEST_CASE_FIXTURE(fixture, "definitions are those that came or changed, as they would be applied") {
    define("olds", "Old");
    define("changings", "Changing");
    const needs n(api, "program");
    CHECK(n.definitions().empty());
    define("things", "Thing");
    const testing::group_resource kind{"apiextensions.k8s.io", "customresourcedefinitions"};
    const auto change = [&](const std::string& name, json::value metadata) {
        REQUIRE(api.patch(kind, {"", name}, {{"metadata", std::move(metadata)}}).has_value());
    };
    change("changings.example.com", {{"labels", {{"a", "b"}}}});
    change("olds.example.com", {{"finalizers", json::array{"example.com/own"}}});
    const auto found = n.definitions();
    REQUIRE(found.size() == 2);
    CHECK(json::get_string(found[0], {"metadata", "labels", "a"}) == "b");
    CHECK(json::to_yaml(found[1]) == R"(apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: things.example.com
spec:
  group: example.com
  names:
    kind: Thing
    listKind: ThingList
    plural: things
    singular: thing
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        type: object
    served: true
    storage: true
)");
}

TEST_CASE_FIXTURE(fixture, "what the server did not have, and what it refused") {
    needs n(api, "program");
    asked("GET", "/apis/example.com/v1/things", 404);
    asked("GET", "/apis/example.com/v1/olds?watch=1", 404);
    asked("GET", "/apis/example.com/v1/namespaces/a/others/one", 404);  // an object, perhaps
    asked("PUT", "/api/v1/namespaces/a/configmaps/b", 409);
    for (int i = 0; i < 2; ++i) asked("POST", "/apis/apps/v1/namespaces/a/deployments", 422);
    asked("GET", "/metrics", 403);
    n.look();
    CHECK(n.not_served() == std::vector<std::string>{"olds.example.com", "things.example.com"});
    CHECK(n.refused() == std::vector<std::string>{"create deployments.apps (422)"});
    define("things", "Thing");
    CHECK(n.not_served() == std::vector<std::string>{"olds.example.com"});
}

TEST_CASE("a role is called as the program's file") {
    CHECK(role_name_of("./build/my_operator") == "my-operator");
    CHECK(role_name_of("/opt/Website.Operator-v2") == "website.operator-v2");
    CHECK(role_name_of("..__") == "program");
    CHECK(role_name_of("a b") == "a-b");
}
