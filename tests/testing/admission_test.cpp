#include <kcontrol/testing/sim_world.hpp>

#include "support/print.hpp"
#include "testing/scripted_webhook.hpp"

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <doctest/doctest.h>

#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::testing;
using namespace std::chrono_literals;

namespace {

struct fixture {
    sim_world world;
    sim_server& server = world.add_server("cluster", api_server_options().default_and_validate(true));
    std::shared_ptr<http::transport> way =
        world.network().factory()(world.get_executor(), http::endpoint("https", "cluster", 443), {}).value();
    const std::string maps = "/api/v1/namespaces/default/configmaps";

    void configure(const json::value& what) { REQUIRE_MESSAGE(server.api().create(what), json::serialize(what)); }
    http::response ask(std::string method, std::string target, const json::value& body = {},
                       const std::string& type = "application/json") {
        return send(std::move(method), std::move(target), body.is_null() ? std::string() : json::serialize(body), type);
    }
    http::response send(std::string method, std::string target, std::string body, const std::string& type) {
        http::request request;
        request.method = std::move(method);
        request.target = std::move(target);
        request.headers.set("Content-Type", type);
        request.body = std::move(body);
        http::exchange_options bounds;
        bounds.deadline(2min);
        return world.run(way->round_trip(std::move(request), bounds)).value();
    }
    http::response create(const std::string& name, json::object data = {}, const std::string& query = {}) {
        return ask(
            "POST", maps + query,
            {{"apiVersion", "v1"}, {"kind", "ConfigMap"}, {"metadata", {{"name", name}}}, {"data", std::move(data)}});
    }
    static std::string message(const http::response& answer) {
        return std::string(json::get_string(json::parse(answer.body).value(), {"message"}));
    }
    static json::value document(const http::response& answer) { return json::parse(answer.body).value(); }
};

json::value add_data(const char* key, const char* value) {
    return json::array{{{"op", "add"}, {"path", std::string("/data/") + key}, {"value", value}}};
}

}  // namespace

TEST_CASE("a validating webhook is asked about a write, and may refuse it in a kube-apiserver's words") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value& request) {
        const bool bad = json::get_string(request, {"name"}) == "bad";
        if (json::get_string(request, {"name"}) == "silent") return json::object{{"allowed", false}};
        return bad ? deny("no such map here") : allow();
    });
    f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));

    CHECK(f.create("good", {{"a", "b"}}, "?fieldManager=me").status == 201);
    REQUIRE(hook.asked.size() == 1);
    const json::value& asked = hook.asked[0];
    CHECK(asked.at("operation") == "CREATE");
    CHECK(asked.at("kind") == json::value{{"group", ""}, {"version", "v1"}, {"kind", "ConfigMap"}});
    CHECK(asked.at("resource") == json::value{{"group", ""}, {"version", "v1"}, {"resource", "configmaps"}});
    CHECK(asked.at("namespace") == "default");
    CHECK(asked.at("name") == "good");
    CHECK(asked.at("dryRun") == false);
    CHECK(asked.at("oldObject").is_null());
    CHECK(asked.at("object").at("data").at("a") == "b");
    CHECK(asked.at("object").at("apiVersion") == "v1");
    CHECK(asked.at("options").at("kind") == "CreateOptions");
    CHECK(asked.at("options").at("fieldManager") == "me");
    CHECK(asked.at("userInfo").at("groups").is_array());
    CHECK(hook.targets[0] == "/ask?timeout=10s");

    const auto refused = f.create("bad");
    CHECK(refused.status == 403);
    CHECK(f.message(refused) == "admission webhook \"vmap.example.com\" denied the request: no such map here");
    CHECK(f.server.api().list({"", "configmaps"}).size() == 1);
    const auto silent = f.create("silent");
    CHECK(silent.status == 400);
    CHECK(f.message(silent) == "admission webhook \"vmap.example.com\" denied the request without explanation");

    const auto patched_map = f.ask("PATCH", f.maps + "/good", {{"data", {{"a", "c"}}}}, "application/merge-patch+json");
    CHECK(patched_map.status == 200);
    CHECK(hook.asked.back().at("operation") == "UPDATE");
    CHECK(hook.asked.back().at("oldObject").at("data").at("a") == "b");
    CHECK(hook.asked.back().at("object").at("data").at("a") == "c");
    CHECK(hook.asked.back().at("options").at("kind") == "UpdateOptions");

    const std::size_t before = hook.asked.size();
    CHECK(f.ask("DELETE", f.maps + "/good").status == 200);
    CHECK(hook.asked.size() == before);  // its rule is not about deletions
}

TEST_CASE("what matches: rules, scopes, selectors, conditions") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value&) { return allow(); });
    const auto asked_after = [&](json::object more, const std::function<void()>& write) {
        auto configured = configuration("Validating", "checks", {hook_of("vmap", "hook", std::move(more))});
        f.configure(configured);
        hook.asked.clear();
        write();
        REQUIRE(
            f.server.api().remove({"admissionregistration.k8s.io", "validatingwebhookconfigurations"}, {"", "checks"}));
        return hook.asked.size();
    };
    int count = 0;
    const auto create = [&] { CHECK(f.create("m" + std::to_string(++count)).status == 201); };
    const auto with_rule = [](const char* operation, const char* group, const char* version, const char* resource,
                              const char* scope) {
        return json::object{{"rules", json::array{{{"operations", json::array{operation}},
                                                   {"apiGroups", json::array{group}},
                                                   {"apiVersions", json::array{version}},
                                                   {"resources", json::array{resource}},
                                                   {"scope", scope}}}}};
    };
    CHECK(asked_after(with_rule("*", "*", "*", "*/*", "*"), create) == 1);
    CHECK(asked_after(with_rule("CREATE", "", "v1", "configmaps", "Namespaced"), create) == 1);
    CHECK(asked_after(with_rule("CREATE", "", "v1", "configmaps", "Cluster"), create) == 0);
    CHECK(asked_after(with_rule("UPDATE", "", "v1", "configmaps", "*"), create) == 0);
    CHECK(asked_after(with_rule("CREATE", "apps", "v1", "configmaps", "*"), create) == 0);
    CHECK(asked_after(with_rule("CREATE", "", "v2", "configmaps", "*"), create) == 0);
    CHECK(asked_after(with_rule("CREATE", "", "v1", "configmaps/status", "*"), create) == 0);
    CHECK(asked_after(with_rule("DELETE", "", "v1", "configmaps", "*"),
                      [&] { CHECK(f.ask("DELETE", f.maps + "/m1").status == 200); }) == 1);
    CHECK(hook.asked.back().at("object").is_null());
    CHECK(hook.asked.back().at("oldObject").at("metadata").at("name") == "m1");

    const json::object labelled{{"matchLabels", {{"tenant", "yes"}}}};
    CHECK(asked_after({{"objectSelector", labelled}}, create) == 0);
    CHECK(asked_after({{"namespaceSelector", labelled}}, create) == 0);
    REQUIRE(
        f.server.api().patch({"", "namespaces"}, {"", "default"}, {{"metadata", {{"labels", {{"tenant", "yes"}}}}}}));
    CHECK(asked_after({{"namespaceSelector", labelled}}, create) == 1);

    const auto condition = [](const char* text) {
        return json::object{{"matchConditions", json::array{{{"name", "only"}, {"expression", text}}}}};
    };
    CHECK(asked_after(condition("object.metadata.name == 'other'"), create) == 0);
    CHECK(asked_after(condition("request.operation == 'CREATE' && oldObject == null"), create) == 1);
    CHECK(asked_after(condition("object.spec.x == 1"), [&] {
              const auto refused = f.create("broken");
              CHECK(refused.status == 403);
              CHECK(f.message(refused).find("no such key: spec") != std::string::npos);
          }) == 0);
    auto ignoring = condition("object.spec.x == 1");
    ignoring["failurePolicy"] = "Ignore";
    CHECK(asked_after(ignoring, create) == 0);
}

TEST_CASE("mutating webhooks are asked one after the other, and once more if a later one changed something") {
    fixture f;
    std::vector<std::string> order;
    scripted_webhook first(f.world, "first", [&order](const json::value& request) {
        order.emplace_back("first");
        const bool seen = request.at("object").at("data").as_object().contains("b");
        return patched(add_data("a", seen ? "again" : "once"));
    });
    scripted_webhook second(f.world, "second", [&order](const json::value&) {
        order.emplace_back("second");
        return patched(add_data("b", "2"));
    });
    scripted_webhook last(f.world, "last", [&order](const json::value& request) {
        order.emplace_back("last");
        CHECK(request.at("object").at("data") == json::value{{"x", "y"}, {"a", "again"}, {"b", "2"}});
        CHECK_FALSE(json::get_string(request, {"object", "metadata", "uid"}).empty());
        return allow();
    });
    f.configure(configuration("Mutating", "b", {hook_of("second", "second")}));
    f.configure(configuration("Mutating", "a", {hook_of("first", "first", {{"reinvocationPolicy", "IfNeeded"}})}));
    f.configure(configuration("Validating", "a", {hook_of("last", "last")}));
    const auto made = f.create("m", {{"x", "y"}}, "?fieldManager=me");
    REQUIRE_MESSAGE(made.status == 201, made.body);
    CHECK(order == std::vector<std::string>{"first", "second", "first", "last"});
    const json::value object = f.document(made);
    CHECK(object.at("data") == json::value{{"x", "y"}, {"a", "again"}, {"b", "2"}});
    // The writer owns what he wrote, not what webhooks added.
    const json::value& fields = object.at("metadata").at("managedFields").at(0);
    CHECK(fields.at("manager") == "me");
    CHECK(fields.at("fieldsV1").at("f:data") == json::value{{".", json::object()}, {"f:x", json::object()}});
}

TEST_CASE("a webhook that can't be asked stops the write, or is passed over") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value&) { return allow(); });
    json::object how{{"timeoutSeconds", 2}};
    const auto expect = [&](const std::string& problem) {
        for (const char* policy : {"Fail", "Ignore"}) {
            how["failurePolicy"] = policy;
            for (const char* kind : {"Mutating", "Validating"}) {
                f.configure(configuration(kind, "checks", {hook_of("vmap", "hook", how)}));
                const auto answer = f.create("m");
                REQUIRE(f.server.api().remove({"admissionregistration.k8s.io", std::string(kind) == "Mutating"
                                                                                   ? "mutatingwebhookconfigurations"
                                                                                   : "validatingwebhookconfigurations"},
                                              {"", "checks"}));
                if (std::string(policy) == "Ignore") {
                    CHECK(answer.status == 201);
                    REQUIRE(f.server.api().remove({"", "configmaps"}, {"default", "m"}));
                    continue;
                }
                CHECK(answer.status == 500);
                CHECK(f.message(answer) ==
                      "Internal error occurred: failed calling webhook \"vmap.example.com\": " + problem);
                CHECK(json::get_string(f.document(answer), {"reason"}) == "InternalError");
            }
        }
    };
    const std::string post = "failed to call webhook: Post \"https://hook.default.svc:443/ask?timeout=2s\": ";
    SUBCASE("nobody listens") {
        f.world.network().set_link(hook.host(), link_state::refused);
        expect(post + "dial tcp hook.default.svc:443: connect: connection refused");
    }
    SUBCASE("no answer in time") {
        f.world.network().set_link(hook.host(), link_state::black_hole);
        expect(post + "context deadline exceeded");
    }
    SUBCASE("too slow") {
        f.world.network().set_latency(hook.host(), 3s, 3s);
        expect(post + "context deadline exceeded");
    }
    SUBCASE("500") {
        hook.instead = http::response(500, "text/plain", "boom\n");
        expect("failed to call webhook: an error on the server (\"boom\") has prevented the request from succeeding");
    }
    SUBCASE("404") {
        hook.instead = http::response(404, "text/plain", "404 page not found");
        expect("failed to call webhook: the server could not find the requested resource");
    }
    SUBCASE("no JSON") {
        hook.instead = http::response(200, "application/json", "<html>");
        expect(R"(failed to call webhook: couldn't get version/kind; json parse error: json: cannot unmarshal string )"
               R"(into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; )"
               R"(Kind string "json:\"kind,omitempty\"" })");
    }
    SUBCASE("nothing") {
        hook.instead = http::response(200, "application/json", "");
        expect("failed to call webhook: 0-length response with status code: 200 and content type: application/json");
    }
    SUBCASE("no review") {
        hook.instead = http::response(200, "application/json", "{}");
        expect("received invalid webhook response: webhook response was absent");
    }
    SUBCASE("something else") {
        hook.instead = http::response(200, "application/json", R"({"apiVersion":"v1","kind":"Pod"})");
        expect(
            "failed to call webhook: no kind \"Pod\" is registered for version \"v1\" in scheme "
            "\"pkg/runtime/scheme.go:111\"");
    }
    SUBCASE("another version") {
        hook.api_version = "admission.k8s.io/v1beta1";
        expect(
            "failed to call webhook: converting (v1beta1.AdmissionReview) to (v1.AdmissionReview): unknown "
            "conversion");
    }
    SUBCASE("no such service") {
        how["clientConfig"] = {{"service", {{"namespace", "default"}, {"name", "nope"}, {"path", "/a"}}}};
        expect(
            "failed to call webhook: Post \"https://nope.default.svc:443/a?timeout=2s\": service \"nope\" not "
            "found");
    }
    SUBCASE("an authority that is none") {
        how["clientConfig"] = {{"url", "https://hook.default.svc/a"}, {"caBundle", "YQ=="}};
        expect("could not get REST client: unable to load root certificates: unable to parse bytes as PEM block");
    }
}

TEST_CASE("an answer that is for somebody else, a patch that is wrong, a dry run that would do something") {
    fixture f;
    json::object says = allow();
    scripted_webhook hook(f.world, "hook", [&says](const json::value&) { return says; });
    const std::string invalid =
        "Internal error occurred: failed calling webhook \"vmap.example.com\": received invalid webhook response: ";
    SUBCASE("another uid") {
        f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));
        hook.uid = "other";
        const auto refused = f.message(f.create("m"));
        CHECK(refused.find(invalid + "expected response.uid=") == 0);
        CHECK(refused.find("got \"other\"") != std::string::npos);
    }
    SUBCASE("a validating one that patches") {
        f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));
        says = patched(add_data("a", "b"));
        CHECK(f.message(f.create("m")) == invalid + "validating webhook may not return response.patch");
    }
    SUBCASE("a patch without its type") {
        f.configure(configuration("Mutating", "checks", {hook_of("vmap", "hook")}));
        says = patched(add_data("a", "b"));
        says.erase("patchType");
        CHECK(f.message(f.create("m")) == invalid + "webhook returned response.patch but not response.patchType");
    }
    SUBCASE("a patch that can't be applied") {
        f.configure(configuration("Mutating", "checks", {hook_of("vmap", "hook", {{"failurePolicy", "Ignore"}})}));
        says = patched(json::array{{{"op", "replace"}, {"path", "/spec/none"}, {"value", 1}}});
        const auto refused = f.create("m");
        CHECK(refused.status == 500);  // its own fault: no failure policy helps
        CHECK(f.message(refused).find("Internal error occurred: ") == 0);
    }
    SUBCASE("a patch that is none") {
        f.configure(configuration("Mutating", "checks", {hook_of("vmap", "hook")}));
        says = patched(json::object{{"op", "x"}});
        CHECK(f.message(f.create("m")) ==
              "Internal error occurred: failed calling webhook \"vmap.example.com\": received undecodable patch in "
              "webhook response: json: cannot unmarshal object into Go value of type jsonpatch.Patch");
    }
    SUBCASE("dry run") {
        f.configure(
            configuration("Validating", "checks", {hook_of("vmap", "hook", {{"sideEffects", "NoneOnDryRun"}})}));
        CHECK(f.create("m", {}, "?dryRun=All").status == 201);
        CHECK(hook.asked.back().at("dryRun") == true);
        CHECK(f.server.api().list({"", "configmaps"}).empty());
    }
    SUBCASE("warnings") {
        f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));
        says["warnings"] = {"this is old", "and \"quoted\""};
        const auto made = f.create("m");
        std::vector<std::string> seen;
        for (const auto& [name, value] : made.headers) {
            if (name == "Warning") seen.push_back(value);
        }
        CHECK(seen == std::vector<std::string>{"299 - \"this is old\"", "299 - \"and \\\"quoted\\\"\""});
    }
}

TEST_CASE("a configuration that can't be meant is refused, and so are conditions beyond this server's CEL") {
    fixture f;
    const auto problem = [&f](json::object more) {
        const auto refused = f.ask("POST", "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations",
                                   configuration("Validating", "checks", {hook_of("vmap", "hook", std::move(more))}));
        CHECK(refused.status == 422);
        return f.message(refused);
    };
    CHECK(problem({{"matchConditions",
                    json::array{{{"name", "a"}, {"expression", "authorizer.group('').check('get').allowed()"}}}}})
              .find("webhooks[0].matchConditions[0].expression: Invalid value: ") != std::string::npos);
    CHECK(
        problem({{"sideEffects", "Some"}})
            .find(R"(webhooks[0].sideEffects: Unsupported value: "Some": supported values: "None", "NoneOnDryRun")") !=
        std::string::npos);
    CHECK(problem({{"name", "short"}}).find("at least three segments") != std::string::npos);
    CHECK(problem({{"timeoutSeconds", 31}}).find("must be between 1 and 30 seconds") != std::string::npos);
    CHECK(problem({{"admissionReviewVersions", json::array{"v7"}}}).find("must include at least one of v1, v1beta1") !=
          std::string::npos);
}

TEST_CASE("a configuration is refused, too, where a patch makes it one that can't be meant") {
    fixture f;
    const std::string checks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/checks";
    const std::string json_patch = "application/json-patch+json";
    f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));
    const auto check_refused = [](const http::response& answer, const std::string& problem) {
        CHECK(answer.status == 422);
        CHECK_MESSAGE(fixture::message(answer).find(problem) != std::string::npos, answer.body);
    };
    const std::string effects = R"([{"op":"replace","path":"/webhooks/0/sideEffects","value":")";
    check_refused(f.send("PATCH", checks, effects + "Some\"}]", json_patch),
                  R"(webhooks[0].sideEffects: Unsupported value: "Some")");
    const std::string conditions = R"x([{"op":"add","path":"/webhooks/0/matchConditions",
        "value":[{"name":"a","expression":"f()"}]}])x";
    check_refused(f.send("PATCH", checks, conditions, json_patch),
                  R"x(webhooks[0].matchConditions[0].expression: Invalid value: "f()": )x");
    check_refused(f.ask("PATCH", checks + "?fieldManager=me&force=true",
                        configuration("Validating", "checks", {hook_of("vmap", "hook", {{"timeoutSeconds", 31}})}),
                        "application/apply-patch+yaml"),
                  "webhooks[0].timeoutSeconds: Invalid value: 31: ");
    CHECK(f.send("PATCH", checks, effects + "NoneOnDryRun\"}]", json_patch).status == 200);
}

TEST_CASE("a condition that can't be parsed, which only a test can write, stops the write") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value&) { return allow(); });
    f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));
    json::object broken;
    broken["webhooks"] = json::array(
        {hook_of("vmap", "hook", {{"matchConditions", json::array{{{"name", "a"}, {"expression", "f()"}}}}})});
    REQUIRE(f.server.api().patch({"admissionregistration.k8s.io", "validatingwebhookconfigurations"}, {"", "checks"},
                                 json::value(broken)));
    const auto refused = f.create("m");
    CHECK(refused.status == 403);
    CHECK(f.message(refused).find("1:1: kcontrol's CEL does not know f()") != std::string::npos);
    CHECK(hook.asked.empty());
}

TEST_CASE("writes that overtake one another while webhooks are asked lose nothing") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value&) { return allow(); });
    f.configure(configuration("Validating", "checks", {hook_of("vmap", "hook")}));
    f.world.network().set_latency(hook.host(), 10ms, 50ms);
    REQUIRE(f.create("m").status == 201);
    int done = 0;
    const auto write = [&f, &done](int i) -> awaitable<void> {
        http::request request;
        request.method = "PATCH";
        request.target = f.maps + "/m";
        request.headers.set("Content-Type", "application/merge-patch+json");
        request.body = R"({"data":{"k)" + std::to_string(i) + R"(":"v"}})";
        const http::exchange_options bounds;
        const auto answer = co_await f.way->round_trip(std::move(request), bounds);
        if (answer && answer->status == 200) ++done;
    };
    for (int i = 0; i < 3; ++i) {
        boost::asio::co_spawn(f.world.get_executor(), write(i), boost::asio::detached);
    }
    CHECK(f.world.run_until([&done] { return done == 3; }));
    CHECK(f.server.api().get({"", "configmaps"}, {"default", "m"}).value().at("data").as_object().size() == 3);
}

TEST_CASE("scales and evictions are admitted as what they are") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value& request) {
        return json::get_string(request, {"kind", "kind"}) == "Scale" &&
                       request.at("object").at("spec").at("replicas") == 5
                   ? deny("too many")
                   : allow();
    });
    f.configure(configuration("Validating", "checks",
                              {hook_of("scale", "hook",
                                       {{"rules", json::array{{{"operations", {"UPDATE"}},
                                                               {"apiGroups", {"apps"}},
                                                               {"apiVersions", {"v1"}},
                                                               {"resources", {"*/scale"}}}}}})}));
    const json::value labels{{"app", "web"}};
    REQUIRE(f.server.api().create({{"apiVersion", "apps/v1"},
                                   {"kind", "Deployment"},
                                   {"metadata", {{"name", "web"}}},
                                   {"spec",
                                    {{"replicas", 1},
                                     {"selector", {{"matchLabels", labels}}},
                                     {"template",
                                      {{"metadata", {{"labels", labels}}},
                                       {"spec", {{"containers", json::array{{{"name", "a"}, {"image", "b"}}}}}}}}}}}));
    const std::string scale = "/apis/apps/v1/namespaces/default/deployments/web/scale";
    CHECK(f.ask("PATCH", scale, {{"spec", {{"replicas", 3}}}}, "application/merge-patch+json").status == 200);
    REQUIRE(hook.asked.size() == 1);
    CHECK(hook.asked[0].at("subResource") == "scale");
    CHECK(hook.asked[0].at("kind") == json::value{{"group", "autoscaling"}, {"version", "v1"}, {"kind", "Scale"}});
    CHECK(hook.asked[0].at("oldObject").at("spec").at("replicas") == 1);
    const auto refused = f.ask("PATCH", scale, {{"spec", {{"replicas", 5}}}}, "application/merge-patch+json");
    CHECK(refused.status == 403);
    CHECK(f.message(refused) == "admission webhook \"scale.example.com\" denied the request: too many");
}

TEST_CASE("a Binding that is posted to its collection is admitted as one") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value& request) {
        CHECK(json::get_string(request, {"kind", "kind"}) == "Binding");
        CHECK(json::get_string(request, {"resource", "resource"}) == "bindings");
        CHECK(json::get_string(request, {"subResource"}).empty());
        CHECK(json::get_string(request, {"name"}) == "web");
        return json::get_string(request, {"object", "target", "name"}) == "full" ? deny("it is full") : allow();
    });
    f.configure(configuration("Validating", "checks",
                              {hook_of("bindings", "hook",
                                       {{"rules", json::array{{{"operations", {"CREATE"}},
                                                               {"apiGroups", {""}},
                                                               {"apiVersions", {"v1"}},
                                                               {"resources", {"bindings"}}}}}})}));
    REQUIRE(f.server.api().create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},
        "spec":{"containers":[{"name":"a","image":"b"}]}})")
                                      .value()));
    const auto bind = [&f](const char* node) {
        return f.ask("POST", "/api/v1/namespaces/default/bindings",
                     {{"metadata", {{"name", "web"}}}, {"target", {{"kind", "Node"}, {"name", node}}}});
    };
    const auto refused = bind("full");
    CHECK(refused.status == 403);
    CHECK(f.message(refused) == "admission webhook \"bindings.example.com\" denied the request: it is full");
    CHECK(bind("n1").status == 201);
    CHECK(hook.asked.size() == 2);
    const json::value pod = f.server.api().get({"", "pods"}, {"default", "web"}).value();
    CHECK(json::get_string(pod, {"spec", "nodeName"}) == "n1");
}

TEST_CASE("what comes in YAML is admitted like what comes in JSON") {
    fixture f;
    scripted_webhook hook(f.world, "hook", [](const json::value& request) {
        if (json::get_string(request, {"subResource"}) == "eviction") return deny("it stays");
        return json::get_string(request, {"operation"}) == "DELETE" ? deny("kept") : allow();
    });
    scripted_webhook elsewhere(f.world, "elsewhere", [](const json::value&) {
        return patched(json::array{{{"op", "replace"}, {"path", "/target/name"}, {"value", "n2"}}});
    });
    const auto about = [](const char* operation, const char* resource) {
        return json::object{{"rules", json::array{{{"operations", json::array{operation}},
                                                   {"apiGroups", json::array{""}},
                                                   {"apiVersions", json::array{"v1"}},
                                                   {"resources", json::array{resource}}}}}};
    };
    f.configure(configuration("Validating", "checks",
                              {hook_of("evictions", "hook", about("CREATE", "pods/eviction")),
                               hook_of("deletions", "hook", about("DELETE", "configmaps"))}));
    f.configure(configuration("Mutating", "moves", {hook_of("moves", "elsewhere", about("CREATE", "pods/binding"))}));
    const std::string yaml = "application/yaml", web = "/api/v1/namespaces/default/pods/web";
    REQUIRE(f.server.api().create(json::parse(R"({"apiVersion":"v1","kind":"Pod","metadata":{"name":"web"},
        "spec":{"containers":[{"name":"a","image":"b"}]}})")
                                      .value()));

    const auto evicted =
        f.send("POST", web + "/eviction", "apiVersion: policy/v1\nkind: Eviction\nmetadata:\n  name: web\n", yaml);
    CHECK(evicted.status == 403);
    CHECK(f.message(evicted) == "admission webhook \"evictions.example.com\" denied the request: it stays");

    const auto bound =
        f.send("POST", web + "/binding",
               "apiVersion: v1\nkind: Binding\nmetadata:\n  name: web\ntarget:\n  kind: Node\n  name: n1\n", yaml);
    CHECK_MESSAGE(bound.status == 201, bound.body);
    const json::value pod = f.server.api().get({"", "pods"}, {"default", "web"}).value();
    CHECK(json::get_string(pod, {"spec", "nodeName"}) == "n2");

    REQUIRE(f.create("m").status == 201);
    CHECK(f.send("DELETE", f.maps + "/m", "propagationPolicy: Orphan\n", yaml).status == 403);
    CHECK(json::get_string(hook.asked.back(), {"options", "propagationPolicy"}) == "Orphan");
}
