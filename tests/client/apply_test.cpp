#include <kcontrol/client/async.hpp>
#include <kcontrol/codec/codec.hpp>

#include "fixture.hpp"

using namespace kcontrol;
using namespace kcontrol::test;

namespace {

struct gadget_status {
    std::optional<std::string> phase;
    static constexpr auto kcontrol_fields() { return fields(field("phase", &gadget_status::phase)); }
};

struct gadget_spec {
    std::optional<std::int32_t> size;
    std::optional<bool> on;
    std::vector<std::string> parts;
    static constexpr auto kcontrol_fields() {
        return fields(field("size", &gadget_spec::size), field("on", &gadget_spec::on),
                      field("parts", &gadget_spec::parts));
    }
};

struct gadget {
    static constexpr resource_name kcontrol_resource{"example.com", "v1", "Gadget", "gadgets"};
    using kcontrol_projection = void;
    object_meta metadata;
    std::optional<gadget_spec> spec;
    std::optional<gadget_status> status;
    static constexpr auto kcontrol_fields() {
        return fields(field("spec", &gadget::spec), field("status", &gadget::status));
    }
};

const std::string path = "PATCH /apis/example.com/v1/namespaces/default/gadgets/g";
constexpr const char* media_type = "application/apply-patch+yaml";
constexpr const char* answer =
    R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g","namespace":"default","uid":"u",)"
    R"("resourceVersion":"6"},"spec":{"size":3}})";

gadget a_gadget() {
    gadget out;
    out.metadata.name = "g";
    out.metadata.namespace_ = "default";
    return out;
}

std::string conflict_json(const std::string& causes) {
    return R"({"kind":"Status","apiVersion":"v1","status":"Failure","reason":"Conflict","code":409,)"
           R"("message":"Apply failed with 1 conflict: …","details":{"causes":[)" +
           causes + "]}}";
}

std::string cause(const std::string& manager, const std::string& field) {
    return R"({"reason":"FieldManagerConflict","message":"conflict with \")" + manager + R"(\" using v1","field":")" +
           field + R"("})";
}

}  // namespace

TEST_CASE_FIXTURE(client_fixture, "apply sends the fields that are set, and nothing that the server sets") {
    client c = connect();
    gadget object = a_gadget();
    object.metadata.uid = "u";
    object.metadata.resource_version = "5";
    object.metadata.generation = 4;
    object.metadata.generate_name = "g-";
    object.metadata.labels["app"] = "x";
    object.metadata.finalizers.push_back("example.com/f");
    object.spec.emplace();
    object.spec->size = 0;
    net->expect(path + "?fieldManager=me")
        .with_header("Content-Type", media_type)
        .with_body(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g",)"
                   R"("namespace":"default","labels":{"app":"x"},"finalizers":["example.com/f"]},"spec":{"size":0}})")
        .reply(200, answer);
    const auto applied = await(c.apply(object, apply_options("me")));
    REQUIRE(applied.has_value());
    CHECK(applied->spec->size == 3);
    CHECK(applied->metadata.resource_version == "6");

    net->expect(path + "?fieldManager=me%20too&force=true&dryRun=All").reply(201, answer);
    CHECK(await(c.apply(object, apply_options("me too").force().dry_run())).has_value());

    net->expect(path + "?fieldManager=me")
        .with_body(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g","namespace":"default",)"
                   R"("uid":"u","resourceVersion":"5"}})")
        .reply(200, answer);
    CHECK(await(c.apply(a_gadget(), apply_options("me").precondition_uid("u").precondition_resource_version("5")))
              .has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "apply to the status sends the status alone") {
    client c = connect();
    gadget object = a_gadget();
    object.metadata.labels["app"] = "x";
    object.spec.emplace();
    object.spec->on = true;
    object.status.emplace();
    object.status->phase = "Ready";
    net->expect(path + "/status?fieldManager=me")
        .with_body(R"({"apiVersion":"example.com/v1","kind":"Gadget","metadata":{"name":"g","namespace":"default"},)"
                   R"("status":{"phase":"Ready"}})")
        .reply(200, answer);
    CHECK(await(c.apply(object, apply_options("me").subresource("status"))).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a JSON text is completed, or refused if it is about something else") {
    client c = connect();
    const resource_info& info = resource_of<gadget>();
    const auto apply = [&](std::string text) {
        return await(c.apply(info, {"default", "g"}, std::move(text), apply_options("me")));
    };
    net->expect(path + "?fieldManager=me")
        .with_body(R"({"spec":{"size":3,"unknown":null},"apiVersion":"example.com/v1","kind":"Gadget",)"
                   R"("metadata":{"name":"g","namespace":"default"}})")
        .reply(200, answer);
    CHECK(apply(R"({"spec":{"size":3,"unknown":null}})").has_value());
    net->expect("PATCH /api/v1/nodes/n?fieldManager=me")
        .with_body(R"({"metadata":{"labels":{"a":"b"},"name":"n"},"apiVersion":"v1","kind":"Node"})")
        .reply(200, R"({"metadata":{"name":"n"}})");
    CHECK(await(c.apply(nodes(), {"", "n"}, R"({"metadata":{"labels":{"a":"b"}}})", apply_options("me"))).has_value());

    struct row {
        const char* text;
        errc code;
        const char* message;
    };
    const row table[] = {
        {R"({"kind":"Thing"})", errc::invalid_argument,
         "Gadget default/g: kind is \"Thing\", but the call is about \"Gadget\": leave it out, or make them agree"},
        {R"({"apiVersion":7})", errc::invalid_argument,
         "Gadget default/g: apiVersion is \"7\", but the call is about \"example.com/v1\": leave it out, or make them "
         "agree"},
        {R"({"metadata":{"name":"h"}})", errc::invalid_argument,
         "Gadget default/g: metadata.name is \"h\", but the call is about \"g\": leave it out, or make them agree"},
        {R"({"metadata":{"namespace":"other"}})", errc::invalid_argument,
         "Gadget default/g: metadata.namespace is \"other\", but the call is about \"default\": leave it out, or make "
         "them agree"},
        {R"({"metadata":{"managedFields":[]}})", errc::invalid_argument,
         "Gadget default/g: metadata.managedFields can't be applied: leave it out; the server keeps it"},
        {R"({"metadata":[]})", errc::invalid_argument, "Gadget default/g: metadata is not an object"},
        {"[]", errc::invalid_argument, "Gadget default/g: not a JSON object"},
        {"{", errc::decode_failed, nullptr},
    };
    for (const auto& r : table) {
        CAPTURE(r.text);
        const auto refused = apply(r.text);
        REQUIRE(!refused.has_value());
        CHECK(refused.error() == r.code);
        if (r.message != nullptr) CHECK(refused.error().message() == r.message);
    }
    CHECK(await(c.apply(info, {"", "g"}, "{}", apply_options("me"))).error() == errc::invalid_argument);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "an unusable field manager is refused before anything is sent") {
    client c = connect();
    for (const std::string& name : {std::string(), std::string(129, 'x'), std::string("a\nb"), std::string("a\x7f")}) {
        CAPTURE(name);
        CHECK(await(c.apply(a_gadget(), apply_options(name))).error() == errc::invalid_argument);
    }
    CHECK(net->sent().empty());
    net->expect(path + "?fieldManager=" + std::string(128, 'x')).reply(200, answer);
    CHECK(await(c.apply(a_gadget(), apply_options(std::string(128, 'x')))).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "a conflict names the fields, their managers and the remedy") {
    client c = connect();
    const auto apply = [&] { return await(c.apply(a_gadget(), apply_options("me"))).error(); };
    net->expect(path + "?fieldManager=me").reply(409, conflict_json(cause("kubectl", ".spec.size")));
    const auto one = apply();
    CHECK(one == condition::conflict);
    CHECK(one.message() ==
          "Gadget default/g: others own fields that are applied with another value: .spec.size (conflict with "
          "\"kubectl\" using v1); leave these fields out, or take them over with force()");
    REQUIRE(one.status() != nullptr);
    CHECK(one.status()->causes.at(0).field == ".spec.size");

    net->expect(path + "?fieldManager=me")
        .reply(409, conflict_json(cause("a", ".spec.size") + "," + cause("a", ".spec.on") + "," +
                                  cause("b", ".spec.parts")));
    CHECK(apply().message() ==
          "Gadget default/g: others own fields that are applied with another value: .spec.size, .spec.on (conflict "
          "with \"a\" using v1), .spec.parts (conflict with \"b\" using v1); leave these fields out, or take them over "
          "with force()");

    // A conflict of another kind keeps the server's words.
    net->expect(path + "?fieldManager=me")
        .reply(409, R"({"kind":"Status","code":409,"reason":"Conflict","message":"the object has been modified"})");
    const auto stale = apply();
    CHECK(stale == condition::conflict);
    CHECK(stale.message() == "the object has been modified");
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "an apply whose answer is lost is not repeated, one that the server refuses is") {
    client c = connect();
    net->expect(path + "?fieldManager=me").fail(errc::unknown_outcome);
    CHECK(await(c.apply(a_gadget(), apply_options("me"))).error() == errc::unknown_outcome);
    CHECK(net->sent().size() == 1);
    net->expect(path + "?fieldManager=me").reply(429, "{}").header("Retry-After", "1");
    net->expect(path + "?fieldManager=me").reply(200, answer);
    CHECK(await(c.apply(a_gadget(), apply_options("me"))).has_value());
    CHECK(net->sent().size() == 3);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(client_fixture, "apply with a callback") {
    client c = connect();
    net->expect(path + "?fieldManager=me").reply(200, answer);
    std::optional<result<gadget>> out;
    async_apply(c, a_gadget(), apply_options("me"), [&](result<gadget> r) { out.emplace(std::move(r)); });
    manual_environment::run_ready(context);
    REQUIRE(out.has_value());
    CHECK((*out)->spec->size == 3);
    CHECK(net->verify());
}
