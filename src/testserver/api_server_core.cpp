#include "testserver/api_server_core.hpp"

#include <kcontrol/codec/protobuf.hpp>
#include <kcontrol/documents/yaml.hpp>

#include "testserver/body_writer.hpp"
#include "testserver/protobuf_bodies.hpp"
#include "testserver/responses.hpp"
#include "testserver/timestamp.hpp"

#include <boost/asio/co_spawn.hpp>

#include <algorithm>
#include <exception>

namespace kcontrol::inline v0_1::testing::detail {
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

awaitable<void> hold_while([[maybe_unused]] std::shared_ptr<const void> held, awaitable<void> work) {
    co_await std::move(work);
}

store_options store_options_of(const api_server_options& options) {
    store_options out = options.store();
    if (options.defaults_and_validates()) out.default_and_validate(true);
    if (options.lenient_cel()) out.lenient_cel(true);
    if (options.collects_garbage()) out.collects_garbage(true);
    return out;
}

}  // namespace

api_server_core::api_server_core(environment& env, executor ex, api_server_options options)
    : env_(env),
      executor_(std::move(ex)),
      options_(std::move(options)),
      spawn_([this](awaitable<void> work) { spawn(std::move(work)); }),
      store_(inputs_from(env), store_options_of(options_)),
      access_(env, store_, options_.enforces_rbac()),
      replicas_(store_),
      webhooks_(env, executor_, closing_.get_token(), options_.webhook_transport(), options_.webhook_services()),
      converter_(env, webhooks_, options_.defaults_and_validates()),
      definitions_(env, store_, options_),
      direct_(store_, definitions_, options_.defaults_and_validates()),
      admission_(env, store_, converter_, webhooks_, spawn_),
      admitted_(store_, admission_, converter_, definitions_, direct_),
      reads_(env, replicas_, converter_),
      writes_(env, store_, definitions_, direct_, admitted_),
      subresources_(env, store_, converter_, admission_, admitted_, direct_, access_),
      watches_(env, options_, replicas_, converter_, log_),
      pods_(env, store_, access_),
      paths_(store_),
      collector_(env, store_, direct_, spawn_, options_.collection_delay(), closing_.get_token()) {
    for (auto& type : builtin_resource_types()) store_.add_resource(std::move(type));
    const auto namespaces = store_.table(namespaces_id());
    for (const std::string_view name : {"default", "kube-system"}) {
        json::object body;
        metadata_of(body)["name"] = name;
        static_cast<void>(store_.create(*namespaces, write_target(), std::move(body)));
    }
    if (options_.enforces_rbac()) add_first_roles(store_);
    store_.on_change([this](const resource_table& table, const store_event* event) { changed(table, event); });
}

// The coroutine holds the server, which its parts are in.
void api_server_core::spawn(awaitable<void> work) {
    boost::asio::co_spawn(executor_, hold_while(shared_from_this(), std::move(work)), [](std::exception_ptr failure) {
        if (failure) std::rethrow_exception(failure);
    });
}

void api_server_core::close() {
    closing_.request_stop();
    watches_.end(open_watch::order::abort);
}

std::shared_ptr<void> api_server_core::observe(change_observer observer) {
    auto held = std::make_shared<change_observer>(std::move(observer));
    observers_.push_back(held);
    return held;
}

void api_server_core::restore(const store_snapshot& then) {
    watches_.end(open_watch::order::abort);
    store_.restore(then);
    if (options_.collects_garbage()) collector_.restart();
}

void api_server_core::changed(const resource_table& table, const store_event* event) {
    if (event == nullptr) return watches_.wake_up(&table);
    watches_.notify(table, *event);
    if (table.type().plural == "pods" && table.type().group.empty()) pods_.changed(*event);
    std::erase_if(observers_, [](const auto& one) { return one.expired(); });
    for (const auto& one : std::vector(observers_)) {
        if (const auto observer = one.lock()) (*observer)(table, event->what, *event->object);
    }
    if (options_.collects_garbage()) collector_.changed(table, event->what, *event->object);
    // At the end: the table may not be served any more after that.
    if (event->what == change::deleted && table.type().custom) definitions_.finish(group_resource(table.type().id()));
}

namespace {

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
    const std::uint64_t number = log_.begin(request, job.info);
    if (faults_) job.injected = faults_(request);
    if (job.injected.delay() > duration::zero()) {
        const wake why = co_await sleep_for(env_, job.injected.delay(), out.disconnected());
        if (why == wake::stopped) co_return;
    }
    if (job.injected.hangs()) {
        async_event never;
        co_await never.wait(env_, out.disconnected());
        co_return;
    }
    if (job.injected.drops()) {
        out.abort();
        co_return;
    }
    http::response response;
    const auto user = access_.identify(request);
    const auto table = store_.table(job.info.id());
    const bool own_kind = table != nullptr ? !table->type().custom : answers_review(job.info);
    const accepted_forms accepted(request.headers.get("Accept"), own_kind);
    const bool yaml = prefers_yaml(accepted.in_json());
    const auto form = negotiate(accepted.in_json(), job.info.verb == "list" || job.info.verb == "watch");
    const auto readable = read_as_json(request, own_kind);
    job.protobuf = accepted.protobuf();
    if (user) log_.set_user(number, user->name);
    if (job.injected.answer()) {
        response = *job.injected.answer();
    } else if (!parsed) {
        response = status_response(parsed.error());
    } else if (!user) {
        response = status_response(user.error());
    } else if (const auto allowed = access_.authorize(*user, job.info); !allowed) {
        response = status_response(allowed.error());
    } else if (!job.info.is_resource) {
        response = paths_.answer(request, job.info);
    } else if (pod_handler::serves_log(job.info)) {
        const int code = co_await pods_.answer_log(request, out, job.info, job.injected);
        log_.end(number, code);
        co_return;
    } else if (pod_handler::serves_stream(job.info)) {
        const int code = co_await pods_.answer_stream(request, out, job.info, job.injected, *user);
        log_.end(number, code);
        co_return;
    } else if (!form) {
        response = status_response(form.error());
    } else if (!readable) {
        response = status_response(readable.error());
    } else if (job.info.verb == "watch" && yaml) {
        response = status_response(no_stream_of_yaml());
    } else if (job.info.verb == "watch") {
        job.form = *form;
        auto watched = find_table(job.info);
        const int code = co_await watches_.start(out, job, std::move(watched));
        log_.end(number, code);
        if (code == 200) co_await watches_.run(out, job);
        co_return;
    } else {
        parsed_request asked(request, job.info, *user);
        asked.form = *form;
        asked.replica = job.injected.replica();
        response = co_await answer(asked);
    }
    log_.end(number, response.status);
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
    co_await send_answer(env_, out, std::move(response), job.injected);
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
    auto table = store_.table(info.id());
    if (table == nullptr || !table->type().serves(info.version)) {
        const auto builtin = [&info](const auto& entry) {
            const resource_type& type = entry.second->type();
            return type.group == info.group && !type.custom && type.serves(info.version);
        };
        const auto& tables = store_.tables();
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
        auto below = co_await subresources_.answer(asked, *table);
        co_return below;
    }
    if (answers_review(info)) co_return access_.answer_review(asked.message, info, (*table)->type());
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
    if (info.verb == "get") {
        auto read = co_await reads_.get(asked, *table);
        co_return read;
    }
    if (info.verb == "list") {
        auto read = co_await reads_.list(asked, *table);
        co_return read;
    }
    auto written = co_await writes_.answer(asked, *table);
    co_return written;
}

}  // namespace kcontrol::testing::detail
