#pragma once

#include <kcontrol/auth/plaintext.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_defaults.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/negotiation.hpp>
#include <kcontrol/client/detail/object_to_write.hpp>
#include <kcontrol/client/detail/read_object.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/client/detail/verbs.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/members.hpp>

#include <boost/asio/this_coro.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// One verb on one object whose answer is an object, as JSON.
inline awaitable<result<any_object>> object_call(shared_client_state state, const resource_info* info,
                                                 http::request req, http::exchange_options options) {
    auto answer = co_await exchange(std::move(state), std::move(req), std::move(options));
    if (!answer) co_return answer.error();
    co_return read_object(*answer, *info);
}

// The object in an answer to a request that asked for an encoding.
inline result<any_object> read_encoded(client_state& state, const resource_info& info, const kind_encoding& as,
                                       const http::response& answer) {
    if (state.agreed->is_encoded(answer)) return as.decode(answer.body);
    auto object = read_object(answer, info);
    if (object) state.agreed->answered_otherwise(info, answer.headers.get("Content-Type"));
    return object;
}

inline awaitable<result<any_object>> get_call(shared_client_state state, const resource_info* info, http::request req,
                                              http::exchange_options options) {
    const auto as = state->agreed->ask(*info, req, "PartialObjectMetadata");
    if (!as) {
        auto object = co_await object_call(std::move(state), info, std::move(req), std::move(options));
        co_return object;
    }
    auto answer = co_await exchange(state, req, options);
    if (answer) co_return read_encoded(*state, *info, *as, *answer);
    if (!refuses_encoding(answer.error())) co_return answer.error();
    state->agreed->answered_otherwise(*info, answer.error().message());
    req.headers.erase("Accept");
    auto object = co_await get_call(std::move(state), info, std::move(req), std::move(options));
    co_return object;
}

// The object in an answer to a write; `as` may be null. Where the answer is a Status of success, `sent` stands in for
// it, if that is not empty.
inline result<any_object> read_written(client_state& state, const resource_info& info, const kind_encoding* as,
                                       http::response answer, any_object sent) {
    if (sent) {
        state.agreed->make_readable(answer);
        if (!state.agreed->is_encoded(answer)) {
            json::document document;
            const auto root = answer_json(answer, document);
            if (!root) return root.error();
            if (answer_text((*root)["kind"]) == "Status") return sent;
        }
    }
    return as != nullptr ? read_encoded(state, info, *as, answer) : read_object(answer, info);
}

// A write whose body is an object.
inline awaitable<result<any_object>> write_object_call(shared_client_state state, const resource_info* info,
                                                       http::request req, http::exchange_options options,
                                                       object_to_write object) {
    const auto as = info->metadata_only ? nullptr : state->agreed->ask(*info, req, "PartialObjectMetadata");
    auto body = as != nullptr ? object.encoded(*as) : result<std::string>(std::string());
    if (as != nullptr && body) {
        http::request encoded(req.method, req.target);
        encoded.headers = req.headers;
        encoded.headers.set("Content-Type", std::string(state->agreed->wanted()->media_type()));
        encoded.body = std::move(*body);
        auto answer = co_await exchange(state, std::move(encoded), options);
        if (answer) co_return read_written(*state, *info, as.get(), std::move(*answer), object.stand_in());
        if (!refuses_encoding(answer.error())) co_return answer.error();
        state->agreed->answered_otherwise(*info, answer.error().message());
    }
    // JSON, too, for a value that the encoding can't hold: the server says what is wrong with it.
    auto text = object.to_json(*info);
    if (!text) co_return text.error();
    req.headers.erase("Accept");
    req.body = std::move(*text);
    auto answer = co_await exchange(state, std::move(req), std::move(options));
    if (!answer) co_return answer.error();
    co_return read_written(*state, *info, nullptr, std::move(*answer), object.stand_in());
}

inline std::string_view to_string(field_validation level) {
    switch (level) {
    case field_validation::ignore: return "Ignore";
    case field_validation::warn: return "Warn";
    case field_validation::strict: return "Strict";
    }
    return "Warn";
}

// The query that writes and applies have in common.
template <class Options>
void append_write_query(http::query_builder& query, const Options& options) {
    if (options.dry_run()) query.append("dryRun", "All");
    if (options.field_validation()) query.append("fieldValidation", to_string(*options.field_validation()));
}

inline http::query_builder write_query(const write_options& options) {
    http::query_builder query;
    if (!options.field_manager().empty()) query.append("fieldManager", options.field_manager());
    append_write_query(query, options);
    return query;
}

inline http::request write_request(std::string method, const std::string& path, std::string content_type,
                                   const write_options& options) {
    http::request req(std::move(method), write_query(options).after(path));
    req.headers.set("Content-Type", std::move(content_type));
    return req;
}

inline awaitable<result<any_object>> write_call(shared_client_state state, const resource_info& info,
                                                std::string method, const result<std::string>& path, any_object object,
                                                const write_options& options) {
    if (!path) return make_ready<result<any_object>>(path.error());
    auto req = write_request(std::move(method), state->base_path + *path, "application/json", options);
    return write_object_call(std::move(state), &info, std::move(req), exchange_options_of(options),
                             object_to_write(std::move(object)));
}

// Refuses an empty object, and one of another C++ type than the kind's, before its metadata is read.
inline result<void> check_object(const resource_info& info, const any_object& object) {
    if (info.type != nullptr ? object.is(*info.type) : static_cast<bool>(object)) return {};
    const auto text = info.encode(object);  // has the message
    if (!text) return text.error();
    return {};
}

// What is created there is answered and never stored, so that it has no name: reviews of tokens and of access.
inline bool is_question(const resource_info& info) {
    return info.gvk.group == "authentication.k8s.io" || info.gvk.group == "authorization.k8s.io";
}

inline result<void> check_patch_type(std::string_view type) {
    if (type == json_patch_type || type == merge_patch_type || type == strategic_merge_patch_type) return {};
    return error(errc::invalid_argument, "patch type \"" + escape_control(type) + "\": " + json_patch_type + ", " +
                                             merge_patch_type + " and " + strategic_merge_patch_type +
                                             " are possible; client::apply() applies");
}

inline std::string_view to_string(propagation policy) {
    switch (policy) {
    case propagation::background: return "Background";
    case propagation::foreground: return "Foreground";
    case propagation::orphan: return "Orphan";
    }
    return "Background";
}

// metav1.DeleteOptions.
inline std::string delete_body(const delete_options& options) {
    json::writer out;
    out.begin_object();
    out.member("kind", "DeleteOptions");
    out.member("apiVersion", "v1");
    if (options.grace_period()) out.member("gracePeriodSeconds", std::int64_t{options.grace_period()->count()});
    if (options.propagation_policy()) out.member("propagationPolicy", to_string(*options.propagation_policy()));
    if (options.dry_run()) {
        begin_array(out, "dryRun");
        out.value("All");
        out.end_array();
    }
    if (!options.precondition_uid().empty() || !options.precondition_resource_version().empty()) {
        begin_object(out, "preconditions");
        if (!options.precondition_uid().empty()) out.member("uid", options.precondition_uid());
        if (!options.precondition_resource_version().empty()) {
            out.member("resourceVersion", options.precondition_resource_version());
        }
        out.end_object();
    }
    out.end_object();
    return out.take();
}

// The answer is a Status, the object, or an object that waits for its finalizers: each means that it was accepted.
inline object_meta read_deletion(json::node root) {
    object_meta out;
    const bool is_status = answer_text(root["kind"]) == "Status";
    const json::node said = root[is_status ? "details" : "metadata"];
    if (!said.is_object()) return out;
    out.uid = answer_text(said["uid"]);
    if (is_status) return out;
    out.resource_version = answer_text(said["resourceVersion"]);
    if (said["deletionTimestamp"].is_string()) out.deletion_timestamp = wall_time();
    std::int64_t grace = 0;
    if (said["deletionGracePeriodSeconds"].get_int64(grace)) out.deletion_grace_period_seconds = grace;
    if (const json::node held = said["finalizers"]; held.is_array()) {
        for (const json::node one : held.elements()) out.finalizers.push_back(text(answer_text(one)));
    }
    return out;
}

// Of the deleted object what the answer says; nothing if there was none.
inline awaitable<result<object_meta>> delete_call(shared_client_state state, http::request req,
                                                  http::exchange_options options, bool ignore_not_found) {
    auto answer = co_await exchange(std::move(state), std::move(req), std::move(options));
    if (!answer && ignore_not_found && answer.error() == api_errc::not_found) co_return object_meta();
    if (!answer) co_return answer.error();
    json::document document;
    const auto root = answer_json(*answer, document);
    if (!root) co_return root.error();
    co_return read_deletion(*root);
}

inline awaitable<result<any_object>> cached_get(client from, const resource_info& info, namespaced_name key,
                                                get_options options) {
    auto known = co_await from.cache()->get(from, info, key, options);
    if (known) co_return std::move(*known);
    auto answer = co_await from.live().get(info, key, std::move(options));
    from.cache()->on_read(info, key, answer);
    co_return answer;
}

// Whether a write is looked at for hot loops. One whose name the server makes up is about a new object each time.
inline bool counts_write(const client_state& state, const resource_info& info, const namespaced_name& key) {
    return !key.name.empty() && state.manners->counts_writes(info);
}

inline void count_write(client_state& state, const resource_info& info, const namespaced_name& key) {
    if (state.manners->wrote(info, key)) state.requests->count_hot_object(info.gvk.kind);
}

// `cache` may be null.
inline awaitable<result<any_object>> noted_write(shared_client_state state, std::shared_ptr<client_cache> cache,
                                                 const resource_info& info, namespaced_name key,
                                                 awaitable<result<any_object>> write) {
    const executor by = co_await boost::asio::this_coro::executor;
    auto stored = co_await std::move(write);
    if (stored && counts_write(*state, info, key)) count_write(*state, info, key);
    if (cache && stored) cache->on_write(by, info, *stored);
    if (cache && !stored) cache->refused(info, key, stored.error());
    co_return stored;
}

// `cache` may be null.
inline awaitable<result<void>> noted_delete(std::shared_ptr<client_cache> cache, const resource_info& info,
                                            namespaced_name key, awaitable<result<object_meta>> remove) {
    const executor by = co_await boost::asio::this_coro::executor;
    auto gone = co_await std::move(remove);
    if (!gone) {
        if (cache) cache->refused(info, key, gone.error());
        co_return gone.error();
    }
    gone->namespace_ = key.namespace_;
    gone->name = key.name;
    if (cache) cache->deleted(by, info, *gone);
    co_return result<void>();
}

}  // namespace detail

KCONTROL_DECL client::client(const client&) = default;
KCONTROL_DECL client::client(client&&) noexcept = default;
KCONTROL_DECL client& client::operator=(const client&) = default;
KCONTROL_DECL client& client::operator=(client&&) noexcept = default;
KCONTROL_DECL client::~client() = default;

KCONTROL_DECL result<client> client::connect(environment& env, executor ex, const auth::cluster_config& config,
                                             const http::transport_factory& make_transport, logger log) {
    if (auto refused = auth::detail::refuse_plaintext(config)) return *refused;
    auto transport = detail::make_guarded(make_transport, ex, config.server(), config.tls());
    if (!transport) return transport.error().with_context(config.server_url());
    if (config.tls().insecure()) {
        log.warning("the server is not verified: whoever sits between can read and change everything",
                    {{"server", config.server_url()}, {"field", "insecure-skip-tls-verify"}});
    }
    auto login = auth::credential_source::make(env, ex, config, log);
    std::shared_ptr<detail::renewed_transport> renewed;
    if (login->tls_may_change()) {
        renewed = std::make_shared<detail::renewed_transport>(ex, config.server(), config.tls(), make_transport,
                                                              std::move(*transport));
        *transport = renewed;
    }
    auto state = std::make_shared<detail::client_state>(env, std::move(ex), config, std::move(login),
                                                        std::move(*transport), std::move(log));
    if (renewed) {
        const auto check = [weak = std::weak_ptr(state)] {
            if (const auto held = weak.lock()) detail::check_certificates(*held);
        };
        renewed->check_while_watching(env, check);
    }
    state->renewed = std::move(renewed);
    if (state->default_namespace.empty()) state->default_namespace = "default";
    return client(std::move(state));
}

KCONTROL_DECL awaitable<result<any_object>> client::get(const resource_info& info, namespaced_name key,
                                                        get_options options) {
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) {
        return make_ready<result<any_object>>(ok.error());
    }
    const auto path = detail::object_path(info, key);
    if (!path) return make_ready<result<any_object>>(path.error());
    if (reads_cache_) return detail::cached_get(*this, info, std::move(key), std::move(options));
    http::query_builder query;
    if (!options.resource_version().empty()) query.append("resourceVersion", options.resource_version());
    http::request req("GET", query.after(state_->base_path + *path));
    return detail::get_call(state_, &info, std::move(req), detail::exchange_options_of(options));
}

KCONTROL_DECL awaitable<result<any_object>> client::create(const resource_info& info, any_object object,
                                                           write_options options) {
    if (auto ok = detail::check_object(info, object); !ok) return make_ready<result<any_object>>(ok.error());
    const object_meta& meta = object.meta();
    if (meta.name.empty() && meta.generate_name.empty() && !detail::is_question(info)) {
        return make_ready<result<any_object>>(
            error(errc::invalid_argument, info.gvk.kind + " has neither metadata.name nor metadata.generateName"));
    }
    if (!options.subresource().empty()) {
        return make_ready<result<any_object>>(
            error(errc::invalid_argument, "subresource \"" + escape_control(options.subresource()) +
                                              "\": what is created there is of another kind than " + info.gvk.kind +
                                              "; use client::subresource()"));
    }
    namespaced_name key = object.key();
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) {
        return make_ready<result<any_object>>(ok.error());
    }
    if (info.namespaced() && key.namespace_.empty()) {
        return make_ready<result<any_object>>(
            error(errc::invalid_argument, info.gvk.kind + " is namespaced: metadata.namespace is missing"));
    }
    detail::fill_write(defaults_.get(), options);
    const auto path = detail::collection_path(info, key.namespace_);
    auto write = detail::write_call(state_, info, "POST", path, std::move(object), options);
    return noted(info, std::move(key), std::as_const(options).dry_run(), std::move(write));
}

KCONTROL_DECL awaitable<result<any_object>> client::update(const resource_info& info, any_object object,
                                                           write_options options) {
    if (auto ok = detail::check_object(info, object); !ok) return make_ready<result<any_object>>(ok.error());
    namespaced_name key = object.key();
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) {
        return make_ready<result<any_object>>(ok.error());
    }
    detail::fill_write(defaults_.get(), options);
    const auto path = detail::object_path(info, key, options.subresource());
    auto write = detail::write_call(state_, info, "PUT", path, std::move(object), options);
    return noted(info, std::move(key), std::as_const(options).dry_run(), std::move(write));
}

KCONTROL_DECL awaitable<result<any_object>> client::patch(const resource_info& info, namespaced_name key,
                                                          std::string content_type, std::string patch_text,
                                                          write_options options) {
    if (auto ok = detail::check_patch_type(content_type); !ok) return make_ready<result<any_object>>(ok.error());
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) {
        return make_ready<result<any_object>>(ok.error());
    }
    detail::fill_write(defaults_.get(), options);
    const auto path = detail::object_path(info, key, options.subresource());
    if (!path) return make_ready<result<any_object>>(path.error());
    auto req = detail::write_request("PATCH", state_->base_path + *path, std::move(content_type), options);
    req.body = std::move(patch_text);
    auto write = detail::object_call(state_, &info, std::move(req), detail::exchange_options_of(options));
    return noted(info, std::move(key), std::as_const(options).dry_run(), std::move(write));
}

KCONTROL_DECL awaitable<result<void>> client::delete_(const resource_info& info, namespaced_name key,
                                                      delete_options options) {
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok)
        return make_ready<result<void>>(ok.error());
    detail::fill_delete(defaults_.get(), options);
    const auto path = detail::object_path(info, key);
    if (!path) return make_ready<result<void>>(path.error());
    http::request req("DELETE", state_->base_path + *path);
    req.headers.set("Content-Type", "application/json");
    req.body = detail::delete_body(options);
    auto remove = detail::delete_call(state_, std::move(req), detail::exchange_options_of(options),
                                      std::as_const(options).ignore_not_found());
    const bool dry_run = std::as_const(options).dry_run();
    return detail::noted_delete(dry_run ? nullptr : cache_, info, std::move(key), std::move(remove));
}

KCONTROL_DECL awaitable<result<any_object>> client::noted(const resource_info& info, namespaced_name key, bool dry_run,
                                                          awaitable<result<any_object>> write) const {
    if (dry_run || (!cache_ && !detail::counts_write(*state_, info, key))) return write;
    return detail::noted_write(state_, cache_, info, std::move(key), std::move(write));
}

KCONTROL_DECL awaitable<result<http::response>> client::raw(http::request req, http::exchange_options options) {
    req.target = state_->base_path + req.target;
    options.form(http::exchange_form::whole);
    return http::whole_of(detail::exchange(state_, std::move(req), std::move(options)));
}

KCONTROL_DECL awaitable<result<http::streamed_response>> client::raw_stream(http::request req,
                                                                            http::exchange_options options) {
    req.target = state_->base_path + req.target;
    options.form(http::exchange_form::streamed);
    return http::stream_of(detail::exchange(state_, std::move(req), std::move(options)));
}

KCONTROL_DECL awaitable<result<http::opened_websocket>> client::raw_websocket(http::request req,
                                                                              http::exchange_options options) {
    req.target = state_->base_path + req.target;
    options.form(http::exchange_form::websocket);
    return http::websocket_of(detail::exchange(state_, std::move(req), std::move(options)));
}

KCONTROL_DECL client client::guarded(write_guard guard) const {
    auto next = std::make_shared<detail::client_state>(*state_);
    next->guards.insert(next->guards.begin(), std::move(guard));
    next->identity.reset();
    next->load = std::make_shared<client_load>();
    client made = *this;
    made.state_ = std::move(next);
    return made;
}

KCONTROL_DECL client client::reading_from(std::shared_ptr<client_cache> cache) const {
    client made = *this;
    made.reads_cache_ = cache != nullptr;
    made.cache_ = std::move(cache);
    return made;
}

KCONTROL_DECL client client::live() const {
    client made = *this;
    made.reads_cache_ = false;
    return made;
}

KCONTROL_DECL client client::traced(trace_parent to) const {
    auto next = std::make_shared<detail::client_state>(*state_);
    next->trace = std::move(to);
    next->trace.sink = guarded_sink(*next->env, next->log, std::move(next->trace.sink));
    client made = *this;
    made.state_ = std::move(next);
    return made;
}

KCONTROL_DECL client client::with(const client_options& options) const {
    auto next = std::make_shared<detail::client_state>(*state_);
    next->manners = std::make_shared<detail::client_manners>(*next->env, next->log, options);
    const auto& encoding = options.encoding();
    // Copies with the same encoding share what they know of the server.
    if (encoding && *encoding != next->agreed->wanted()) {
        next->agreed = std::make_shared<detail::negotiation>(*encoding, next->log);
    }
    client made = *this;
    made.state_ = std::move(next);
    return made;
}

KCONTROL_DECL environment& client::env() const noexcept { return *state_->env; }

KCONTROL_DECL executor client::get_executor() const noexcept { return state_->ex; }

KCONTROL_DECL const std::string& client::default_namespace() const noexcept { return state_->default_namespace; }

KCONTROL_DECL client_load client::load() const noexcept { return *state_->load; }
KCONTROL_DECL const request_counts& client::requests() const noexcept { return *state_->requests; }

KCONTROL_DECL void client::close() {
    try {
        state_->login->abandon();
        state_->transport->close();
    } catch (...) {
        state_->log.error("close() of the transport threw", {{"error", describe_thrown()}});
    }
}

}  // namespace kcontrol
