// Clients that say something in each of their calls: dry runs, one namespace, a field owner, strict fields.
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/codec/metadata_object.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

const std::string object = std::string(widgets_path) + "/a";
constexpr const char* success = R"({"kind":"Status","status":"Success"})";
constexpr const char* empty_list = R"({"metadata":{},"items":[]})";

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "dry_running: each write is a dry run, reads are reads") {
    const client c = connect().dry_running();
    client dry = c;
    net->expect("GET " + object).reply(200, widget_json("a"));
    CHECK(await(dry.get(widgets(), {"default", "a"}, {})).has_value());
    net->expect(std::string("POST ") + widgets_path + "?dryRun=All").reply(201, widget_json("a"));
    CHECK(await(dry.create(widgets(), make_widget("default", "a"), write_options().dry_run(false))).has_value());
    net->expect("PUT " + object + "?dryRun=All").reply(200, widget_json("a"));
    CHECK(await(dry.update(widgets(), make_widget("default", "a"), {})).has_value());
    net->expect("PATCH " + object + "?dryRun=All").reply(200, widget_json("a"));
    CHECK(await(dry.patch(widgets(), {"default", "a"}, merge_patch_type, "{}", {})).has_value());
    net->expect("PATCH " + object + "?fieldManager=me&dryRun=All").reply(200, widget_json("a"));
    CHECK(await(dry.apply(widgets(), make_widget("default", "a"), apply_options("me"))).has_value());
    net->expect("DELETE " + object)
        .with_body(R"({"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]})")
        .reply(200, success);
    CHECK(await(dry.delete_(widgets(), {"default", "a"}, {})).has_value());
    net->expect("DELETE /apis/example.com/v1/widgets")
        .with_body(R"({"kind":"DeleteOptions","apiVersion":"v1","dryRun":["All"]})")
        .reply(200, success);
    CHECK(await(dry.delete_collection(widgets(), {}, {})).has_value());
    net->expect("PUT " + object + "/part?dryRun=All").reply(200, widget_json("a"));
    CHECK(await(dry.subresource(widgets(), "part").update(widgets(), {"default", "a"}, make_widget("", ""), {}))
              .has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "namespaced: what names no namespace is there, and what names another is refused") {
    client c = connect().namespaced("default");
    net->expect("GET " + object).reply(200, widget_json("a"));
    CHECK(await(c.get(widgets(), {"", "a"}, {})).has_value());
    net->expect(std::string("GET ") + widgets_path).reply(200, empty_list);
    CHECK(await(c.list_page(widgets(), {})).has_value());
    net->expect(std::string("GET ") + widgets_path + "?watch=true&*").stream({});
    CHECK(await(c.watch(widgets(), {})).has_value());
    net->expect(std::string("POST ") + widgets_path).reply(201, widget_json("a"));
    CHECK(await(c.create(widgets(), make_widget("", "a"), {})).has_value());
    net->expect("PUT " + object).reply(200, widget_json("a"));
    CHECK(await(c.update(widgets(), make_widget("", "a"), {})).has_value());
    net->expect("PATCH " + object).reply(200, widget_json("a"));
    CHECK(await(c.patch(widgets(), {"", "a"}, json_patch_type, "[]", {})).has_value());
    net->expect("PATCH " + object + "?fieldManager=me").reply(200, widget_json("a"));
    CHECK(await(c.apply(widgets(), {"", "a"}, "{}", apply_options("me"))).has_value());
    CHECK(net->sent().back().body.find(R"("namespace":"default")") != std::string::npos);
    net->expect("DELETE " + object).reply(200, success);
    CHECK(await(c.delete_(widgets(), {"", "a"}, {})).has_value());
    net->expect(std::string("DELETE ") + widgets_path).reply(200, success);
    CHECK(await(c.delete_collection(widgets(), {}, {})).has_value());
    net->expect("GET " + object + "/part").reply(200, widget_json("a"));
    CHECK(await(c.subresource(widgets(), "part").get(widgets(), {"", "a"}, {})).has_value());
    net->expect("GET /api/v1/nodes/n").reply(200, R"({"metadata":{"name":"n"}})");
    CHECK(await(c.get(nodes(), {"", "n"}, {})).has_value());
    CHECK(net->verify());

    const auto sent = net->sent().size();
    const auto other = await(c.get(widgets(), {"kube-system", "a"}, {}));
    REQUIRE(!other.has_value());
    CHECK(other.error() == errc::invalid_argument);
    CHECK(other.error().message() ==
          "this client is for the namespace \"default\", and the call is about \"kube-system\"");
    CHECK(await(c.list_page(widgets(), list_options().in_namespace("b"))).error() == errc::invalid_argument);
    CHECK(await(c.watch(widgets(), watch_options().in_namespace("b"))).error() == errc::invalid_argument);
    CHECK(await(c.create(widgets(), make_widget("b", "a"), {})).error() == errc::invalid_argument);
    CHECK(await(c.update(widgets(), make_widget("b", "a"), {})).error() == errc::invalid_argument);
    CHECK(await(c.patch(widgets(), {"b", "a"}, json_patch_type, "[]", {})).error() == errc::invalid_argument);
    CHECK(await(c.apply(widgets(), {"b", "a"}, "{}", apply_options("me"))).error() == errc::invalid_argument);
    CHECK(await(c.delete_(widgets(), {"b", "a"}, {})).error() == errc::invalid_argument);
    CHECK(await(c.delete_collection(widgets(), list_options().in_namespace("b"), {})).error() ==
          errc::invalid_argument);
    CHECK(await(c.subresource(widgets(), "part").get(widgets(), {"b", "a"}, {})).error() == errc::invalid_argument);
    CHECK(c.placed(widgets(), {"b", "a"}).error() == errc::invalid_argument);
    CHECK(*c.placed(widgets(), {"", "a"}) == namespaced_name("default", "a"));
    CHECK(net->sent().size() == sent);
}

TEST_CASE_FIXTURE(client_fixture, "with_field_owner, with_field_validation: of writes that say nothing else") {
    client c = connect().with_field_owner("me").with_field_validation(field_validation::strict);
    net->expect(std::string("POST ") + widgets_path + "?fieldManager=me&fieldValidation=Strict")
        .reply(201, widget_json("a"));
    CHECK(await(c.create(widgets(), make_widget("default", "a"), {})).has_value());
    net->expect("PUT " + object + "?fieldManager=you&fieldValidation=Ignore").reply(200, widget_json("a"));
    const auto otherwise = write_options().field_manager("you").field_validation(field_validation::ignore);
    CHECK(await(c.update(widgets(), make_widget("default", "a"), otherwise)).has_value());
    net->expect("PATCH " + object + "?fieldManager=me&fieldValidation=Strict").reply(200, widget_json("a"));
    CHECK(await(c.apply(widgets(), make_widget("default", "a"), apply_options(""))).has_value());
    net->expect("PATCH " + object + "?fieldManager=you&fieldValidation=Warn").reply(200, widget_json("a"));
    const auto warned = apply_options("you").field_validation(field_validation::warn);
    CHECK(await(c.apply(widgets(), make_widget("default", "a"), warned)).has_value());
    net->expect("DELETE " + object).reply(200, success);
    CHECK(await(c.delete_(widgets(), {"default", "a"}, {})).has_value());
    // A wrapper of a wrapper has both, and the client below it has neither.
    client dry = c.dry_running();
    net->expect("PUT " + object + "?fieldManager=me&dryRun=All&fieldValidation=Strict").reply(200, widget_json("a"));
    CHECK(await(dry.update(widgets(), make_widget("default", "a"), {})).has_value());
    net->expect("PUT " + object + "?fieldManager=me&fieldValidation=Strict").reply(200, widget_json("a"));
    CHECK(await(c.update(widgets(), make_widget("default", "a"), {})).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "delete_collection: one request, and what the server says it deleted") {
    client c = connect();
    net->expect(std::string("DELETE ") + widgets_path + "?labelSelector=a%3Db&fieldSelector=x%3Dy")
        .with_body(R"({"kind":"DeleteOptions","apiVersion":"v1","propagationPolicy":"Foreground"})")
        .with_header("Content-Type", "application/json")
        .with_header("Accept", "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json")
        .reply(200, R"({"kind":"PartialObjectMetadataList","apiVersion":"meta.k8s.io/v1","metadata":)"
                    R"({"resourceVersion":"9"},"items":[{"metadata":{"name":"a","uid":"u"}},)"
                    R"({"metadata":{"name":"b"},"spec":{"size":"no number"}}]})");
    auto which = list_options().in_namespace("default").label_selector("a=b").field_selector("x=y");
    const auto gone =
        await(c.delete_collection(widgets(), which, delete_options().propagation_policy(propagation::foreground)));
    REQUIRE(gone.has_value());
    REQUIRE(gone->items.size() == 2);
    CHECK(gone->items[0].get<metadata_object>().metadata.uid == "u");
    CHECK(gone->items[1].meta().name == "b");

    net->expect("DELETE /apis/example.com/v1/widgets").reply(200, success);
    CHECK(await(c.delete_collection(widgets(), {}, {}))->items.empty());
    net->expect("DELETE /apis/example.com/v1/widgets")
        .reply(200, R"({"kind":"Status","status":"Failure","code":403,"reason":"Forbidden"})");
    CHECK(await(c.delete_collection(widgets(), {}, {})).error() == api_errc::forbidden);
    net->expect("DELETE /apis/example.com/v1/widgets")
        .reply(405, R"({"kind":"Status","code":405,"reason":"MethodNotAllowed"})");
    CHECK(await(c.delete_collection(widgets(), {}, {})).error() == api_errc::method_not_allowed);
    net->expect("DELETE /apis/example.com/v1/widgets").reply(404, "404 page not found\n", "text/plain");
    CHECK(await(c.delete_collection(widgets(), {}, delete_options().ignore_not_found())).has_value());
    net->expect("DELETE /apis/example.com/v1/widgets").reply(200, R"({"kind":"Widget"})");
    CHECK(await(c.delete_collection(widgets(), {}, {})).error() == errc::decode_failed);
    CHECK(net->verify());

    const auto sent = net->sent().size();
    CHECK(await(c.delete_collection(widgets(), {}, delete_options().precondition_uid("u"))).error() ==
          errc::invalid_argument);
    CHECK(await(c.delete_collection(nodes(), list_options().in_namespace("default"), {})).error() ==
          errc::invalid_argument);
    CHECK(net->sent().size() == sent);
}
