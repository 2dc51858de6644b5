#include <kcontrol/testing/api_server.hpp>

#include "support/print.hpp"
#include "testing/memory_responder.hpp"

#include <doctest/doctest.h>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

namespace {

struct fixture {
    boost::asio::io_context context;
    testing::manual_environment env;
    api_server server;
    test::memory_client client;

    explicit fixture(api_server_options options = {})
        : server(env, context.get_executor(), std::move(options)), client(context, server.handler()) {
        server.register_resource(resource_type("example.com", "v1", "Thing", "things"));
    }
    void make(const std::string& name, const std::string& labels = "{}") {
        const std::string body = R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":")" + name +
                                 R"(","labels":)" + labels + R"(},"spec":{"size":1}})";
        REQUIRE(client.call("POST", things, body)->head.status == 201);
    }
    std::string names(const json::value& list) const {
        std::string out;
        for (const auto& item : list.at("items").as_array()) out += json::get_string(item, {"metadata", "name"});
        return out;
    }
    const std::string things = "/apis/example.com/v1/namespaces/default/things";
};

constexpr const char* table_accept = "application/json;as=Table;v=v1;g=meta.k8s.io,application/json";

}  // namespace

TEST_CASE("pages show one state, whatever happens meanwhile") {
    fixture f;
    for (const char* name : {"a", "b", "c", "d", "e"}) f.make(name);
    const auto first = f.client.get(f.things + "?limit=2")->json();
    CHECK(f.names(first) == "ab");
    CHECK(first.at("metadata").at("remainingItemCount") == 3);
    REQUIRE(f.server.remove({"example.com", "things"}, {"default", "c"}));
    f.make("aa");
    std::string token(json::get_string(first, {"metadata", "continue"}));
    const auto second = f.client.get(f.things + "?limit=2&continue=" + token)->json();
    CHECK(f.names(second) == "cd");
    CHECK(second.at("metadata").at("resourceVersion") == first.at("metadata").at("resourceVersion"));
    token = json::get_string(second, {"metadata", "continue"});
    const auto third = f.client.get(f.things + "?limit=2&continue=" + token)->json();
    CHECK(f.names(third) == "e");
    CHECK(third.at("metadata").at("continue") == "");  // custom resources say that there is no more

    SUBCASE("a token outlived by the history is expired, and offers an inconsistent one") {
        f.server.compact(f.server.resource_version());
        const auto expired = f.client.get(f.things + "?limit=2&continue=" + token);
        CHECK(expired->head.status == 410);
        CHECK(json::get_string(expired->json(), {"reason"}) == "Expired");
        const std::string loose(json::get_string(expired->json(), {"metadata", "continue"}));
        CHECK(f.names(f.client.get(f.things + "?limit=9&continue=" + loose)->json()) == "e");
    }
    SUBCASE("an exact old version") {
        const std::string version(json::get_string(first, {"metadata", "resourceVersion"}));
        const std::string query = "?resourceVersionMatch=Exact&resourceVersion=" + version;
        CHECK(f.names(f.client.get(f.things + query)->json()) == "abcde");
        f.server.compact(f.server.resource_version());
        CHECK(f.client.get(f.things + query)->head.status == 410);
    }
    SUBCASE("a limit at version 0 is passed over, as by a watch cache") {
        CHECK(f.names(f.client.get(f.things + "?limit=2&resourceVersion=0")->json()) == "aaabde");
    }
}

TEST_CASE("lists: selectors and versions that are refused") {
    fixture f;
    f.make("a", R"({"app":"x"})");
    f.make("b");
    CHECK(f.names(f.client.get(f.things + "?labelSelector=app%3Dx")->json()) == "a");
    CHECK(f.names(f.client.get(f.things + "?labelSelector=!app")->json()) == "b");
    CHECK(f.names(f.client.get(f.things + "?fieldSelector=metadata.name%3Db")->json()) == "b");
    CHECK(f.names(f.client.get("/apis/example.com/v1/things")->json()) == "ab");
    CHECK(f.client.get(f.things + "?labelSelector=a%20in%20(")->head.status == 400);
    CHECK(f.client.get(f.things + "?fieldSelector=spec.x%3Db")->head.status == 400);
    const auto future = f.client.get(f.things + "?resourceVersion=999999");
    CHECK(future->head.status == 504);
    CHECK(future->head.headers.get("Retry-After") == "1");
    CHECK(json::get_string(future->json().at("details").at("causes").at(0), {"reason"}) == "ResourceVersionTooLarge");
}

TEST_CASE("patches") {
    fixture f;
    f.make("a");
    const std::string a = f.things + "/a";
    CHECK(f.client.merge(a, R"({"spec":{"size":2,"x":[1]}})")->json().at("metadata").at("generation") == 2);
    const auto version = std::string(json::get_string(f.client.get(a)->json(), {"metadata", "resourceVersion"}));
    const std::string json_patch = "application/json-patch+json";
    const std::string guarded = R"([{"op":"test","path":"/metadata/resourceVersion","value":")" + version +
                                R"("},{"op":"replace","path":"/spec/size","value":3}])";
    CHECK(f.client.call("PATCH", a, guarded, json_patch)->head.status == 200);
    CHECK(f.client.call("PATCH", a, guarded, json_patch)->head.status == 422);
    CHECK(f.client.merge(a, R"({"metadata":{"resourceVersion":")" + version + "\"}}")->head.status == 409);
    CHECK(f.client.merge(a, R"({"metadata":{"name":"q"}})")->head.status == 400);
    CHECK(f.client.merge(a, R"({"metadata":{"uid":"q"}})")->head.status == 422);
    CHECK(f.client.merge(a, "5")->head.status == 400);
    CHECK(f.client.call("PATCH", a, "{}", "application/strategic-merge-patch+json")->head.status == 415);
    CHECK(f.client.call("PATCH", a, "{}", "application/json")->head.status == 415);
    CHECK(f.client.merge(f.things + "/zz", "{}")->head.status == 404);
    CHECK(f.client.merge(a + "/status", R"({"status":{"ok":true}})")->json().at("status").at("ok") == true);
    CHECK(f.client.get(a + "/status")->head.status == 200);
    CHECK(f.client.get(a + "/other")->head.status == 404);
}

TEST_CASE("dry runs change nothing") {
    fixture f;
    f.make("a");
    const std::uint64_t version = f.server.resource_version();
    const std::string body = R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"b"}})";
    CHECK(f.client.call("POST", f.things + "?dryRun=All", body)->head.status == 201);
    CHECK(f.client.call("DELETE", f.things + "/a?dryRun=All")->head.status == 200);
    CHECK(f.client.call("PATCH", f.things + "/a?dryRun=All", R"({"spec":{"size":5}})", "application/merge-patch+json")
              ->json()
              .at("spec")
              .at("size") == 5);
    CHECK(f.client.call("POST", f.things + "?dryRun=some", body)->head.status == 422);
    CHECK(f.server.resource_version() == version);
}

TEST_CASE("who may do what") {
    fixture f;
    f.server.access().set_tokens({{"old", "robot"}});
    CHECK(f.client.get("/api")->head.status == 401);
    f.client.headers.set("Authorization", "Bearer old");
    CHECK(f.client.get(f.things)->head.status == 200);
    f.server.access().forbid(access_rule("robot", "list", "things.example.com"));
    const auto refused = f.client.get(f.things);
    CHECK(refused->head.status == 403);
    CHECK(json::get_string(refused->json(), {"message"}) ==
          "things.example.com is forbidden: User \"robot\" cannot list resource \"things\" in API group "
          "\"example.com\" in the namespace \"default\"");
    CHECK(f.client.get(f.things + "/x")->head.status == 404);
    f.server.access().permit_all();
    CHECK(f.client.get(f.things)->head.status == 200);
    f.server.access().set_tokens({{"new", "robot"}});
    CHECK(f.client.get(f.things)->head.status == 401);
    CHECK(json::get_string(f.client.get(f.things)->json(), {"reason"}) == "Unauthorized");
    auto request = f.client.make("GET", f.things);
    request.headers.erase("Authorization");
    request.client_subject = "admin";
    CHECK(f.client.start(request)->head.status == 200);
    CHECK(f.server.request_log().requests().back().user == "admin");
    CHECK(f.server.request_log().count("list", "things") == 6);
}

TEST_CASE("a TokenReview says whose a token is, and in which groups he is") {
    fixture f;
    f.server.access().set_tokens({{"old", "robot"}, {"own", "system:serviceaccount:lab:runner"}});
    f.server.access().set_groups("robot", {"builders"});
    f.client.headers.set("Authorization", "Bearer old");
    const auto groups = [&f](const std::string& token) {
        const auto answer = f.client.call(
            "POST", "/apis/authentication.k8s.io/v1/tokenreviews",
            R"({"apiVersion":"authentication.k8s.io/v1","kind":"TokenReview","spec":{"token":")" + token + "\"}}");
        REQUIRE(answer->head.status == 201);
        return json::serialize(answer->json().at("status").at("user").at("groups"));
    };
    CHECK(groups("old") == R"(["builders","system:authenticated"])");
    CHECK(groups("own") == R"(["system:serviceaccounts","system:serviceaccounts:lab","system:authenticated"])");
}

TEST_CASE("kinds of Kubernetes' own may be removed, and what others have to do with them still answers") {
    fixture f;
    SUBCASE("pods") {
        const std::string pod = "/api/v1/namespaces/default/pods/web";
        REQUIRE(f.server.remove_resource({"", "pods"}));
        CHECK(f.client.get(pod + "/log")->head.status == 404);
        CHECK(f.client.call("POST", pod + "/exec?command=ls&stdout=true")->head.status == 404);
        CHECK(f.client
                  .call("POST", "/api/v1/namespaces/default/bindings",
                        R"({"metadata":{"name":"web"},"target":{"name":"n"}})")
                  ->head.status == 404);
    }
    SUBCASE("budgets") {
        REQUIRE(f.server.create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},
            "spec":{"nodeName":"n","containers":[{"name":"main","image":"i"}]}})")
                                    .value()));
        const auto running = json::parse(R"({"status":{"phase":"Running"}})").value();
        REQUIRE(f.server.patch({"", "pods"}, {"default", "web"}, running, "status"));
        REQUIRE(f.server.remove_resource({"policy", "poddisruptionbudgets"}));
        CHECK(f.client
                  .call("POST", "/api/v1/namespaces/default/pods/web/eviction",
                        R"({"apiVersion":"policy/v1","kind":"Eviction","metadata":{"name":"web"}})")
                  ->head.status == 201);
    }
    SUBCASE("configurations of webhooks") {
        const std::string group = "admissionregistration.k8s.io";
        REQUIRE(f.server.remove_resource({group, "mutatingwebhookconfigurations"}));
        REQUIRE(f.server.remove_resource({group, "validatingwebhookconfigurations"}));
        f.make("a");
        CHECK(f.client.call("DELETE", f.things + "/a")->head.status == 200);
    }
    SUBCASE("definitions") {
        REQUIRE(f.server.remove_resource({"apiextensions.k8s.io", "customresourcedefinitions"}));
        CHECK(f.client.get("/openapi/v3/apis/example.com/v1")->head.status == 200);
    }
    SUBCASE("namespaces, whose labels a webhook selects") {
        f.make("a");
        REQUIRE(f.server.create(json::parse(R"({"apiVersion":"admissionregistration.k8s.io/v1",
            "kind":"ValidatingWebhookConfiguration","metadata":{"name":"checks"},"webhooks":[{"name":"a.example.com",
            "clientConfig":{"url":"https://127.0.0.1:1/"},"namespaceSelector":{"matchLabels":{"a":"b"}},
            "rules":[{"operations":["*"],"apiGroups":["*"],"apiVersions":["*"],"resources":["*"]}],
            "sideEffects":"None","admissionReviewVersions":["v1"]}]})")
                                    .value()));
        REQUIRE(f.server.remove_resource({"", "namespaces"}));
        CHECK(f.client.merge(f.things + "/a", R"({"spec":{"size":2}})")->head.status == 200);
    }
}

TEST_CASE("CustomResourceDefinitions bring kinds and take them away") {
    fixture f;
    const std::string crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
    const std::string crd = R"({"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
        "metadata":{"name":"widgets.example.org"},"spec":{"group":"example.org","scope":"Namespaced",
        "names":{"plural":"widgets","kind":"Widget","shortNames":["wd"]},"versions":[
        {"name":"v1","served":true,"storage":true,"subresources":{"status":{}},
         "additionalPrinterColumns":[{"name":"State","type":"string","jsonPath":".status.conditions[-1:].type"}]},
        {"name":"v2","served":true,"storage":false},{"name":"v0","served":false,"storage":false}]}})";
    CHECK(f.client.get("/apis/example.org/v1/widgets")->head.status == 404);
    REQUIRE(f.client.call("POST", crds, crd)->head.status == 201);
    const auto established = f.client.get(crds + "/widgets.example.org")->json();
    CHECK(json::get_string(established.at("status").at("conditions").at(1), {"type"}) == "Established");
    const auto resources = f.client.get("/apis/example.org/v1")->json();
    CHECK(json::get_string(resources.at("resources").at(0), {"name"}) == "widgets");
    CHECK(f.client.get("/apis/example.org/v0")->head.status == 404);

    const std::string widgets = "/apis/example.org/v1/namespaces/default/widgets";
    const std::string body = R"({"apiVersion":"example.org/v1","kind":"Widget","metadata":{"name":"w"}})";
    REQUIRE(f.client.call("POST", widgets, body)->head.status == 201);
    CHECK(json::get_string(f.client.get("/apis/example.org/v2/namespaces/default/widgets/w")->json(), {"apiVersion"}) ==
          "example.org/v2");
    const auto watch =
        f.client.start(widgets + "?watch=1&resourceVersion=" + std::to_string(f.server.resource_version()));
    CHECK(f.client.call("DELETE", crds + "/widgets.example.org")->head.status == 200);
    testing::manual_environment::run_ready(f.context);
    CHECK(watch->done);
    CHECK(watch->events() == std::vector<std::string>{"DELETED w"});
    CHECK(f.client.get(widgets)->head.status == 404);
    CHECK(f.client.call("POST", crds, R"({"metadata":{"name":"x"}})")->head.status == 422);
}

TEST_CASE("discovery, together and piece by piece") {
    fixture f;
    CHECK(f.client.get("/api")->json().at("versions").at(0) == "v1");
    CHECK(json::get_string(f.client.get("/apis")->json(), {"kind"}) == "APIGroupList");
    CHECK(json::get_string(f.client.get("/apis/batch")->json(), {"preferredVersion", "version"}) == "v1");
    CHECK(json::get_string(f.client.get("/api/v1")->json(), {"kind"}) == "APIResourceList");
    CHECK(f.client.get("/apis/nope")->head.status == 404);
    CHECK(f.client.get("/apis/example.com/v9")->head.status == 404);
    CHECK(f.client.get("/version")->json().at("minor") == "37");
    CHECK(f.client.get("/readyz")->body == "ok");
    f.server.set_ready(false);
    CHECK(f.client.get("/readyz")->head.status == 500);
    f.client.headers.set("Accept", "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList");
    const auto together = f.client.get("/apis");
    CHECK(json::get_string(together->json(), {"kind"}) == "APIGroupDiscoveryList");
    CHECK(together->head.headers.get("Content-Type").find("as=APIGroupDiscoveryList") != std::string_view::npos);
}

TEST_CASE("tables for kubectl") {
    fixture f;
    f.make("a");
    f.env.advance(75s, f.context);
    f.client.headers.set("Accept", table_accept);
    const auto table = f.client.get(f.things)->json();
    CHECK(json::get_string(table, {"kind"}) == "Table");
    CHECK(table.at("columnDefinitions").as_array().size() == 2);
    CHECK(json::serialize(table.at("rows").at(0).at("cells")) == R"(["a","75s"])");
    CHECK(json::get_string(table.at("rows").at(0), {"object", "kind"}) == "PartialObjectMetadata");
    const auto whole = f.client.get(f.things + "?includeObject=Object")->json();
    CHECK(json::get_string(whole.at("rows").at(0), {"object", "kind"}) == "Thing");
    f.client.headers.set("Accept", "application/xml");
    CHECK(f.client.get(f.things)->head.status == 406);
}

TEST_CASE("faults") {
    fixture f;
    fault next;
    f.server.set_faults([&next](const http::server_request&) { return next; });

    SUBCASE("a status with Retry-After") {
        next.status(429, "TooManyRequests", "slow down", 5);
        const auto answer = f.client.get(f.things);
        CHECK(answer->head.status == 429);
        CHECK(answer->head.headers.get("Retry-After") == "5");
    }
    SUBCASE("a page and a redirect") {
        next.html(200);
        CHECK(f.client.get(f.things)->head.headers.get("Content-Type").starts_with("text/html"));
        next = fault().redirect(302, "https://elsewhere.example/");
        CHECK(f.client.get(f.things)->head.headers.get("Location") == "https://elsewhere.example/");
    }
    SUBCASE("dropped; lost after the write") {
        const std::string body = R"({"apiVersion":"example.com/v1","kind":"Thing","metadata":{"name":"x"}})";
        next.drop();
        CHECK(f.client.call("POST", f.things, body)->aborted);
        CHECK(f.server.list({"example.com", "things"}).empty());
        next = fault().drop_response();
        CHECK(f.client.call("POST", f.things, body)->aborted);
        CHECK(f.server.list({"example.com", "things"}).size() == 1);
    }
    SUBCASE("delayed") {
        next.delay(2s);
        const auto answer = f.client.start(f.things);
        CHECK_FALSE(answer->done);
        f.env.advance(2s, f.context);
        CHECK(answer->head.status == 200);
    }
    SUBCASE("hung until the client goes") {
        next.hang();
        const auto answer = f.client.start(f.things);
        f.env.advance(1h, f.context);
        CHECK_FALSE(answer->done);
        answer->go_away();
        testing::manual_environment::run_ready(f.context);
        CHECK(answer->done);
        CHECK(answer->body.empty());
    }
    SUBCASE("a body cut short") {
        next.cut_after_bytes(10);
        const auto answer = f.client.get(f.things);
        CHECK(answer->aborted);
        CHECK(answer->body.size() == 10);
    }
}

TEST_CASE("a frozen replica is stale where a cache may be, and only there") {
    fixture f;
    f.make("a");
    const std::uint64_t then = f.server.resource_version();
    f.make("b");
    f.server.freeze("", then);
    CHECK(f.names(f.client.get(f.things)->json()) == "ab");
    CHECK(f.names(f.client.get(f.things + "?resourceVersion=0")->json()) == "a");
    CHECK(f.client.get(f.things + "?resourceVersion=" + std::to_string(then + 1))->head.status == 504);
    CHECK(f.client.get(f.things + "/b")->head.status == 200);
    CHECK(f.client.get(f.things + "/b?resourceVersion=0")->head.status == 404);
    const auto watch = f.client.start(f.things + "?watch=1&resourceVersion=" + std::to_string(then));
    CHECK(watch->events().empty());
    f.server.thaw("");
    testing::manual_environment::run_ready(f.context);
    CHECK(watch->events() == std::vector<std::string>{"ADDED b"});
    watch->go_away();
    testing::manual_environment::run_ready(f.context);
}

TEST_CASE("deletecollection") {
    fixture f;
    f.make("a", R"({"app":"x"})");
    f.make("b");
    const auto deleted = f.client.call("DELETE", f.things + "?labelSelector=app%3Dx");
    CHECK(deleted->head.status == 200);
    CHECK(f.names(deleted->json()) == "a");
    CHECK(f.names(f.client.get(f.things)->json()) == "b");
}
