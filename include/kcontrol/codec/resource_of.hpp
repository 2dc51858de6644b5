// resource_of<T>(): the run-time description of a registered kind.
#pragma once

#include <kcontrol/codec/decode.hpp>
#include <kcontrol/codec/object_block.hpp>
#include <kcontrol/model/resource.hpp>

#include <exception>
#include <memory>

namespace kcontrol::inline v0_1 {

namespace detail {

/// A block of the type of a resource, whose first field is its metadata. Precondition: is_blockable(type).
KCONTROL_DECL result<any_object> decode_as_block(const type_descriptor& type, json::node from, share_pool* pool);
KCONTROL_DECL result<any_object> decode_as_block(const type_descriptor& type, std::string_view text, share_pool* pool);
KCONTROL_DECL any_object decode_as_block(const type_descriptor& type, json::cursor& from, share_pool* pool);

/// The same for every kind that has a table in its resource_info.
KCONTROL_DECL result<any_object> decode_by_table(const resource_info& info, json::node from, share_pool* pool);
KCONTROL_DECL result<any_object> decode_by_table(const resource_info& info, std::string_view text, share_pool* pool);
KCONTROL_DECL any_object decode_by_table(const resource_info& info, json::cursor& from, share_pool* pool);

template <class T>
bool is_block() {
    static const bool blockable = is_blockable(describe<T>());
    return blockable;
}

/// The same for any type, from each of the sources that a resource_info decodes from.
template <class T>
result<any_object> decode_resource(const resource_info&, json::node from, share_pool* pool) {
    if (is_block<T>()) return decode_as_block(describe<T>(), from, pool);
    auto object = std::make_shared<T>();
    const auto done = decode(describe<T>(), from, object.get());
    if (!done) return done.error();
    return any_object(std::shared_ptr<const T>(std::move(object)));
}
template <class T>
result<any_object> decode_resource(const resource_info&, std::string_view text, share_pool* pool) {
    if (is_block<T>()) return decode_as_block(describe<T>(), text, pool);
    auto object = std::make_shared<T>();
    const auto done = decode_text(describe<T>(), text, object.get(), pool);
    if (!done) return done.error();
    return any_object(std::shared_ptr<const T>(std::move(object)));
}
template <class T>
any_object decode_resource(const resource_info&, json::cursor& from, share_pool* pool) {
    return is_block<T>() ? decode_as_block(describe<T>(), from, pool) : any_object();
}

/// The one of them with that signature. Every generated type can be a block, which needs nothing but its table.
template <class T, class Function>
constexpr Function find_decode() {
    if constexpr (has_generated_fields<T>) {
        return decode_by_table;
    } else {
        return decode_resource<T>;
    }
}

KCONTROL_DECL resource_info make_resource_info(const resource_name& name, const type_descriptor& type,
                                               resource_info::decode_function decode,
                                               resource_info::text_decode_function text_decode,
                                               resource_info::cursor_decode_function cursor_decode);

}  // namespace detail

/// The resource_info of a type; one static object each. A type that is not a `resource` does not compile.
template <class T>
const resource_info& resource_of() {
    assert_resource<T>();
    if constexpr (is_resource<T>) {
        static const resource_info info = detail::make_resource_info(
            T::kcontrol_resource, describe<T>(), detail::find_decode<T, resource_info::decode_function>(),
            detail::find_decode<T, resource_info::text_decode_function>(),
            detail::find_decode<T, resource_info::cursor_decode_function>());
        return info;
    } else {
        std::terminate();  // in no program: the assertion has failed
    }
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/codec/impl/resource_of.ipp>
#endif
