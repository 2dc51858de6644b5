// Decoding objects one by one, so that a bad one spoils no list and no watch.
#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/client/detail/answer.hpp>
#include <kcontrol/client/detail/object_head.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>
#include <string_view>

namespace kcontrol::detail {

// "namespace/name" of an object that did not decode, as far as it can be read.
inline std::string readable_name(std::string_view object) {
    const object_head head = read_head(object);
    if (head.metadata.empty()) return "(no metadata)";
    return server_text(head.namespace_.empty() ? head.name : head.namespace_ + "/" + head.name, 512);
}

// Decodes one object that a cursor could not read; one that does not decode is counted and logged, and spoils nothing
// else.
inline any_object decode_or_skip(const resource_info& info, std::string_view text, share_pool* pool, const logger& log,
                                 std::size_t& skipped) {
    auto object = text.starts_with('{') ? info.decode_parsed(text, pool)
                                        : result<any_object>(error(errc::decode_failed, "it is not a JSON object"));
    if (object) return std::move(*object);
    ++skipped;
    log.warning("an object does not decode and is left out",
                {{"kind", info.gvk.kind}, {"object", readable_name(text)}, {"error", object.error().what()}});
    return {};
}

}  // namespace kcontrol::detail
