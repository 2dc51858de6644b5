#pragma once

#include <kcontrol/client/detail/resource_path.hpp>
#include <kcontrol/http/url.hpp>

namespace kcontrol::inline v0_1::detail {

// Appends "/segment"; says which part of the path was wrong.
inline result<void> append_segment(std::string& path, std::string_view segment, std::string_view what) {
    constexpr std::size_t most = 253;  // a DNS subdomain, the longest of Kubernetes' names
    if (segment.size() > most) {
        return error(errc::invalid_argument, std::string(what) + " has " + std::to_string(segment.size()) +
                                                 " characters; at most 253 are possible");
    }
    auto encoded = http::encode_path_segment(segment);
    if (!encoded) return encoded.error().with_context(what);
    path += '/';
    path += *encoded;
    return {};
}

KCONTROL_DECL result<std::string> version_path(std::string_view group, std::string_view version) {
    std::string path = group.empty() ? "/api" : "/apis";
    if (!group.empty()) {
        if (auto ok = append_segment(path, group, "group"); !ok) return ok.error();
    }
    if (auto ok = append_segment(path, version, "version"); !ok) return ok.error();
    return path;
}

KCONTROL_DECL result<std::string> collection_path(const resource_info& info, std::string_view ns) {
    auto path = version_path(info.gvk.group, info.gvk.version);
    if (!path) return path;
    if (!ns.empty()) {
        if (!info.namespaced()) {
            return error(errc::invalid_argument, info.gvk.kind + " is cluster-scoped: leave the namespace empty");
        }
        *path += "/namespaces";
        if (auto ok = append_segment(*path, ns, "namespace"); !ok) return ok.error();
    }
    if (auto ok = append_segment(*path, info.plural, "resource"); !ok) return ok.error();
    return path;
}

KCONTROL_DECL result<std::string> object_path(const resource_info& info, const namespaced_name& key,
                                              std::string_view subresource) {
    if (info.namespaced() && key.namespace_.empty()) {
        return error(errc::invalid_argument, info.gvk.kind + " is namespaced: its namespace is missing");
    }
    auto path = collection_path(info, key.namespace_);
    if (!path) return path;
    if (auto ok = append_segment(*path, key.name, info.gvk.kind + " name"); !ok) return ok.error();
    if (!subresource.empty()) {
        if (auto ok = append_segment(*path, subresource, "subresource"); !ok) return ok.error();
    }
    return path;
}

}  // namespace kcontrol::detail
