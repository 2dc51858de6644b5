#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/client_state.hpp>
#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/client/detail/verbs.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

// A metav1.APIResourceList, without the subresources in it ("pods/status").
inline result<std::vector<served_resource>> read_resources(const http::response& answer, std::string_view group,
                                                           std::string_view version) {
    json::document document;
    const auto root = answer_json(answer, document);
    if (!root) return root.error();
    const json::node resources = (*root)["resources"];
    if (answer_text((*root)["kind"]) != "APIResourceList" || !(resources.is_array() || resources.is_null())) {
        return error(errc::decode_failed, "the server's answer is not an APIResourceList");
    }
    std::vector<served_resource> out;
    if (resources.is_null()) return out;
    for (const json::node one : resources.elements()) {
        if (!one.is_object()) continue;
        const auto name = answer_text(one["name"]);
        const auto kind = answer_text(one["kind"]);
        if (name.empty() || kind.empty() || name.find('/') != std::string_view::npos) continue;
        served_resource served;
        served.gvk = group_version_kind(std::string(group), std::string(version), std::string(kind));
        served.plural = name;
        const json::node namespaced = one["namespaced"];
        served.namespaced = namespaced.kind() == json::kind::boolean && namespaced.as_bool();
        out.push_back(std::move(served));
    }
    return out;
}

inline awaitable<result<std::vector<served_resource>>> discover_call(shared_client_state state, std::string path,
                                                                     std::string group, std::string version,
                                                                     http::exchange_options options) {
    http::request req("GET", std::move(path));
    auto answer = co_await exchange(std::move(state), std::move(req), std::move(options));
    if (!answer) co_return answer.error();
    co_return read_resources(*answer, group, version);
}

}  // namespace detail

KCONTROL_DECL awaitable<result<std::vector<served_resource>>> client::discover(std::string group, std::string version,
                                                                               get_options options) {
    const auto path = detail::version_path(group, version);
    if (!path) return make_ready<result<std::vector<served_resource>>>(path.error());
    return detail::discover_call(state_, state_->base_path + *path, std::move(group), std::move(version),
                                 detail::exchange_options_of(options));
}

}  // namespace kcontrol
