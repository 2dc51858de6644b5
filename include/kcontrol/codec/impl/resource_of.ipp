#pragma once

#include <kcontrol/codec/encode.hpp>
#include <kcontrol/codec/resource_of.hpp>

#include <cassert>

namespace kcontrol::inline v0_1 {

namespace detail {

inline std::string encode_by_table(const any_object& object, const resource_info& info) {
    if (!object.is(*info.type)) {
        throw exception(error(errc::invalid_argument, "the object is not of the C++ type that is asked for"));
    }
    return encode_object(*info.type, info.gvk.api_version(), info.gvk.kind, object.address());
}

inline any_object as_object(const type_descriptor& type, std::shared_ptr<const void> block) {
    assert(type.field_count > 0 && type.fields[0].name == "metadata");
    const auto* meta = static_cast<const object_meta*>(type.fields[0].place(block.get()));
    return any_object(std::move(block), *meta, type);
}

inline result<any_object> as_object_or_error(const type_descriptor& type, result<std::shared_ptr<const void>> block) {
    if (!block) return block.error();
    return as_object(type, std::move(*block));
}

KCONTROL_DECL result<any_object> decode_as_block(const type_descriptor& type, json::node from, share_pool* pool) {
    return as_object_or_error(type, decode_block(type, from, pool));
}

KCONTROL_DECL result<any_object> decode_as_block(const type_descriptor& type, std::string_view text, share_pool* pool) {
    return as_object_or_error(type, decode_block(type, text, pool));
}

KCONTROL_DECL any_object decode_as_block(const type_descriptor& type, json::cursor& from, share_pool* pool) {
    auto block = decode_block(type, from, pool);
    return block != nullptr ? as_object(type, std::move(block)) : any_object();
}

KCONTROL_DECL result<any_object> decode_by_table(const resource_info& info, json::node from, share_pool* pool) {
    return decode_as_block(*info.type, from, pool);
}

KCONTROL_DECL result<any_object> decode_by_table(const resource_info& info, std::string_view text, share_pool* pool) {
    return decode_as_block(*info.type, text, pool);
}

KCONTROL_DECL any_object decode_by_table(const resource_info& info, json::cursor& from, share_pool* pool) {
    return decode_as_block(*info.type, from, pool);
}

KCONTROL_DECL resource_info make_resource_info(const resource_name& name, const type_descriptor& type,
                                               resource_info::decode_function decode,
                                               resource_info::text_decode_function text_decode,
                                               resource_info::cursor_decode_function cursor_decode) {
    group_version_kind gvk{std::string(name.group), std::string(name.version), std::string(name.kind)};
    resource_info made(std::move(gvk), std::string(name.plural), name.scope, decode, encode_by_table, text_decode,
                       cursor_decode);
    made.type = &type;
    return made;
}

}  // namespace detail
}  // namespace kcontrol
