// What the API server does to an object before it stores it: checks, defaults and what a writer may not touch. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/failure.hpp>
#include <kcontrol/testing/resource_type.hpp>

#include "testserver/stored_object.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::testing {

/// Where a written object goes: what the request's path said.
class write_target {
public:
    write_target() = default;
    /// `v`: the version, `ns`: the namespace, `n`: the name.
    write_target(std::string v, std::string ns, std::string n)
        : version(std::move(v)), namespace_(std::move(ns)), name(std::move(n)) {}

    std::string version;                 ///< of the API: "v1"; empty: the preferred one
    std::string namespace_;              ///< empty for cluster-scoped kinds
    std::string name;                    ///< empty in a create
    std::string subresource;             ///< "", "status", "finalize" or "binding"
    bool is_patch = false;               ///< the new object is a patched stored one: some refusals read differently
    std::string manager = "in-process";  ///< who writes: the owner of fields, where fields have owners

    /// What is done about fields that the kind does not have; see default_and_validate().
    enum class field_validation { ignore, warn, strict };
    field_validation unknown_fields = field_validation::ignore;  ///< fieldValidation; requests that do not say it warn
    std::vector<std::string>* warnings = nullptr;                ///< where they are told, if that is asked for
};

/// Checks apiVersion and kind of a body, and its namespace against the path's (filling it in); null and empty
/// metadata members and managedFields are dropped, which makes "nothing changed" comparable.
outcome<void> check_and_normalise(const resource_type& type, const write_target& target, json::object& body);

/// Makes a checked body ready to be stored as a new object: refuses a resourceVersion and bad names, drops what only
/// the server sets and a status that goes through its subresource, and sets name, namespace, uid, creationTimestamp and
/// generation. (resourceVersion is set at the commit.)
outcome<void> prepare_create(const resource_type& type, const write_target& target, json::object& body,
                             const std::string& uid, const std::string& now);

/// Whether an object that is written says the name that the URL has.
outcome<void> check_name(const write_target& target, const json::object& metadata);

/// Makes a checked body ready to replace `stored`, whose content is `before`: conflicts, immutable metadata, what
/// belongs to the other (sub)resource, finalizers of a terminating object, generation. Equal to `before` afterwards:
/// nothing to write.
outcome<void> prepare_update(const resource_type& type, const write_target& target, const stored_object& stored,
                             const json::object& before, json::object& body);

/// Whether a terminating object has nothing left that keeps it.
bool is_released(const resource_type& type, const json::object& content);

/// Whether `name` is a lower-case RFC 1123 subdomain of at most 253 characters.
bool is_object_name(std::string_view name) noexcept;

namespace detail {

inline constexpr std::string_view name_problem =
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    "end with an alphanumeric character (e.g. 'example.com', regex used for validation is "
    "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

/// The text of a member, or empty.
std::string member(const json::object& from, std::string_view name);

/// The kind as errors about an object name it: "PyTorchJob.kubeflow.org".
group_resource kind_of(const resource_type& type);

}  // namespace detail

}  // namespace kcontrol::testing
