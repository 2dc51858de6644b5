#pragma once

#include <kcontrol/client/manifest.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

inline result<void> take_manifest(json::value document, std::vector<manifest>& to) {
    if (document.is_null()) return {};
    if (auto* const items = document.is_object() ? document.get_object().if_contains("items") : nullptr;
        items != nullptr && items->is_array()) {
        for (auto& item : items->get_array()) {
            // A list in a list is an object without a kind at most.
            const auto taken = item.is_object() && !item.get_object().contains("items")
                                   ? take_manifest(std::move(item), to)
                                   : error(errc::invalid_config, "a list holds what is no object");
            if (!taken) return taken;
        }
        return {};
    }
    const std::string_view version = json::get_string(document, {"apiVersion"});
    const auto slash = version.find('/');
    manifest& one = to.emplace_back();
    one.gvk = group_version_kind(std::string(slash == version.npos ? "" : version.substr(0, slash)),
                                 std::string(version.substr(slash == version.npos ? 0 : slash + 1)),
                                 std::string(json::get_string(document, {"kind"})));
    if (one.gvk.version.empty() || one.gvk.kind.empty()) {
        return error(errc::invalid_config, "object " + std::to_string(to.size()) + " has no apiVersion or no kind");
    }
    one.key = namespaced_name(std::string(json::get_string(document, {"metadata", "namespace"})),
                              std::string(json::get_string(document, {"metadata", "name"})));
    one.object = std::move(document);
    return {};
}

}  // namespace detail

KCONTROL_DECL result<std::vector<manifest>> parse_manifests(std::string_view text, std::size_t max_bytes) {
    auto documents = json::parse_yaml(text, max_bytes);
    if (!documents) return documents.error();
    std::vector<manifest> out;
    for (auto& document : *documents) {
        const auto taken = detail::take_manifest(std::move(document), out);
        if (!taken) return taken.error();
    }
    if (out.empty()) return error(errc::invalid_config, "it holds no objects");
    return out;
}

}  // namespace kcontrol
