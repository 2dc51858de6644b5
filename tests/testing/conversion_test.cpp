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

// v1 has spec.size, v2 the same as spec.dimensions.size, and v1 is kept.
constexpr const char* definition = R"({
  "apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition",
  "metadata": {"name": "widgets.example.com"},
  "spec": {"group": "example.com", "scope": "Namespaced", "names": {"plural": "widgets", "kind": "Widget"},
    "versions": [
      {"name": "v1", "served": true, "storage": true, "schema": {"openAPIV3Schema": {"type": "object",
        "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}}},
      {"name": "v2", "served": true, "storage": false, "schema": {"openAPIV3Schema": {"type": "object",
        "properties": {"spec": {"type": "object", "properties": {"dimensions": {"type": "object",
          "properties": {"size": {"type": "integer", "maximum": 100}}}}}}}}}],
    "conversion": {"strategy": "Webhook", "webhook": {"conversionReviewVersions": ["v1"],
      "clientConfig": {"service": {"namespace": "default", "name": "converter", "path": "/convert"}}}}}})";

json::value converted(const json::value& object, const std::string& wanted) {
    json::object out = object.as_object();
    out["apiVersion"] = wanted;
    json::object spec;
    if (wanted == "example.com/v2") {
        if (const json::value* size = json::find(object, {"spec", "size"})) spec["dimensions"] = {{"size", *size}};
    } else if (const json::value* size = json::find(object, {"spec", "dimensions", "size"})) {
        spec["size"] = *size;
    }
    out["spec"] = std::move(spec);
    return json::value(std::move(out));
}

struct fixture {
    sim_world world;
    sim_server& server = world.add_server("cluster", api_server_options().default_and_validate(true));
    std::shared_ptr<http::transport> way =
        world.network().factory()(world.get_executor(), http::endpoint("https", "cluster", 443), {}).value();
    std::function<void(json::object& response)> spoil;
    scripted_webhook hook{world, "converter", [this](const json::value& request) {
                              json::array all;
                              const std::string wanted(json::get_string(request, {"desiredAPIVersion"}));
                              for (const auto& one : request.at("objects").as_array()) {
                                  all.push_back(converted(one, wanted));
                              }
                              json::object out{{"result", {{"status", "Success"}}}, {"convertedObjects", all}};
                              if (spoil) spoil(out);
                              return out;
                          }};

    fixture() { REQUIRE(server.api().create(json::parse(definition).value())); }

    http::response ask(std::string method, std::string target, const json::value& body = {},
                       const std::string& type = "application/json") {
        http::request request;
        request.method = std::move(method);
        request.target = "/apis/example.com/" + std::move(target);
        request.headers.set("Content-Type", type);
        if (!body.is_null()) request.body = json::serialize(body);
        http::exchange_options bounds;
        bounds.deadline(2min);
        return world.run(way->round_trip(std::move(request), bounds)).value();
    }
    static json::value document(const http::response& answer) { return json::parse(answer.body).value(); }
    static std::string message(const http::response& answer) {
        return std::string(json::get_string(document(answer), {"message"}));
    }
    // A watch of ten seconds in v2; `text` gets all that it has said when it is over.
    void watch(std::string query, std::string& text) {
        boost::asio::co_spawn(
            world.get_executor(),
            [this, query = std::move(query), &text]() -> awaitable<void> {
                http::request request;
                request.method = "GET";
                request.target = "/apis/example.com/v2/namespaces/default/widgets?watch=true&timeoutSeconds=10" + query;
                const http::exchange_options bounds;
                const auto answer = co_await way->round_trip(std::move(request), bounds);
                if (answer) text = answer->body;
            },
            boost::asio::detached);
    }
    http::response make_v1(const std::string& name, int size) {
        return ask("POST", "v1/namespaces/default/widgets",
                   {{"apiVersion", "example.com/v1"},
                    {"kind", "Widget"},
                    {"metadata", {{"name", name}}},
                    {"spec", {{"size", size}}}});
    }
    http::response make_v2(const std::string& name, int size) {
        return ask("POST", "v2/namespaces/default/widgets",
                   {{"apiVersion", "example.com/v2"},
                    {"kind", "Widget"},
                    {"metadata", {{"name", name}}},
                    {"spec", {{"dimensions", {{"size", size}}}}}});
    }
};

}  // namespace

TEST_CASE("objects are kept in one version, and shown and written in each") {
    fixture f;
    REQUIRE(f.make_v1("a", 1).status == 201);
    CHECK(f.hook.asked.empty());  // it is kept as it came
    const auto made = f.make_v2("b", 2);
    REQUIRE_MESSAGE(made.status == 201, made.body);
    CHECK(f.document(made).at("apiVersion") == "example.com/v2");
    CHECK(f.document(made).at("spec") == json::value{{"dimensions", {{"size", 2}}}});
    CHECK(f.hook.asked.front().at("desiredAPIVersion") == "example.com/v1");
    CHECK(f.hook.targets.front() == "/convert?timeout=30s");

    const std::size_t before = f.hook.asked.size();
    CHECK(f.document(f.ask("GET", "v1/namespaces/default/widgets/b")).at("spec") == json::value{{"size", 2}});
    CHECK(f.hook.asked.size() == before);
    const auto list = f.document(f.ask("GET", "v2/namespaces/default/widgets"));
    REQUIRE(list.at("items").as_array().size() == 2);
    CHECK(list.at("items").at(0).at("apiVersion") == "example.com/v2");
    CHECK(list.at("items").at(0).at("spec") == json::value{{"dimensions", {{"size", 1}}}});

    const auto patched = f.ask("PATCH", "v2/namespaces/default/widgets/a", {{"spec", {{"dimensions", {{"size", 7}}}}}},
                               "application/merge-patch+json");
    CHECK_MESSAGE(patched.status == 200, patched.body);
    CHECK(f.document(f.ask("GET", "v1/namespaces/default/widgets/a")).at("spec") == json::value{{"size", 7}});
    // What nothing changes writes nothing.
    const auto version = f.server.api().resource_version();
    CHECK(f.ask("PATCH", "v2/namespaces/default/widgets/a", {{"spec", {{"dimensions", {{"size", 7}}}}}},
                "application/merge-patch+json")
              .status == 200);
    CHECK(f.server.api().resource_version() == version);
    // Each version has its own schema.
    CHECK(f.make_v2("big", 101).status == 422);
    CHECK(f.make_v1("big", 101).status == 201);
    CHECK(f.ask("DELETE", "v2/namespaces/default/widgets/big").status == 200);
}

TEST_CASE("a watch shows its version") {
    fixture f;
    REQUIRE(f.make_v1("a", 1).status == 201);
    std::string text;
    f.watch("", text);
    f.world.run_for(1s);
    REQUIRE(f.make_v1("b", 2).status == 201);
    REQUIRE(f.world.run_until([&text] { return !text.empty(); }));
    CHECK(text.find(R"("object":{"apiVersion":"example.com/v1")") == std::string::npos);
    CHECK(text.find(R"("spec":{"dimensions":{"size":1}})") != std::string::npos);
    CHECK(text.find(R"("spec":{"dimensions":{"size":2}})") != std::string::npos);
}

TEST_CASE("an object that a watch's selector no longer matches goes in the watch's version") {
    fixture f;
    const std::string a = "v1/namespaces/default/widgets/a", merge = "application/merge-patch+json";
    REQUIRE(f.make_v1("a", 1).status == 201);
    REQUIRE(f.ask("PATCH", a, {{"metadata", {{"labels", {{"on", "yes"}}}}}}, merge).status == 200);
    std::string text;
    f.watch("&labelSelector=on%3Dyes", text);
    f.world.run_for(1s);
    REQUIRE(f.ask("PATCH", a, {{"metadata", {{"labels", {{"on", "no"}}}}}}, merge).status == 200);
    REQUIRE(f.world.run_until([&text] { return !text.empty(); }));
    text.pop_back();  // the last line's end
    const json::value last = json::parse(text.substr(text.rfind('\n') + 1)).value();
    CHECK(last.at("type") == "DELETED");
    CHECK(last.at("object").at("apiVersion") == "example.com/v2");
    CHECK(last.at("object").at("spec") == json::value{{"dimensions", {{"size", 1}}}});
}

TEST_CASE("a conversion may change nothing but labels and annotations of the metadata, and what it breaks is told") {
    fixture f;
    REQUIRE(f.make_v1("a", 1).status == 201);
    const auto get = [&f] { return f.ask("GET", "v2/namespaces/default/widgets/a"); };
    const std::string said = "conversion webhook for example.com/v1, Kind=Widget ";
    const auto expect = [&](const std::string& problem) {
        const auto answer = get();
        CHECK(answer.status == 500);
        CHECK(f.message(answer) == said + problem);
    };
    SUBCASE("labels") {
        f.spoil = [](json::object& response) {
            json::object& metadata = response["convertedObjects"].at(0).at("metadata").as_object();
            metadata["labels"] = {{"from", "v1"}};
            metadata["finalizers"] = json::array{"mine.example.com/x"};
        };
        const auto shown = f.document(get());
        CHECK(shown.at("metadata").at("labels").at("from") == "v1");
        CHECK_FALSE(shown.at("metadata").as_object().contains("finalizers"));
    }
    SUBCASE("another name") {
        f.spoil = [](json::object& response) {
            response["convertedObjects"].at(0).at("metadata").as_object()["name"] = "z";
        };
        expect("returned invalid object: must have the same name: a != z");
    }
    SUBCASE("none") {
        f.spoil = [](json::object& response) { response["convertedObjects"] = json::array(); };
        expect("returned 0 objects, expected 1");
    }
    SUBCASE("a refusal") {
        f.spoil = [](json::object& response) { response["result"] = {{"status", "Failed"}, {"message", "no way"}}; };
        expect("failed: no way");
    }
    SUBCASE("nobody there") {
        f.world.network().set_link(f.hook.host(), link_state::refused);
        expect(
            "failed: Post \"https://converter.default.svc:443/convert?timeout=30s\": dial tcp "
            "converter.default.svc:443: connect: connection refused");
        CHECK(f.ask("GET", "v1/namespaces/default/widgets/a").status == 200);
    }
}

TEST_CASE("matchPolicy Equivalent: a webhook of one version sees the writes of another, in its own") {
    fixture f;
    scripted_webhook check(f.world, "check", [](const json::value& request) {
        CHECK(request.at("resource").at("version") == "v1");
        CHECK(request.at("kind").at("version") == "v1");
        CHECK(request.at("requestResource").at("version") == "v2");
        CHECK(request.at("object").at("apiVersion") == "example.com/v1");
        return patched(json::array{{{"op", "replace"}, {"path", "/spec/size"}, {"value", 50}}});
    });
    const auto rules = json::array{{{"operations", {"CREATE"}},
                                    {"apiGroups", {"example.com"}},
                                    {"apiVersions", {"v1"}},
                                    {"resources", {"widgets"}}}};
    SUBCASE("Equivalent, which is the default") {
        REQUIRE(
            f.server.api().create(configuration("Mutating", "sizes", {hook_of("size", "check", {{"rules", rules}})})));
        const auto made = f.make_v2("b", 2);
        CHECK_MESSAGE(made.status == 201, made.body);
        CHECK(f.document(made).at("spec") == json::value{{"dimensions", {{"size", 50}}}});
        CHECK(check.asked.size() == 1);
    }
    SUBCASE("Exact") {
        REQUIRE(f.server.api().create(configuration(
            "Mutating", "sizes", {hook_of("size", "check", {{"rules", rules}, {"matchPolicy", "Exact"}})})));
        CHECK(f.make_v2("b", 2).status == 201);
        CHECK(check.asked.empty());
    }
}
