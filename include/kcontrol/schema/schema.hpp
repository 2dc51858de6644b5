// schema_of<T>(): the OpenAPI v3 structural schema of a described type, as CustomResourceDefinitions carry it.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/describe.hpp>
#include <kcontrol/model/resource.hpp>

#include <string>

namespace kcontrol::inline v0_1 {

namespace detail {

/// `as_resource`: with apiVersion and kind, and metadata as the server checks it itself.
KCONTROL_DECL result<std::string> write_schema(const type_descriptor& type, bool as_resource);

}  // namespace detail

/// The structural schema of T as compact JSON. Members come in the order of Kubernetes' own JSONSchemaProps, properties
/// in the order of their names: the same type gives the same text.
///
/// Integers have their format; times are strings of format date-time; quantity_text and int_or_string are
/// x-kubernetes-int-or-string; a raw_json, and a type with a custom_codec without schema, keep unknown fields. An
/// object_meta inside an object has the fields that templates use (name, namespace, labels, annotations, finalizers).
/// What rules() say comes on top.
///
/// Errors: invalid_argument, naming the path and the remedy: a type that contains itself, which structural schemas
/// can't express; a default or enum value that is not JSON; list-map keys that are no required fields of the elements.
template <class T>
result<std::string> schema_of() {
    return detail::write_schema(describe<T>(), detail::has_resource_name<T>);
}

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/schema/impl/schema.ipp>
#endif
