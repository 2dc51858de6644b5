// resource_of<T>(): the run-time description of a registered kind, and the questions the compiler asks of one.
#pragma once

#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/metadata_fields.hpp>
#include <kcontrol/model/object_block.hpp>
#include <kcontrol/model/resource.hpp>

#include <memory>

namespace kcontrol {

/// A resource that declares only some fields of its kind says so with `using kcontrol_projection = void;`. It can be
/// read, watched and patched. It can't replace an object, which would lose what it does not declare.
template <class T>
concept is_projection = requires {
    typename T::kcontrol_projection;
};

/// Refuses, at compile time and in words, a type that does not name a kind.
template <class T>
constexpr void assert_resource() {
    static_assert(detail::has_resource_name<T>,
                  "kcontrol: this type is not registered as a Kubernetes kind. Give the struct `static constexpr "
                  "kcontrol::resource_name kcontrol_resource{\"group\", \"version\", \"Kind\", \"plural\"};`");
    if constexpr (detail::has_resource_name<T>) {
        static_assert(resource<T>, "kcontrol: a resource has a member `kcontrol::object_meta metadata`");
        static_assert(detail::has_fields<T>,
                      "kcontrol: this resource has no field list. Give the struct `static constexpr auto "
                      "kcontrol_fields() { return kcontrol::fields(kcontrol::field(\"spec\", &T::spec), ...); }`");
    }
}

/// Refuses a projection where the object would be replaced.
template <class T>
constexpr void assert_replaceable() {
    assert_resource<T>();
    static_assert(
        !is_projection<T>,
        "kcontrol: this type is a projection: it declares only some fields of its kind, and replacing the object "
        "would lose the others. Use patch(snapshot, edited), or a type with all fields");
}

namespace detail {

/// A block of the type of a resource, whose first field is its metadata. Precondition: is_blockable(type).
KCONTROL_DECL result<any_object> decode_as_block(const type_descriptor& type, json::node from, share_pool* pool);
KCONTROL_DECL result<any_object> decode_as_block(const type_descriptor& type, json::lazy_node from, share_pool* pool);
KCONTROL_DECL any_object decode_as_block(const type_descriptor& type, json::plain_text& from, share_pool* pool);

template <class T>
bool is_block() {
    static const bool blockable = is_blockable(describe<T>());
    return blockable;
}

template <class T, class Node>
result<any_object> decode_resource(Node from, share_pool* pool) {
    if (is_block<T>()) return decode_as_block(describe<T>(), from, pool);
    auto object = std::make_shared<T>();
    const auto done = decode(describe<T>(), from, object.get());
    if (!done) return done.error();
    return any_object(std::shared_ptr<const T>(std::move(object)));
}

template <class T>
any_object decode_plain_resource(json::plain_text& from, share_pool* pool) {
    return is_block<T>() ? decode_as_block(describe<T>(), from, pool) : any_object();
}

/// Every generated type can be a block, which needs nothing but its table.
template <class T, class Node>
constexpr auto find_decode() -> result<any_object> (*)(Node, share_pool*) {
    if constexpr (has_generated_fields<T>) {
        return nullptr;
    } else {
        return decode_resource<T, Node>;
    }
}

template <class T>
constexpr resource_info::plain_decode_function find_plain_decode() {
    if constexpr (has_generated_fields<T>) {
        return nullptr;
    } else {
        return decode_plain_resource<T>;
    }
}

KCONTROL_DECL resource_info make_resource_info(const resource_name& name, const type_descriptor& type,
                                               resource_info::decode_function decode,
                                               resource_info::lazy_decode_function lazy_decode,
                                               resource_info::plain_decode_function plain_decode);

}  // namespace detail

template <class T>
const resource_info& resource_of() {
    assert_resource<T>();
    static const resource_info info =
        detail::make_resource_info(T::kcontrol_resource, describe<T>(), detail::find_decode<T, json::node>(),
                                   detail::find_decode<T, json::lazy_node>(), detail::find_plain_decode<T>());
    return info;
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/model/impl/resource_of.ipp>
#endif
