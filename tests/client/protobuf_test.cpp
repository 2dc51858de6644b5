// A client that speaks Protocol Buffers before the in-process API server, which does so too, and before servers that do
// not. Each case of the first part runs in both encodings: nobody may see a difference.
#include <kcontrol/api/apps/v1.hpp>
#include <kcontrol/api/autoscaling/v1.hpp>
#include <kcontrol/api/core/v1.hpp>
#include <kcontrol/api/policy/v1.hpp>
#include <kcontrol/api/protobuf.hpp>
#include <kcontrol/client/blocking_client.hpp>
#include <kcontrol/client/object_pager.hpp>
#include <kcontrol/client/protobuf_encoding.hpp>
#include <kcontrol/client/subresource.hpp>
#include <kcontrol/client/wrap_transports.hpp>
#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>
#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/codec/protobuf_stream.hpp>
#include <kcontrol/testing/sim_world.hpp>

#include "client/config_map.hpp"
#include "fixture.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string>
#include <vector>

using namespace kcontrol;
using namespace kcontrol::test;
using api::core::v1::pod;

namespace {

const std::string protobuf(protobuf_media_type);

// What went over the wire: "GET Accept -> Content-Type".
struct wire_log {
    struct line {
        std::string method, accept, sent, answered;
    };
    std::vector<line> lines;
};

class logged_transport final : public http::transport {
public:
    logged_transport(std::shared_ptr<http::transport> below, wire_log& log) : below_(std::move(below)), log_(log) {}

    awaitable<result<http::opened_exchange>> open(http::request req, http::exchange_options options) override {
        auto line = line_of(req);
        auto answer = co_await below_->open(std::move(req), std::move(options));
        if (answer) note(std::move(line), *answer);
        co_return answer;
    }
    void close() override { below_->close(); }

private:
    static wire_log::line line_of(const http::request& req) {
        const auto header = [&](const char* name) { return std::string(req.headers.get(name)); };
        return {req.method, header("Accept"), header("Content-Type"), {}};
    }
    void note(wire_log::line line, const http::response_head& head) {
        line.answered = head.headers.get("Content-Type");
        log_.lines.push_back(std::move(line));
    }
    std::shared_ptr<http::transport> below_;
    wire_log& log_;
};

http::transport_factory logging(http::transport_factory below, wire_log& log) {
    return [below = std::move(below), &log](executor ex, const http::endpoint& to,
                                            const http::tls_options& tls) -> result<std::shared_ptr<http::transport>> {
        auto made = below(std::move(ex), to, tls);
        if (!made) return made.error();
        return std::shared_ptr<http::transport>(std::make_shared<logged_transport>(std::move(*made), log));
    };
}

struct stage {
    explicit stage(bool in_protobuf) {
        const auto factory = logging(world.network().factory(), wire);
        c = client::connect(world.env(), world.get_executor(), server.config(), factory).value();
        if (in_protobuf) c = c->with(client_options().encoding(protobuf_encoding()));
    }
    template <class T>
    T await(awaitable<T> work) {
        return world.run(std::move(work));
    }
    pod make(const std::string& name) {
        auto wanted = from_json<pod>(R"({"metadata":{"name":")" + name + R"(","namespace":"default",
            "labels":{"app":"web"}},"spec":{"containers":[{"name":"main","image":"example.org/web:1",
            "env":[{"name":"A"},{"name":"B","value":"b"}],"resources":{"limits":{"cpu":"100m"}},
            "livenessProbe":{"httpGet":{"path":"/","port":"http"}}}],"hostNetwork":true}})");
        auto made = await(c->create(*wanted));
        REQUIRE(made.has_value());
        return *made;
    }

    testing::sim_world world;
    testing::sim_server& server = world.add_server("cluster");
    wire_log wire;
    std::optional<client> c;
};

std::string next_event(stage& s, object_watch<pod>& watched) {
    const auto event = s.await(watched.next({}));
    if (!event) return "error";
    if (event->type == watch_event_type::bookmark) return event->ends_initial ? "bookmark(end)" : "bookmark";
    if (event->type == watch_event_type::end) return "end";
    const char* type = event->type == watch_event_type::added     ? "+"
                       : event->type == watch_event_type::deleted ? "-"
                                                                  : "~";
    return type + std::string(event->object->metadata.name) + "=" + to_json(*event->object);
}

// Without what differs from run to run.
struct outcome_of_run {
    std::vector<std::string> seen;
    std::vector<wire_log::line> wire;
};

// A life of pods, and what the program has seen of it.
outcome_of_run live(bool in_protobuf) {
    stage s(in_protobuf);
    outcome_of_run out;
    const auto see = [&out](std::string text) { out.seen.push_back(std::move(text)); };
    pod made = s.make("a");
    see(to_json(made));
    s.make("b");
    see(to_json(*s.await(s.c->get<pod>({"default", "a"}))));
    made.metadata.labels.insert_or_assign("app", "db");
    const auto updated = s.await(s.c->update(made));
    see(to_json(*updated));
    see(s.await(s.c->update(made)).error().what());  // a stale version
    see(s.await(s.c->get<pod>({"default", "none"})).error().what());
    see(s.await(s.c->create(made)).error().what());
    pod edited = *updated;
    edited.metadata.labels.insert_or_assign("more", "yes");
    see(to_json(*s.await(s.c->patch(*updated, edited))));
    const auto listed = s.await(s.c->list<pod>(list_options().in_namespace("default")));
    for (const auto& one : *listed) see(to_json(*one));
    const auto page = s.await(s.c->list_page<pod>(list_options().in_namespace("default").limit(1)));
    see(page->resource_version + " " + std::to_string(page->remaining.value_or(-1)) + " " +
        (page->continue_token.empty() ? "last" : "more"));
    see(std::to_string(
        s.await(object_pager<pod>(*s.c, list_options().in_namespace("default").limit(1)).all())->items.size()));

    auto watched = s.await(s.c->watch<pod>(watch_options().in_namespace("default").initial_events(true)));
    REQUIRE(watched.has_value());
    for (int i = 0; i < 3; ++i) see(next_event(s, *watched));
    const api::policy::v1::eviction evict;
    auto evictions = s.c->subresource<pod>("eviction");
    see(to_json(*s.await(evictions.create<api::policy::v1::eviction>({"default", "b"}, evict))));
    see(next_event(s, *watched));
    see(s.await(s.c->delete_<pod>({"default", "a"})).has_value() ? "deleted" : "kept");
    see(next_event(s, *watched));
    const auto heads = s.await(s.c->list_page(metadata_resource_of<pod>(), list_options().in_namespace("default")));
    see(std::to_string(heads->items.size()));
    out.wire = s.wire.lines;
    return out;
}

// The methods of what was answered so.
std::string answered(const outcome_of_run& of, const std::string& type) {
    std::string out;
    for (const auto& line : of.wire) {
        if (line.answered.starts_with(type)) out += line.method + " ";
    }
    return out;
}

}  // namespace

TEST_CASE("protobuf client: verbs, lists, watches and errors are as with JSON") {
    const auto as_json = live(false);
    const auto as_protobuf = live(true);
    REQUIRE(as_protobuf.seen.size() == as_json.seen.size());
    for (std::size_t i = 0; i < as_json.seen.size(); ++i) CHECK(as_protobuf.seen[i] == as_json.seen[i]);
    CHECK(answered(as_json, protobuf).empty());
    CHECK(answered(as_protobuf, protobuf) == "POST POST GET PUT PUT GET POST GET GET GET GET GET GET ");
    // An Eviction holds DeleteOptions, whose apiVersion and kind only JSON can say.
    CHECK(answered(as_protobuf, "application/json") == "PATCH POST DELETE ");
    CHECK(as_protobuf.wire.front().sent == protobuf);
    CHECK(as_protobuf.wire.front().accept == protobuf + ",application/json");
}

TEST_CASE("protobuf client: what stays JSON, and metadata of any kind") {
    stage s(true);
    s.make("a");
    const auto answered = [&s] { return s.wire.lines.back().answered; };
    SUBCASE("a dynamic object") {
        const auto dynamic = dynamic_resource({"", "v1", "Pod"}, "pods");
        REQUIRE(s.await(s.c->get(dynamic, {"default", "a"}, {})).has_value());
        CHECK(answered() == "application/json");
    }
    SUBCASE("metadata alone") {
        const auto& heads = metadata_resource_of<pod>();
        const auto head = s.await(s.c->get(heads, {"default", "a"}, {}));
        REQUIRE(head.has_value());
        CHECK(head->meta().name == "a");
        CHECK(answered() == protobuf);
        const auto page = s.await(s.c->list_page(heads, list_options().in_namespace("default")));
        REQUIRE(page.has_value());
        REQUIRE(page->items.size() == 1);
        CHECK(page->items[0].meta().name == "a");
        CHECK(answered() == protobuf);
        CHECK(s.wire.lines.back().accept.find(";as=PartialObjectMetadataList;") != std::string::npos);
    }
    SUBCASE("a type that is no block is read through JSON") {
        (void)s.server.api()
            .create({{"apiVersion", "v1"},
                     {"kind", "ConfigMap"},
                     {"metadata", {{"name", "m"}, {"namespace", "default"}}},
                     {"data", {{"k", "v"}}}})
            .value();
        const auto map = s.await(s.c->get<test::config_map>({"default", "m"}));
        REQUIRE(map.has_value());
        CHECK(map->data.at("k") == "v");
        CHECK(answered() == protobuf);
    }
}

namespace {

// The pod of a newer Kubernetes.
struct newer_spec {
    text host_name;
    text something_new;
    static constexpr auto kcontrol_fields() {
        return fields(field("hostname", &newer_spec::host_name), field("somethingNew", &newer_spec::something_new));
    }
};
struct newer_pod {
    static constexpr resource_name kcontrol_resource{"", "v1", "Pod", "pods"};
    object_meta metadata;
    newer_spec spec;
    static constexpr auto kcontrol_fields() { return fields(field("spec", &newer_pod::spec)); }
};

// A client over a script, that speaks Protocol Buffers.
class protobuf_fixture : public client_fixture {
public:
    client connect() {
        return client::connect(env, context.get_executor(), config, net->factory(), log)
            .value()
            .with(client_options().encoding(protobuf_encoding()));
    }
    std::string accept() const { return std::string(net->sent().back().headers.get("Accept")); }
    std::size_t told() const {
        return static_cast<std::size_t>(std::count_if(logged.begin(), logged.end(), [](const auto& line) {
            return line.find("does not have the encoding") != std::string::npos;
        }));
    }
};

const std::string pods = "/api/v1/namespaces/default/pods";

std::string message_of(const std::string& json) {
    json::document document;
    return json_to_protobuf(*api::find_protobuf("", "v1", "Pod"), document.parse(json).value()).value();
}

std::string enveloped(std::string_view kind, std::string_view message) {
    protobuf_envelope out;
    out.api_version = "v1";
    out.kind = kind;
    out.message = message;
    return close_protobuf(out);
}

std::string named(const std::string& name) {
    return R"({"metadata":{"name":")" + name + R"(","namespace":"default","uid":"u","resourceVersion":"7"}})";
}

// The message of a pod whose hostname (16) is no text; all of its metadata is right.
std::string broken_pod(const std::string& name) {
    std::string out = message_of(named(name));
    const std::string spec = "\x82\x01\x02\xff\xfe";
    return out + "\x12" + static_cast<char>(spec.size()) + spec;
}

std::string list_of(const std::vector<std::string>& messages) {
    std::string metadata =
        "\x12\x01"
        "9";
    std::string list;
    append_protobuf_member(list, 1, metadata);
    for (const auto& each : messages) append_protobuf_member(list, 2, each);
    return enveloped("PodList", list);
}

}  // namespace

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: a type with a member more than the table is JSON") {
    client c = connect();
    net->expect("GET " + pods + "/a").with_header("Accept", "application/json").reply(200, named("a"));
    CHECK(await(c.get<newer_pod>({"default", "a"})).has_value());
    newer_pod wanted;
    wanted.metadata.name = "a";
    wanted.metadata.namespace_ = "default";
    wanted.spec.something_new = "kept";
    net->expect("PUT " + pods + "/a").with_header("Content-Type", "application/json").reply(200, named("a"));
    CHECK(await(c.update(wanted)).has_value());
    CHECK(net->sent().back().body.find(R"("somethingNew":"kept")") != std::string::npos);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: who answers with JSON is remembered, and told once") {
    client c = connect();
    net->expect("GET " + pods + "/a").reply(200, named("a"));
    CHECK(await(c.get<pod>({"default", "a"})).has_value());
    CHECK(accept() == protobuf + ",application/json");
    CHECK(told() == 1);
    net->expect("GET " + pods + "/a").with_header("Accept", "application/json").reply(200, named("a"));
    CHECK(await(c.get<pod>({"default", "a"})).has_value());
    // Another kind is asked about anew; of it nobody is told.
    const std::string maps =
        R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})";
    net->expect("GET /api/v1/configmaps").with_header("Accept", protobuf + ",application/json").reply(200, maps);
    CHECK(await(c.list<api::core::v1::config_map>()).has_value());
    net->expect("GET /api/v1/configmaps").with_header("Accept", "application/json").reply(200, maps);
    CHECK(await(c.list<api::core::v1::config_map>()).has_value());
    CHECK(told() == 1);
    // A page of a proxy's is no answer of the server's.
    net->expect("GET /api/v1/nodes/n").reply(200, "<html>", "text/html");
    CHECK(await(c.get<api::core::v1::node>({"", "n"})).error() == errc::not_an_api_server);
    net->expect("GET /api/v1/nodes/n").with_header("Accept", protobuf + ",application/json").fail(errc::timeout);
    CHECK(await(c.get<api::core::v1::node>({"", "n"})).error() == errc::timeout);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: what is refused for its encoding is sent once more, as JSON") {
    client c = connect();
    const std::string status = R"({"kind":"Status","status":"Failure","reason":"UnsupportedMediaType","code":415})";
    const auto wanted = from_json<pod>(named("a"));
    net->expect("POST " + pods).with_header("Content-Type", protobuf).reply(415, status);
    net->expect("POST " + pods).with_header("Content-Type", "application/json").reply(201, named("a"));
    CHECK(await(c.create(*wanted)).has_value());
    net->expect("PUT " + pods + "/a").with_header("Content-Type", "application/json").reply(200, named("a"));
    CHECK(await(c.update(*wanted)).has_value());
    CHECK(told() == 1);
    net->expect("GET /api/v1/configmaps").reply(406, "no", "text/plain");
    net->expect("GET /api/v1/configmaps")
        .with_header("Accept", "application/json")
        .reply(200, R"({"kind":"ConfigMapList","apiVersion":"v1","metadata":{"resourceVersion":"1"},"items":[]})");
    CHECK(await(c.list<api::core::v1::config_map>()).has_value());
    net->expect("GET /api/v1/nodes/n").reply(406, "no", "text/plain");
    net->expect("GET /api/v1/nodes/n")
        .with_header("Accept", "application/json")
        .reply(200, R"({"metadata":{"name":"n"}})");
    CHECK(await(c.get<api::core::v1::node>({"", "n"})).has_value());
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(protobuf_fixture, "client_options::encoding: copies keep it until they get another one") {
    const client c = connect();
    const std::string wanted = protobuf + ",application/json";
    const auto reads = [this](client by, const std::string& accept) {
        net->expect("GET " + pods + "/a").with_header("Accept", accept).reply(200, named("a"));
        return await(by.get<pod>({"default", "a"})).has_value();
    };
    const client json = c.with(client_options().encoding(nullptr));
    CHECK(reads(json, "application/json"));
    CHECK(reads(json.with(client_options()), "application/json"));
    CHECK(reads(c.guarded([] { return result<duration>(std::chrono::minutes(1)); }), wanted));
    CHECK(told() == 1);
    // What its server does not have is known to all with that encoding, and to no other.
    CHECK(reads(c.with(client_options().user_agent("copy")), "application/json"));
    CHECK(reads(json.with(client_options().encoding(protobuf_encoding())), wanted));
    CHECK(told() == 2);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(protobuf_fixture,
                  "client_options::encoding: of a blocking client, whatever is around its transport") {
    std::vector<std::string> accepted;
    const auto look = [&](std::shared_ptr<http::transport> to, http::request req, http::exchange_options options) {
        accepted.emplace_back(req.headers.get("Accept"));
        return to->open(std::move(req), std::move(options));
    };
    const auto factory = wrap_transports(net->factory(), look);
    const auto b = blocking_client::connect(env, config, factory, log, client_options().encoding(protobuf_encoding()));
    REQUIRE(b.has_value());
    net->expect("GET " + pods + "/a").reply(200, enveloped("Pod", message_of(named("a"))), protobuf);
    const auto got = b->get<pod>({"default", "a"});
    REQUIRE(got.has_value());
    CHECK(got->metadata.name == "a");
    CHECK(accepted == std::vector<std::string>{protobuf + ",application/json"});
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: max_items ends a page that has no end") {
    client c = connect();
    const std::string list =
        list_of({message_of(named("a")), broken_pod("b"), message_of(named("c")), message_of(named("d"))});
    // Not whole, so that the bound counts before the end is looked at.
    net->expect("GET " + pods).reply(200, list.substr(0, list.size() - 1), protobuf);
    list_options options;
    options.in_namespace("default").max_items(2);
    const auto page = await(c.list_page<pod>(options));
    REQUIRE_FALSE(page.has_value());
    CHECK(page.error() == errc::limit_exceeded);
    CHECK_MESSAGE(page.error().message().find("max_items (2)") != std::string::npos, page.error().message());
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: a subresource gets the name of its object, in both encodings") {
    using api::autoscaling::v1::scale;
    client c = connect();
    auto scales = c.subresource<api::apps::v1::deployment>("scale");
    const std::string path = "/apis/apps/v1/namespaces/jobs/deployments/web/scale";
    scale wanted;
    wanted.spec.replicas = 7;
    const std::string status = R"({"kind":"Status","status":"Failure","reason":"UnsupportedMediaType","code":415})";
    net->expect("PUT " + path).with_header("Content-Type", protobuf).reply(415, status);
    net->expect("PUT " + path)
        .with_header("Content-Type", "application/json")
        .reply(200, R"({"kind":"Scale","apiVersion":"autoscaling/v1","metadata":{"name":"web"}})");
    CHECK(await(scales.update<scale>({"jobs", "web"}, wanted)).has_value());
    CHECK(net->sent()[1].body.find(R"("metadata":{"name":"web","namespace":"jobs"})") != std::string::npos);
    const auto body = open_protobuf(net->sent()[0].body);
    REQUIRE(body.has_value());
    CHECK(body->api_version == "autoscaling/v1");
    CHECK(body->kind == "Scale");
    const auto& message = *api::find_protobuf("autoscaling", "v1", "Scale");
    const auto sent = protobuf_kind_codec(resource_of<scale>(), message).decode(body->message);
    REQUIRE(sent.has_value());
    CHECK(sent->key() == namespaced_name("jobs", "web"));
    CHECK(sent->get<scale>().spec.replicas == 7);
    CHECK(net->verify());

    client other = connect();
    wanted.metadata.name = "api";
    const auto refused =
        await(other.subresource<api::apps::v1::deployment>("scale").update<scale>({"jobs", "web"}, wanted));
    REQUIRE_FALSE(refused.has_value());
    CHECK(refused.error().message() ==
          "Scale: metadata.name is \"api\", but the call is about \"web\": leave it out, or make them agree");
    CHECK(net->sent().size() == 2);
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: an object that the encoding can't hold is sent as JSON") {
    client c = connect();
    auto wanted = *from_json<pod>(named("a"));
    wanted.spec.containers.emplace_back();
    wanted.spec.containers.back().resources.limits.insert_or_assign("cpu", "much");
    net->expect("POST " + pods)
        .with_header("Content-Type", "application/json")
        .with_header("Accept", "application/json")
        .reply(422, R"({"kind":"Status","status":"Failure","reason":"Invalid","code":422})");
    CHECK(await(c.create(wanted)).error() == api_errc::invalid);
    CHECK(net->sent().back().body.find("\"cpu\":\"much\"") != std::string::npos);
    CHECK(told() == 0);
    // An object of another type, or none, is not sent.
    const any_object map(std::make_shared<const api::core::v1::config_map>());
    for (const auto& wrong : {map, any_object()}) {
        const auto refused = await(c.update(resource_of<pod>(), wrong, {}));
        REQUIRE_FALSE(refused.has_value());
        CHECK(refused.error() == errc::invalid_argument);
    }
    CHECK(net->sent().size() == 1);
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: a bad object in a list or a watch spoils no other") {
    client c = connect();
    const std::string list = list_of({message_of(named("a")), broken_pod("b"), message_of(named("c"))});
    net->expect("GET " + pods).reply(200, list, protobuf);
    const auto page = await(c.list_page<pod>(list_options().in_namespace("default")));
    REQUIRE(page.has_value());
    CHECK(page->resource_version == "9");
    REQUIRE(page->items.size() == 2);
    CHECK(page->items[1]->metadata.name == "c");
    REQUIRE(page->invalid.size() == 1);
    CHECK(page->invalid[0].describe() == "default/b");
    CHECK(page->invalid[0].why.what().find("spec.hostname: a string that is not UTF-8") != std::string::npos);

    const auto event = [](std::string_view type, std::string_view message) {
        return protobuf_watch_frame(type, enveloped("Pod", message));
    };
    const std::string status = enveloped("Status", std::string("\x12\x07"
                                                               "Failure"
                                                               "\x1a\x03"
                                                               "old"
                                                               "\x22\x07"
                                                               "Expired"
                                                               "\x30\x9a\x03"));
    const std::string bytes = event("ADDED", message_of(named("a"))) + event("NEW", "") +
                              event("MODIFIED", broken_pod("b")) + event("BOOKMARK", message_of(named(""))) +
                              protobuf_watch_frame("ERROR", status);
    net->expect("GET " + pods + "?*").reply(200, bytes, protobuf + ";stream=watch");
    const auto& kind = resource_of<pod>();
    auto watched = await(c.watch(kind, watch_options().in_namespace("default")));
    REQUIRE(watched.has_value());
    CHECK(await((*watched)->next({}))->object.meta().name == "a");
    const auto bad = await((*watched)->next({}));
    CHECK(bad->type == watch_event_type::modified);
    CHECK(bad->resource_version == "7");
    REQUIRE(bad->invalid != nullptr);
    CHECK(bad->invalid->describe() == "default/b");
    CHECK(await((*watched)->next({}))->type == watch_event_type::bookmark);
    const auto failed = await((*watched)->next({}));
    CHECK(failed->type == watch_event_type::error);
    CHECK(failed->failure == condition::expired);
    CHECK(await((*watched)->next({}))->type == watch_event_type::end);
    CHECK(net->verify());
}

TEST_CASE_FIXTURE(protobuf_fixture, "protobuf client: bytes that are no list, no event or no object are an error") {
    client c = connect();
    const std::string list = list_of({message_of(named("a"))});
    const auto asked = [&](const std::string& bytes) {
        net->expect("GET " + pods).reply(200, bytes, protobuf);
        return await(c.list_page<pod>(list_options().in_namespace("default")));
    };
    CHECK(asked(list.substr(0, list.size() - 3)).error() == errc::truncated);
    CHECK(asked("{}").error() == errc::decode_failed);
    CHECK(asked("").error() == errc::truncated);
    CHECK(asked(enveloped("NodeList", "")).error() == errc::decode_failed);
    net->expect("GET " + pods + "/a").reply(200, enveloped("Node", message_of(named("a"))), protobuf);
    CHECK(await(c.get<pod>({"default", "a"})).error() == errc::decode_failed);
    net->expect("GET " + pods + "/a").reply(200, "k8s", protobuf);
    CHECK(await(c.get<pod>({"default", "a"})).error() == errc::decode_failed);
    net->expect("GET " + pods + "?*").reply(200, std::string("\0\0\0\x05\x0a", 5), protobuf + ";stream=watch");
    auto watched = await(c.watch(resource_of<pod>(), watch_options().in_namespace("default")));
    REQUIRE(watched.has_value());
    CHECK(await((*watched)->next({})).error() == errc::truncated);
    CHECK(net->verify());
}
