// Decoding objects one by one, so that a bad one spoils no list and no watch.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>

namespace kcontrol::detail {

// "namespace/name" of an object that did not decode, as far as it can be read.
inline std::string readable_name(json::lazy_node object) {
    const json::lazy_node meta = object.is_object() ? object["metadata"] : json::lazy_node();
    if (!object.is_object() || !meta.is_object()) return "(no metadata)";
    const auto ns = answer_text(meta["namespace"]);
    const auto name = answer_text(meta["name"]);
    return server_text(ns.empty() ? std::string(name) : std::string(ns) + "/" + std::string(name), 512);
}

// Decodes one object; one that does not decode is counted and logged, and spoils nothing else.
inline any_object decode_or_skip(const resource_info& info, json::lazy_node node, share_pool* pool, const logger& log,
                                 std::size_t& skipped) {
    auto object = node.is_object() ? info.decode(node, pool)
                                   : result<any_object>(error(errc::decode_failed, "it is not a JSON object"));
    if (object) return std::move(*object);
    ++skipped;
    const std::string name = readable_name(node);
    node.take_fault();  // it is about this object, and said below
    log.warning("an object does not decode and is left out",
                {{"kind", info.gvk.kind}, {"object", name}, {"error", object.error().what()}});
    return {};
}

}  // namespace kcontrol::detail
