#include <kcontrol/api/authorization/v1.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

std::string path_of(const char* method, const char* rest = "") {
    return std::string(method) + " " + widgets_path + rest;
}

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "get") {
    net->expect(path_of("GET", "/a")).reply(200, widget_json("a", "7", "3"));
    net->expect("GET /api/v1/nodes/n?resourceVersion=0").reply(200, R"({"metadata":{"name":"n"}})");
    client c = connect();
    const auto a = await(c.get(widgets(), {"default", "a"}, {}));
    REQUIRE(a.has_value());
    CHECK(a->as<widget>()->size == 3);
    CHECK(a->meta().resource_version == "7");
    CHECK(await(c.get(nodes(), {"", "n"}, get_options().resource_version("0"))).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "an answer that is not the object") {
    client c = connect();
    const auto get = [&] { return await(c.get(widgets(), {"default", "a"}, {})); };
    net->expect(path_of("GET", "/a")).reply(200, widget_json("a", "1", "\"three\""));
    const auto bad = get();
    REQUIRE(!bad.has_value());
    CHECK(bad.error() == errc::decode_failed);
    CHECK(bad.error().message() == "the server's answer: spec.size: expected an integer");
    net->expect(path_of("GET", "/a")).reply(200, "<!doctype html>", "text/html");
    CHECK(get().error() == errc::not_an_api_server);
    net->expect(path_of("GET", "/a")).stream({"{\"metadata\""}, stream_end::truncated);
    CHECK(get().error() == errc::truncated);
    net->expect(path_of("GET", "/a")).reply(200, "");
    CHECK(get().error() == errc::not_an_api_server);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "names that could change a path are refused before anything is sent") {
    client c = connect();
    const std::string long_name(10'000, 'x');
    for (const std::string& name : {std::string(), std::string("."), std::string(".."), std::string("a/b"),
                                    std::string("a%2fb"), std::string("a\r\nb"), std::string("a\0b", 3), long_name}) {
        CAPTURE(name);
        CHECK(await(c.get(widgets(), {"default", name}, {})).error() == errc::invalid_argument);
        CHECK(await(c.delete_(widgets(), {"default", name}, {})).error() == errc::invalid_argument);
        if (name.empty()) continue;
        CHECK(await(c.get(widgets(), {name, "a"}, {})).error() == errc::invalid_argument);
        CHECK(await(c.list_page(widgets(), list_options().in_namespace(name))).error() == errc::invalid_argument);
        CHECK(await(c.watch(widgets(), watch_options().in_namespace(name))).error() == errc::invalid_argument);
        CHECK(await(c.update(widgets(), make_widget("default", "a"), write_options().subresource(name))).error() ==
              errc::invalid_argument);
        CHECK(await(c.discover(name, "v1")).error() == errc::invalid_argument);
    }
    CHECK(await(c.get(widgets(), {"", "a"}, {})).error().message() == "Widget is namespaced: its namespace is missing");
    CHECK(await(c.get(nodes(), {"default", "n"}, {})).error() == errc::invalid_argument);
    CHECK(await(c.create(widgets(), make_widget("", "a"), {})).error() == errc::invalid_argument);
    CHECK(await(c.create(widgets(), make_widget("default", ""), {})).error() == errc::invalid_argument);
    CHECK(net->sent().empty());
    net->expect(path_of("GET", "/a%3Fb%23c%20d")).reply(200, widget_json("a"));
    CHECK(await(c.get(widgets(), {"default", "a?b#c d"}, {})).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "create, update and patch") {
    const std::string body = R"({"apiVersion":"example.com/v1","kind":"Widget","metadata":{"name":"a"}})";
    client c = connect();
    net->expect(path_of("POST"))
        .with_body(body)
        .with_header("Content-Type", "application/json")
        .reply(201, widget_json("a"));
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());

    net->expect(path_of("POST", "?fieldManager=me%20too&dryRun=All")).reply(201, widget_json("a"));
    CHECK(await(c.create(widgets(), make_widget("default", "a"), write_options().field_manager("me too").dry_run()))
              .has_value());

    const auto strict = write_options().field_validation(field_validation::strict);
    net->expect(path_of("POST", "?fieldValidation=Strict")).reply(201, widget_json("a"));
    CHECK(await(c.create(widgets(), make_widget("default", "a"), strict)).has_value());

    net->expect(path_of("PUT", "/a")).with_body(body).reply(200, widget_json("a"));
    CHECK(await(c.update(widgets(), make_widget("default", "a"), {})).has_value());

    net->expect(path_of("PUT", "/a/status")).reply(409, R"({"kind":"Status","code":409,"reason":"Conflict"})");
    CHECK(await(c.update(widgets(), make_widget("default", "a"), write_options().subresource("status"))).error() ==
          condition::conflict);

    for (const char* type : {json_patch_type, merge_patch_type, strategic_merge_patch_type}) {
        net->expect(path_of("PATCH", "/a?fieldManager=me"))
            .with_body("PATCH")
            .with_header("Content-Type", type)
            .reply(200, widget_json("a", "2"));
        const auto patched =
            await(c.patch(widgets(), {"default", "a"}, type, "PATCH", write_options().field_manager("me")));
        REQUIRE(patched.has_value());
        CHECK(patched->meta().resource_version == "2");
    }
    CHECK(await(c.patch(widgets(), {"default", "a"}, "text/plain", "{}", {})).error() == errc::invalid_argument);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "create with a generated name") {
    widget generated;
    generated.metadata.namespace_ = "default";
    generated.metadata.generate_name = "a-";
    net->expect(path_of("POST")).reply(201, widget_json("a-x7"));
    client c = connect();
    const auto created =
        await(c.create(widgets(), any_object(std::make_shared<const widget>(generated)), write_options()));
    REQUIRE(created.has_value());
    CHECK(created->meta().name == "a-x7");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "create of a review, which has no name") {
    net->expect("POST /apis/authorization.k8s.io/v1/selfsubjectaccessreviews")
        .reply(201, R"({"kind":"SelfSubjectAccessReview","metadata":{},"status":{"allowed":true}})");
    client c = connect();
    api::authorization::v1::self_subject_access_review asked;
    asked.spec.resource_attributes.edit().verb = "get";
    const auto answer = await(c.create(asked));
    REQUIRE(answer.has_value());
    CHECK(answer->status.allowed);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "delete") {
    struct row {
        delete_options options;
        const char* body;
    };
    const row table[] = {
        {{}, R"({"kind":"DeleteOptions","apiVersion":"v1"})"},
        {delete_options().grace_period(std::chrono::seconds(0)),
         R"({"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":0})"},
        {delete_options().propagation_policy(propagation::foreground),
         R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground"})"},
        {delete_options().propagation_policy(propagation::background),
         R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Background"})"},
        {delete_options().propagation_policy(propagation::orphan),
         R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Orphan"})"},
        {delete_options().precondition_uid("u").precondition_resource_version("5"),
         R"({"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":"u","resourceVersion":"5"}})"},
    };
    client c = connect();
    for (const auto& r : table) {
        CAPTURE(r.body);
        net->expect(path_of("DELETE", "/a")).with_body(r.body).reply(200, R"({"kind":"Status","status":"Success"})");
        CHECK(await(c.delete_(widgets(), {"default", "a"}, r.options)).has_value());
    }
    net->expect(path_of("DELETE", "/a")).reply(200, widget_json("a"));
    CHECK(await(c.delete_(widgets(), {"default", "a"}, {})).has_value());
    net->expect(path_of("DELETE", "/a")).reply(202, widget_json("a"));
    CHECK(await(c.delete_(widgets(), {"default", "a"}, {})).has_value());
    net->expect(path_of("DELETE", "/a")).reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
    CHECK(await(c.delete_(widgets(), {"default", "a"}, {})).error() == condition::not_found);
    const delete_options any = delete_options().ignore_not_found();
    net->expect(path_of("DELETE", "/a")).reply(404, R"({"kind":"Status","code":404,"reason":"NotFound"})");
    CHECK(await(c.delete_(widgets(), {"default", "a"}, any)).has_value());
    net->expect(path_of("DELETE", "/a")).reply(404, "404 page not found\n", "text/plain");  // no such kind
    CHECK(await(c.delete_(widgets(), {"default", "a"}, any)).has_value());
    net->expect(path_of("DELETE", "/a")).reply(403, R"({"kind":"Status","code":403,"reason":"Forbidden"})");
    const auto refused = await(c.delete_(widgets(), {"default", "a"}, any));
    REQUIRE(!refused.has_value());
    CHECK(refused.error() == api_errc::forbidden);
    net->expect(path_of("DELETE", "/a")).reply(200, "<html>", "text/html");
    CHECK(await(c.delete_(widgets(), {"default", "a"}, {})).error() == errc::not_an_api_server);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "discovery") {
    client c = connect();
    net->expect("GET /apis/kubeflow.org/v1").reply(200, R"({"kind":"APIResourceList","groupVersion":"kubeflow.org/v1",
        "resources":[{"name":"pytorchjobs","kind":"PyTorchJob","namespaced":true},
        {"name":"pytorchjobs/status","kind":"PyTorchJob","namespaced":true},{"name":"x"},"odd",
        {"name":"queues","kind":"Queue","namespaced":false}]})");
    const auto kinds = await(c.discover("kubeflow.org", "v1"));
    REQUIRE(kinds.has_value());
    REQUIRE(kinds->size() == 2);
    CHECK(kinds->at(0).gvk == group_version_kind("kubeflow.org", "v1", "PyTorchJob"));
    CHECK(kinds->at(0).plural == "pytorchjobs");
    CHECK(kinds->at(0).namespaced);
    CHECK(!kinds->at(1).namespaced);

    net->expect("GET /api/v1").reply(200, R"({"kind":"APIResourceList","resources":null})");
    CHECK(await(c.discover("", "v1"))->empty());
    net->expect("GET /apis/none/v1").reply(404, "404 page not found\n", "text/plain");
    CHECK(await(c.discover("none", "v1")).error() == condition::not_found);
    net->expect("GET /apis/odd/v1").reply(200, R"({"kind":"PodList","resources":[]})");
    CHECK(await(c.discover("odd", "v1")).error() == errc::decode_failed);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "the base path of the server stands before every path") {
    config.base_path("/k8s/clusters/c-1");
    net->expect("GET /k8s/clusters/c-1/api/v1/nodes/n").reply(200, R"({"metadata":{"name":"n"}})");
    net->expect("GET /k8s/clusters/c-1/api/v1/nodes").reply(200, R"({"metadata":{},"items":null})");
    net->expect("GET /k8s/clusters/c-1/api/v1").reply(200, R"({"kind":"APIResourceList","resources":[]})");
    client c = connect();
    CHECK(await(c.get(nodes(), {"", "n"}, {})).has_value());
    CHECK(await(c.list_page(nodes(), {})).has_value());
    CHECK(await(c.discover("", "v1")).has_value());
    CHECK(net->verify());
}
