#pragma once

#include <kcontrol/client/impl/client_apply.ipp>
#include <kcontrol/client/subresource.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// The JSON of what is sent, with the name and the namespace of the object that it is below.
inline result<std::string> subresource_body(const resource_info& kind, const any_object& body,
                                            const namespaced_name& key) {
    const auto text = kind.encode(body);
    if (!text) return text.error();
    auto parsed = json::parse(*text);
    if (!parsed) return parsed.error().with_context(kind.gvk.kind);
    if (!parsed->is_object()) return error(errc::invalid_argument, kind.gvk.kind + ": not a JSON object");
    json::object* const metadata = member_object(parsed->get_object(), "metadata");
    if (metadata == nullptr) return error(errc::invalid_argument, kind.gvk.kind + ": metadata is not an object");
    auto ok = fill_in(*metadata, "name", "metadata.name", key.name);
    if (ok) ok = fill_in(*metadata, "namespace", "metadata.namespace", key.namespace_);
    if (!ok) return ok.error().with_context(kind.gvk.kind);
    return json::serialize(*parsed);
}

// A write below an object is a write of that object; what is sent may be a question, such as a TokenRequest.
inline awaitable<result<any_object>> count_below(const shared_client_state& state, const resource_info& above,
                                                 const resource_info& sent, namespaced_name key, bool dry_run,
                                                 awaitable<result<any_object>> write) {
    if (dry_run || !state->manners->counts_writes(sent) || !counts_write(*state, above, key)) return write;
    return noted_write(state, nullptr, above, std::move(key), std::move(write));
}

}  // namespace detail

KCONTROL_DECL subresource_client client::subresource(const resource_info& info, std::string name) const {
    return subresource_client(*this, info, std::move(name));
}

KCONTROL_DECL subresource_client::subresource_client(client above, const resource_info& info, std::string name)
    : client_(std::move(above)), info_(&info), name_(std::move(name)) {}

KCONTROL_DECL result<std::string> subresource_client::path_of(namespaced_name& key) const {
    if (name_.empty()) return error(errc::invalid_argument, info_->gvk.kind + ": the subresource has no name");
    if (auto ok = detail::place(client_.defaults_.get(), *info_, key.namespace_); !ok) return ok.error();
    auto path = detail::object_path(*info_, key, name_);
    if (!path) return path;
    return client_.state_->base_path + *path;
}

KCONTROL_DECL awaitable<result<any_object>> subresource_client::get(const resource_info& kind, namespaced_name key,
                                                                    get_options options) {
    const auto path = path_of(key);
    if (!path) return make_ready<result<any_object>>(path.error());
    http::query_builder query;
    const get_options& said = options;
    if (!said.resource_version().empty()) query.append("resourceVersion", said.resource_version());
    http::request req("GET", query.after(*path));
    return detail::get_call(client_.state_, &kind, std::move(req), detail::exchange_options_of(options));
}

KCONTROL_DECL awaitable<result<any_object>> subresource_client::create(const resource_info& kind, namespaced_name key,
                                                                       any_object body, write_options options) {
    return write("POST", kind, std::move(key), std::move(body), std::move(options));
}

KCONTROL_DECL awaitable<result<any_object>> subresource_client::update(const resource_info& kind, namespaced_name key,
                                                                       any_object body, write_options options) {
    return write("PUT", kind, std::move(key), std::move(body), std::move(options));
}

KCONTROL_DECL awaitable<result<any_object>> subresource_client::write(const char* method, const resource_info& kind,
                                                                      namespaced_name key, any_object body,
                                                                      write_options options) {
    const auto path = path_of(key);
    if (!path) return make_ready<result<any_object>>(path.error());
    detail::fill_write(client_.defaults_.get(), options);
    auto req = detail::write_request(method, *path, "application/json", options);
    detail::object_to_write object(std::move(body), key, detail::subresource_body);
    auto sent = detail::write_object_call(client_.state_, &kind, std::move(req), detail::exchange_options_of(options),
                                          std::move(object));
    return detail::count_below(client_.state_, *info_, kind, std::move(key), std::as_const(options).dry_run(),
                               std::move(sent));
}

KCONTROL_DECL awaitable<result<any_object>> subresource_client::patch(const resource_info& kind, namespaced_name key,
                                                                      std::string content_type, std::string patch_text,
                                                                      write_options options) {
    if (auto ok = detail::check_patch_type(content_type); !ok) return make_ready<result<any_object>>(ok.error());
    const auto path = path_of(key);
    if (!path) return make_ready<result<any_object>>(path.error());
    detail::fill_write(client_.defaults_.get(), options);
    auto req = detail::write_request("PATCH", *path, std::move(content_type), options);
    req.body = std::move(patch_text);
    auto sent = detail::object_call(client_.state_, &kind, std::move(req), detail::exchange_options_of(options));
    return detail::count_below(client_.state_, *info_, kind, std::move(key), std::as_const(options).dry_run(),
                               std::move(sent));
}

}  // namespace kcontrol
