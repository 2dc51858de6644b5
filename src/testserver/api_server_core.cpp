#include "testserver/api_server_core.hpp"

#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/documents/yaml.hpp>

#include "testserver/body_writer.hpp"
#include "testserver/discovery.hpp"
#include "testserver/openapi.hpp"
#include "testserver/protobuf_bodies.hpp"
#include "testserver/resource_version.hpp"
#include "testserver/responses.hpp"
#include "testserver/stored_object.hpp"
#include "testserver/timestamp.hpp"

#include <algorithm>

namespace kcontrol::inline v0_1::testing::detail {
namespace {}  // namespace

namespace {

char letter_of_verb(std::string_view verb) {
    if (verb == "deletecollection") return 'D';
    return verb.empty() ? ' ' : verb.front();
}

store_inputs inputs_from(environment& env) {
    store_inputs inputs;
    inputs.timestamp([&env] { return format_timestamp(env.wall_now()); }).random([&env] { return env.random(); });
    return inputs;
}

store_options store_options_of(const api_server_options& options) {
    store_options out = options.store();
    if (options.defaults_and_validates()) out.default_and_validate(true);
    if (options.lenient_cel()) out.lenient_cel(true);
    if (options.collects_garbage()) out.collects_garbage(true);
    return out;
}

}  // namespace

api_server_core::api_server_core(environment& e, api_server_options o)
    : env(e),
      options(std::move(o)),
      store(inputs_from(e), store_options_of(options)),
      webhooks_(options.webhook_transport(), options.webhook_services()) {
    for (auto& type : builtin_resource_types()) store.add_resource(std::move(type));
    const auto namespaces = store.table({"", "namespaces"});
    for (const std::string_view name : {"default", "kube-system"}) {
        json::object body;
        metadata_of(body)["name"] = name;
        static_cast<void>(store.create(*namespaces, write_target(), std::move(body)));
    }
    if (options.enforces_rbac()) add_first_roles(store);
    store.on_change([this](const resource_table& table, const store_event* event) { changed(table, event); });
}

namespace {

bool is_log(const request_info& info) {
    return info.is_resource && info.group.empty() && info.resource == "pods" && info.subresource == "log";
}

bool is_stream(const request_info& info) {
    if (!info.is_resource || !info.group.empty() || info.resource != "pods" || info.name.empty()) return false;
    return info.subresource == "exec" || info.subresource == "attach" || info.subresource == "portforward";
}

failure no_stream_of_yaml() {
    return failure(406, "NotAcceptable",
                   "only the following media types are accepted: application/json;stream=watch, "
                   "application/vnd.kubernetes.protobuf;stream=watch");
}

// A body of Protocol Buffers as the same in JSON, which is what all that follows reads.
outcome<void> read_as_json(http::server_request& request, bool available) {
    const std::string_view given = request.headers.get("Content-Type");
    if (!available || !given.starts_with(protobuf_media_type) || request.body.empty()) return {};
    auto text = json_of_protobuf(request.body);
    if (!text) return text.error();
    request.body = std::move(*text);
    request.headers.set("Content-Type", std::string(json_media_type));
    return {};
}

void show_as_protobuf(http::response& response) {
    auto bytes = protobuf_of_json(response.body);
    if (!bytes) return;  // a subresource of another kind
    response.body = std::move(*bytes);
    response.headers.set("Content-Type", std::string(protobuf_media_type));
}

// What was answered in JSON, for who prefers YAML.
void show_as_yaml(http::response& response) {
    const auto document = json::parse(response.body);
    if (!document) return;
    response.body = json::to_yaml(*document);
    response.headers.set("Content-Type", "application/yaml");
}

}  // namespace

awaitable<void> api_server_core::handle(http::server_request request, http::responder& out) {
    const auto keep_alive = shared_from_this();
    watch_job job;
    auto parsed = parse_request(request);
    if (parsed) job.info = std::move(*parsed);
    const std::uint64_t number = log.begin(request, job.info);
    if (faults) job.injected = faults(request);
    if (job.injected.delay() > duration::zero()) {
        const wake why = co_await sleep_for(env, job.injected.delay(), out.disconnected());
        if (why == wake::stopped) co_return;
    }
    if (job.injected.hangs()) {
        async_event never;
        co_await never.wait(env, out.disconnected());
        co_return;
    }
    if (job.injected.drops()) {
        out.abort();
        co_return;
    }
    http::response response;
    const auto user = identify(request);
    const auto table = store.table(job.info.id());
    const bool own_kind = table != nullptr ? !table->type().custom : answers_review(job.info);
    const accepted_forms accepted(request.headers.get("Accept"), own_kind);
    const bool yaml = prefers_yaml(accepted.in_json());
    const auto form = negotiate(accepted.in_json(), job.info.verb == "list" || job.info.verb == "watch");
    const auto readable = read_as_json(request, own_kind);
    job.protobuf = accepted.protobuf();
    if (user) log.set_user(number, user->name);
    if (job.injected.answer()) {
        response = *job.injected.answer();
    } else if (!parsed) {
        response = status_response(parsed.error());
    } else if (!user) {
        response = status_response(user.error());
    } else if (const auto allowed = authorize(*user, job.info); !allowed) {
        response = status_response(allowed.error());
    } else if (!job.info.is_resource) {
        response = answer_path(request, job.info);
    } else if (is_log(job.info)) {
        const int code = co_await serve_log(request, out, job);
        log.end(number, code);
        co_return;
    } else if (is_stream(job.info)) {
        const int code = co_await serve_stream(request, out, job, *user);
        log.end(number, code);
        co_return;
    } else if (!form) {
        response = status_response(form.error());
    } else if (!readable) {
        response = status_response(readable.error());
    } else if (job.info.verb == "watch" && yaml) {
        response = status_response(no_stream_of_yaml());
    } else if (job.info.verb == "watch") {
        job.form = *form;
        const int code = co_await start_watch(out, job);
        log.end(number, code);
        if (code == 200) co_await run_watch(out, job);
        co_return;
    } else {
        parsed_request asked(request, job.info, *user);
        asked.form = *form;
        asked.replica = job.injected.replica();
        response = co_await answer(asked);
    }
    log.end(number, response.status);
    if (job.injected.drops_response()) {
        out.abort();
        co_return;
    }
    const bool shows_resource = job.info.is_resource && !job.injected.answer();
    if (job.protobuf && shows_resource && response.headers.get("Content-Type") == json_media_type) {
        show_as_protobuf(response);
    }
    if (yaml && shows_resource && response.headers.get("Content-Type") == json_media_type) show_as_yaml(response);
    response.headers.set("Cache-Control", "no-cache, private");
    co_await send_answer(env, out, std::move(response), job.injected);
}

http::response api_server_core::answer_path(const http::server_request& request, const request_info& info) const {
    if (request.method != "GET" && request.method != "HEAD") return status_response(failure::method_not_allowed());
    const std::string_view accept = request.headers.get("Accept");
    if (const auto document = discovery_document(store, info.path, accept)) {
        const bool together = json::get_string(*document, {"kind"}) == "APIGroupDiscoveryList";
        return {200,
                together ? "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList" : json_media_type,
                json::serialize(*document)};
    }
    if (const auto given = openapi.find(info.path); given != openapi.end()) {
        return {200, json_media_type, given->second};
    }
    if (const auto document = openapi_document(store, info.path)) {
        return {200, json_media_type, json::serialize(*document)};
    }
    if (auto answer = answer_openapi_v2(store, info.path, accept)) return std::move(*answer);
    if (info.path == "/version") {
        return {200, json_media_type,
                R"({"major":"1","minor":"36","gitVersion":"v1.36.0+kcontrol","gitCommit":"","gitTreeState":"",)"
                R"("buildDate":"1970-01-01T00:00:00Z","goVersion":"","compiler":"","platform":""})"};
    }
    if (info.path == "/healthz" || info.path == "/livez") return {200, "text/plain; charset=utf-8", "ok"};
    if (info.path == "/readyz") {
        return {ready ? 200 : 500, "text/plain; charset=utf-8", ready ? "ok" : "[-]test failed: not ready\n"};
    }
    return page_not_found();
}

awaitable<http::response> api_server_core::answer(const parsed_request& asked) {
    auto response = co_await answer_resource(asked);
    if (response) co_return std::move(*response);
    co_return response.error().code == 0 ? page_not_found() : status_response(response.error());
}

// Fails with code 0 where Kubernetes answers "404 page not found" as text: no such group or version, and an unknown
// resource of a custom group.
outcome<object_store::table_ptr> api_server_core::find_table(const request_info& info) const {
    failure missing(404, "NotFound", "the server could not find the requested resource");
    missing.details.emplace();
    auto table = store.table(info.id());
    if (table == nullptr || !table->type().serves(info.version)) {
        const auto builtin = [&info](const auto& entry) {
            const resource_type& type = entry.second->type();
            return type.group == info.group && !type.custom && type.serves(info.version);
        };
        const auto& tables = store.tables();
        return std::any_of(tables.begin(), tables.end(), builtin) ? missing : failure(0, "", "");
    }
    const resource_type& type = table->type();
    const bool wrong_scope = type.namespaced ? info.namespace_.empty() && !info.name.empty() : !info.namespace_.empty();
    if (wrong_scope) return failure(0, "", "");
    const bool finalizes = info.subresource == "finalize" && type.subresource("finalize") != nullptr;
    const bool known = info.subresource.empty() || finalizes ||
                       (info.subresource == "status" && type.status_subresource) || serves_below(type, info);
    if (known) return table;
    if (type.subresource(info.subresource) == nullptr) return missing;
    return failure(501, "NotImplemented",
                   "this server has no " + type.plural + "/" + info.subresource + ", which Kubernetes has");
}

awaitable<outcome<http::response>> api_server_core::answer_resource(const parsed_request& asked) {
    const request_info& info = asked.info;
    const auto table = find_table(info);
    if (!table) co_return table.error();
    if (serves_below((*table)->type(), info)) {
        auto below = co_await answer_below(asked, *table);
        co_return below;
    }
    if (answers_review(info)) co_return answer_review(asked.message, info, (*table)->type());
    const bool creates_named = info.verb == "create" && !info.name.empty();
    const bool changes_unnamed = (info.verb == "update" || info.verb == "patch") && info.name.empty();
    const bool deletes_status = info.verb == "delete" && !info.subresource.empty();
    const bool no_namespace = info.verb == "create" && (*table)->type().namespaced && info.namespace_.empty();
    if (info.verb.empty() || creates_named || changes_unnamed || deletes_status || no_namespace ||
        !(*table)->type().allows(letter_of_verb(info.verb))) {
        co_return failure::method_not_allowed();
    }
    if (!(*table)->type().allows('g')) {
        co_return failure(501, "NotImplemented", "this server does not answer a " + (*table)->type().kind);
    }
    if (info.verb == "get" || info.verb == "list") {
        auto read = co_await answer_read(asked, *table);
        co_return read;
    }
    auto written = co_await answer_write(asked, *table);
    co_return written;
}

awaitable<outcome<http::response>> api_server_core::answer_read(const parsed_request& asked,
                                                                object_store::table_ptr table) {
    const request_info& info = asked.info;
    const read_view view = view_of(asked.replica);
    if (info.verb == "list") {
        const auto query = list_query::of_request(info, table->type());
        if (!query) co_return query.error();
        auto page = read_page(*table, *query, view);
        if (!page) co_return page.error();
        if (table->type().conversion != nullptr) {
            std::vector<object_ptr> objects;
            for (const auto& [key, object] : page->items) objects.push_back(object);
            auto shown = co_await shown_from_cache(table, std::move(objects), info.version);
            if (!shown) co_return shown.error();
            for (std::size_t i = 0; i < shown->size(); ++i) page->items[i].second = std::move((*shown)[i]);
        }
        co_return http::response(200, json_media_type, renderer_for(*table, info, asked.form).list(*page));
    }
    const std::string_view version_asked = info.parameter("resourceVersion");
    const auto version = parse_version(version_asked).value_or(0);
    if (version > view.cache) co_return failure::too_large_version(version, view.cache);
    // With a resourceVersion the cache answers, without one the truth does.
    const std::uint64_t at = std::max(version_asked.empty() ? view.truth : view.cache, table->oldest());
    object_ptr object = table->get_at({info.namespace_, info.name}, at);
    if (object == nullptr) co_return failure::not_found(table->type().id(), info.name);
    const auto shown = co_await shown_in(table, std::move(object), info.version);
    if (!shown) co_return shown.error();
    co_return http::response(200, json_media_type, renderer_for(*table, info, asked.form).object(**shown));
}

renderer api_server_core::renderer_for(const resource_table& table, const request_info& info, shape form) const {
    return renderer(table.type(), info, form, env.wall_now());
}

read_view api_server_core::view_of(const std::string& replica) const {
    const auto found = frozen.find(replica);
    const std::uint64_t truth = store.version();
    return found == frozen.end() ? read_view(truth) : read_view(truth, std::min(truth, found->second));
}

}  // namespace kcontrol::testing::detail
