#pragma once

#include <kcontrol/codec/impl/cursor_decoder.hpp>
#include <kcontrol/codec/object_block.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <vector>

namespace kcontrol::inline v0_1 {
namespace detail {

inline bool is_blockable_within(const type_descriptor& type, std::vector<const type_descriptor*>& visited) {
    switch (type.kind) {
    case type_kind::string:
    case type_kind::custom: return false;
    case type_kind::optional:
        if (!type.handle && type.element->kind > type_kind::number) return false;
        return is_blockable_within(*type.element, visited);
    case type_kind::list:
    case type_kind::map: return type.handle && is_blockable_within(*type.element, visited);
    case type_kind::structure: break;
    default: return true;
    }
    if (std::find(visited.begin(), visited.end(), &type) != visited.end()) return true;
    visited.push_back(&type);
    if (type.fresh_is_zero != nullptr && !type.fresh_is_zero()) return false;
    return std::all_of(type.fields, type.fields + type.field_count,
                       [&](const field_descriptor& field) { return is_blockable_within(*field.type, visited); });
}

inline std::shared_ptr<const void> decode_at(block_builder& builder, const type_descriptor& type, json::cursor& from,
                                             share_pool* pool) {
    if (from.left() > std::numeric_limits<std::uint32_t>::max()) return nullptr;  // beyond handles
    builder.clear();
    cursor_decoder decoder(builder, pool, from);
    if (!decoder.decode_root(type)) return nullptr;
    from = decoder.remaining();
    return builder.finish(pool != nullptr ? pool->pin() : nullptr);
}

inline result<std::shared_ptr<const void>> decode_node(block_builder& builder, const type_descriptor& type,
                                                       json::node from, share_pool* pool) {
    builder.clear();
    node_decoder decoder(builder, pool);
    if (!decoder.decode_root(type, from)) return decoder.failure();
    return builder.finish(pool != nullptr ? pool->pin() : nullptr);
}

}  // namespace detail

KCONTROL_DECL bool is_blockable(const type_descriptor& type) {
    std::vector<const type_descriptor*> visited;
    return detail::is_blockable_within(type, visited);
}

KCONTROL_DECL result<std::shared_ptr<const void>> decode_block(const type_descriptor& type, json::node from,
                                                               share_pool* pool) {
    return detail::with_builder(
        pool, [&](detail::block_builder& builder) { return detail::decode_node(builder, type, from, pool); });
}

KCONTROL_DECL result<std::shared_ptr<const void>> decode_block(const type_descriptor& type, std::string_view text,
                                                               share_pool* pool) {
    using decoded = result<std::shared_ptr<const void>>;
    return detail::with_builder(pool, [&](detail::block_builder& builder) -> decoded {
        const auto root = builder.parse(text);
        if (!root) return root.error();
        return detail::decode_node(builder, type, *root, pool);
    });
}

KCONTROL_DECL std::shared_ptr<const void> decode_block(const type_descriptor& type, json::cursor& from,
                                                       share_pool* pool) {
    return detail::with_builder(
        pool, [&](detail::block_builder& builder) { return detail::decode_at(builder, type, from, pool); });
}

}  // namespace kcontrol
