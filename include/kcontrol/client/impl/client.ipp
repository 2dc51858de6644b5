#pragma once

#include <kcontrol/auth/plaintext.hpp>
#include <kcontrol/client/client.hpp>
#include <kcontrol/client/client_cache.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/fenced_transport.hpp>
#include <kcontrol/client/detail/guarded_transport.hpp>
#include <kcontrol/client/detail/read_object.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/client/detail/verbs.hpp>
#include <kcontrol/http/url.hpp>
#include <kcontrol/json/writer.hpp>

#include <boost/asio/this_coro.hpp>

namespace kcontrol {
namespace detail {

// One verb on one object whose answer is an object. The path may be the reason why nothing is sent.
inline awaitable<result<any_object>> object_call(shared_client_state state, const resource_info* info,
                                                 http::request req, http::exchange_options options) {
    auto answer = co_await exchange(std::move(state), std::move(req), std::move(options));
    if (!answer) co_return answer.error();
    co_return read_object(*answer, *info);
}

inline http::query_builder write_query(const write_options& options) {
    http::query_builder query;
    if (!options.field_manager().empty()) query.append("fieldManager", options.field_manager());
    if (options.dry_run()) query.append("dryRun", "All");
    return query;
}

inline awaitable<result<any_object>> write_call(shared_client_state state, const resource_info& info,
                                                std::string method, const result<std::string>& path,
                                                std::string content_type, std::string body,
                                                const write_options& options) {
    if (!path) return decided<result<any_object>>(path.error());
    http::request req(std::move(method), write_query(options).after(state->base_path + *path));
    req.headers.set("Content-Type", std::move(content_type));
    req.body = std::move(body);
    return object_call(std::move(state), &info, std::move(req), exchange_options_of(options));
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
    if (!options.precondition_uid().empty() || !options.precondition_resource_version().empty()) {
        out.key("preconditions");
        out.begin_object();
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
inline awaitable<result<void>> delete_call(shared_client_state state, http::request req, http::exchange_options options,
                                           bool ignore_not_found) {
    auto answer = co_await exchange(std::move(state), std::move(req), std::move(options));
    if (!answer && ignore_not_found && answer.error() == api_errc::not_found) co_return result<void>();
    if (!answer) co_return answer.error();
    json::document document;
    const auto root = answer_json(*answer, document);
    if (!root) co_return root.error();
    co_return result<void>();
}

inline awaitable<result<any_object>> cached_get(client from, const resource_info& info, namespaced_name key,
                                                get_options options) {
    auto known = co_await from.cache()->get(info, key, options);
    if (known) co_return std::move(*known);
    auto answer = co_await from.live().get(info, key, std::move(options));
    from.cache()->asked(info, key, answer);
    co_return answer;
}

inline awaitable<result<any_object>> noted_write(std::shared_ptr<client_cache> cache, const resource_info& info,
                                                 namespaced_name key, awaitable<result<any_object>> write) {
    const executor by = co_await boost::asio::this_coro::executor;
    auto stored = co_await std::move(write);
    if (stored) {
        cache->wrote(by, info, stored->meta());
    } else {
        cache->refused(info, key, stored.error());
    }
    co_return stored;
}

inline awaitable<result<void>> noted_delete(std::shared_ptr<client_cache> cache, const resource_info& info,
                                            namespaced_name key, awaitable<result<void>> remove) {
    const executor by = co_await boost::asio::this_coro::executor;
    auto gone = co_await std::move(remove);
    if (gone) {
        cache->deleted(by, info, key);
    } else {
        cache->refused(info, key, gone.error());
    }
    co_return gone;
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
    return client(
        std::make_shared<detail::client_state>(env, std::move(ex), config, std::move(*transport), std::move(log)));
}

KCONTROL_DECL awaitable<result<any_object>> client::get(const resource_info& info, namespaced_name key,
                                                        get_options options) {
    const auto path = detail::object_path(info, key);
    if (!path) return decided<result<any_object>>(path.error());
    if (reads_cache_) return detail::cached_get(*this, info, std::move(key), std::move(options));
    http::query_builder query;
    if (!options.resource_version().empty()) query.append("resourceVersion", options.resource_version());
    http::request req("GET", query.after(state_->base_path + *path));
    detail::ask_for_metadata(info, req, "PartialObjectMetadata");
    return detail::object_call(state_, &info, std::move(req), detail::exchange_options_of(options));
}

KCONTROL_DECL awaitable<result<any_object>> client::create(const resource_info& info, any_object object,
                                                           write_options options) {
    auto body = info.encode(object);
    if (!body) return decided<result<any_object>>(body.error());
    const object_meta& meta = object.meta();
    if (meta.name.empty() && meta.generate_name.empty()) {
        return decided<result<any_object>>(
            error(errc::invalid_argument, info.gvk.kind + " has neither metadata.name nor metadata.generateName"));
    }
    if (info.namespaced() && meta.namespace_.empty()) {
        return decided<result<any_object>>(
            error(errc::invalid_argument, info.gvk.kind + " is namespaced: metadata.namespace is missing"));
    }
    // A subresource that is created (a binding, an eviction) belongs to an object that exists.
    const auto path = options.subresource().empty() ? detail::collection_path(info, meta.namespace_)
                                                    : detail::object_path(info, object.key(), options.subresource());
    return noted(info, object.key(), std::as_const(options).dry_run(),
                 detail::write_call(state_, info, "POST", path, "application/json", std::move(*body), options));
}

KCONTROL_DECL awaitable<result<any_object>> client::update(const resource_info& info, any_object object,
                                                           write_options options) {
    auto body = info.encode(object);
    if (!body) return decided<result<any_object>>(body.error());
    const auto path = detail::object_path(info, object.key(), options.subresource());
    return noted(info, object.key(), std::as_const(options).dry_run(),
                 detail::write_call(state_, info, "PUT", path, "application/json", std::move(*body), options));
}

KCONTROL_DECL awaitable<result<any_object>> client::patch(const resource_info& info, namespaced_name key,
                                                          std::string content_type, std::string patch_text,
                                                          write_options options) {
    if (content_type != "application/json-patch+json" && content_type != "application/merge-patch+json") {
        return decided<result<any_object>>(
            error(errc::invalid_argument, "patch type \"" + escape_control(content_type) +
                                              "\": application/json-patch+json and application/merge-patch+json are "
                                              "possible"));
    }
    const auto path = detail::object_path(info, key, options.subresource());
    auto write =
        detail::write_call(state_, info, "PATCH", path, std::move(content_type), std::move(patch_text), options);
    return noted(info, std::move(key), std::as_const(options).dry_run(), std::move(write));
}

KCONTROL_DECL awaitable<result<void>> client::delete_(const resource_info& info, namespaced_name key,
                                                      delete_options options) {
    const auto path = detail::object_path(info, key);
    if (!path) return decided<result<void>>(path.error());
    http::request req("DELETE", state_->base_path + *path);
    req.headers.set("Content-Type", "application/json");
    req.body = detail::delete_body(options);
    auto remove = detail::delete_call(state_, std::move(req), detail::exchange_options_of(options),
                                      std::as_const(options).ignore_not_found());
    if (!cache_) return remove;
    return detail::noted_delete(cache_, info, std::move(key), std::move(remove));
}

KCONTROL_DECL awaitable<result<any_object>> client::noted(const resource_info& info, namespaced_name key, bool dry_run,
                                                          awaitable<result<any_object>> write) const {
    if (!cache_ || dry_run) return write;
    return detail::noted_write(cache_, info, std::move(key), std::move(write));
}

KCONTROL_DECL awaitable<result<http::response>> client::raw(http::request req, http::exchange_options options) {
    req.target = state_->base_path + req.target;
    return detail::exchange(state_, std::move(req), std::move(options));
}

KCONTROL_DECL client client::guarded(write_guard guard) const {
    auto next = std::make_shared<detail::client_state>(*state_);
    next->transport = std::make_shared<detail::fenced_transport>(state_->transport, std::move(guard));
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
    next->trace = trace_parent(guarded_sink(*next->env, next->log, std::move(to.sink)), std::move(to.id));
    client made = *this;
    made.state_ = std::move(next);
    return made;
}

KCONTROL_DECL environment& client::env() const noexcept { return *state_->env; }

KCONTROL_DECL executor client::get_executor() const noexcept { return state_->ex; }

KCONTROL_DECL client_load client::load() const noexcept { return *state_->load; }
KCONTROL_DECL const request_counts& client::requests() const noexcept { return *state_->requests; }

KCONTROL_DECL void client::close() {
    try {
        state_->transport->close();
    } catch (...) {
        state_->log.error("close() of the transport threw", {{"error", describe_thrown()}});
    }
}

}  // namespace kcontrol
