// validate(): what the API server would say about an object, before it is sent.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/codec/codec.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1 {

/// The kinds of field.Error (apimachinery) that schemas give rise to, and `forbidden`, which only webhooks say.
enum class field_error_kind : std::uint8_t {
    required,
    invalid,
    type_invalid,
    not_supported,
    too_long,
    too_many,
    duplicate,
    forbidden
};

/// What is wrong at one place, in the words of the API server.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class field_error {
public:
    /// The path, the kind, the value as it is shown, and the message; see the members.
    field_error(std::string where, field_error_kind k, std::string shown_value, std::string text)
        : path(std::move(where)), kind(k), value(std::move(shown_value)), message(std::move(text)) {}

    std::string path;       ///< `spec.ports[1].name`
    field_error_kind kind;  ///< what reason() and the first words of body() come from
    std::string value;      ///< as Kubernetes prints it; empty where it prints none
    std::string message;    ///< `spec.replicas in body should be less than or equal to 10`; empty where kind says all

    /// As metav1.StatusCause has it: `Invalid value: 11: spec.replicas in body should be less than or equal to 10`.
    KCONTROL_DECL std::string body() const;
    /// The path and the body.
    std::string str() const { return path + ": " + body(); }
    /// The `reason` of metav1.StatusCause: `FieldValueInvalid`.
    KCONTROL_DECL std::string_view reason() const noexcept;

    friend bool operator==(const field_error&, const field_error&) = default;
};

using field_errors = std::vector<field_error>;

namespace detail {

KCONTROL_DECL field_errors validate_node(const type_descriptor& type, json::node object, bool as_resource);
KCONTROL_DECL result<field_errors> validate_text(const type_descriptor& type, std::string_view text, bool as_resource);

}  // namespace detail

/// Checks an object against the schema that schema_of<T>() gives, as the API server does when it is created. Empty: the
/// schema has nothing against it. Errors come in the order of the schema's fields.
///
/// Left to the server: what the scale subresource asks of replicas, CEL rules (x-kubernetes-validations), the object's
/// own metadata, schemas of custom_codecs, and the formats uri, email, ipv4, ipv6, cidr, mac, isbn*, creditcard,
/// rgbcolor, bsonobjectid and duration. Patterns are matched by RE2, which has Go's syntax and meaning. Unknown members
/// are ignored, as the server drops them; absent members with a default are right. Each call compiles the patterns it
/// needs. A list where the schema wants a string with a format is refused here; the server lets it pass, but no typed
/// object can hold it.
///
/// Thread-safety: safe.
/// Source: kube-openapi pkg/validation and apiextensions-apiserver 1.37; compared with a server in tests/e2e.
template <class T>
field_errors validate(const T& object) {
    // Through its JSON, so that what is checked is what would be sent.
    return *detail::validate_text(describe<T>(), detail::encode_text(describe<T>(), &object),
                                  detail::has_resource_name<T>);
}

/// An object that came as JSON, before it is decoded.
template <class T>
field_errors validate_json(json::node object) {
    return detail::validate_node(describe<T>(), object, detail::has_resource_name<T>);
}
/// Errors: decode_failed if the text is not JSON.
template <class T>
result<field_errors> validate_json(std::string_view text) {
    return detail::validate_text(describe<T>(), text, detail::has_resource_name<T>);
}

/// One line: the errors, separated by ", " and in brackets if there are several.
KCONTROL_DECL std::string to_string(const field_errors& errors);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/schema/impl/validate.ipp>
#include <kcontrol/schema/impl/validate_field_error.ipp>
#endif
