#pragma once

#include <kcontrol/codec/impl/text_decoder.ipp>
#include <kcontrol/codec/object_block.hpp>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <memory>
#include <type_traits>
#include <vector>

namespace kcontrol {
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

inline std::shared_ptr<const void> decode_plain(block_builder& builder, const type_descriptor& type, json::cursor& from,
                                                share_pool* pool) {
    if (from.left() > std::numeric_limits<std::uint32_t>::max()) return nullptr;  // beyond handles
    builder.clear();
    text_decoder decoder(builder, pool, from);
    if (!decoder.decode_root(type)) return nullptr;
    from = decoder.rest();
    return builder.finish(pool != nullptr ? pool->pin() : nullptr);
}

template <class Node>
result<std::shared_ptr<const void>> decode_in(block_builder& builder, const type_descriptor& type, Node from,
                                              share_pool* pool) {
    if constexpr (std::is_same_v<Node, json::lazy_node>) {
        if (from.is_object()) {
            json::cursor text(json::detail::text_tokens::from(from));
            if (auto done = decode_plain(builder, type, text, pool)) return done;
        }
    }
    builder.clear();
    block_decoder<Node> decoder(builder, pool);
    const bool done = decoder.decode_root(type, from);
    if constexpr (!std::is_same_v<Node, json::node>) {
        // What is malformed may have looked like something else.
        if (auto fault = from.take_fault()) return std::move(*fault);
    }
    if (!done) return decoder.failure();
    return builder.finish(pool != nullptr ? pool->pin() : nullptr);
}

template <class Node>
result<std::shared_ptr<const void>> decode_any_block(const type_descriptor& type, Node from, share_pool* pool) {
    return with_builder(pool, [&](block_builder& builder) { return decode_in(builder, type, from, pool); });
}

}  // namespace detail

KCONTROL_DECL bool is_blockable(const type_descriptor& type) {
    std::vector<const type_descriptor*> visited;
    return detail::is_blockable_within(type, visited);
}

KCONTROL_DECL result<std::shared_ptr<const void>> decode_block(const type_descriptor& type, json::node from,
                                                               share_pool* pool) {
    return detail::decode_any_block(type, from, pool);
}

KCONTROL_DECL result<std::shared_ptr<const void>> decode_block(const type_descriptor& type, json::lazy_node from,
                                                               share_pool* pool) {
    return detail::decode_any_block(type, from, pool);
}

KCONTROL_DECL std::shared_ptr<const void> decode_block(const type_descriptor& type, json::cursor& from,
                                                       share_pool* pool) {
    return detail::with_builder(
        pool, [&](detail::block_builder& builder) { return detail::decode_plain(builder, type, from, pool); });
}

}  // namespace kcontrol
