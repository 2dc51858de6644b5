// The schema of a version of a custom kind: what it drops, what it adds, and what it has against an object. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/schema/text_checks.hpp>
#include <kcontrol/testing/failure.hpp>

#include <memory>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::testing {

namespace detail {
class parsed_rules;
}

/// An openAPIV3Schema, as apiextensions-apiserver 1.36 uses it. Rules (x-kubernetes-validations) are those of
/// cel_rules.
///
/// Thread-safety: distinct objects safe; shared objects unsafe (patterns and rules are compiled once).
class structural_schema {
public:
    /// `schema`: the openAPIV3Schema, which is taken for a valid one.
    explicit structural_schema(json::value schema);

    /// Where the subresource scale finds its numbers: ".spec.replicas".
    std::string scale_spec,  ///< specReplicasPath; empty: no scale
        scale_status,        ///< statusReplicasPath
        scale_selector;      ///< labelSelectorPath; empty: none

    /// Removes what the schema does not have, and adds its paths to `unknown`, in order.
    void prune(json::object& whole, std::vector<std::string>& unknown) const;
    /// Adds defaults, and removes nulls where none may be.
    void set_defaults(json::object& whole) const;
    /// What is wrong with an object. What was wrong in `before` at the same place already, and is unchanged, passes.
    std::vector<field_problem> validate(const json::object& whole, const json::object* before) const;

    const json::value& text() const noexcept { return schema_; }  ///< the openAPIV3Schema, as it was given

private:
    json::value schema_;
    bool has_rules_;
    std::shared_ptr<text_checks> texts_;
    std::shared_ptr<detail::parsed_rules> rules_;
};

/// The value at ".spec.replicas" of an object, or null.
const json::value* value_at_path(const json::value& whole, std::string_view path);

}  // namespace kcontrol::testing
