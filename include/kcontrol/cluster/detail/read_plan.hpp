// Which of the informers of a kind can answer a read, as plain functions.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/selector.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// What an informer holds: the objects of a namespace (empty: of all) that its selectors select.
class cached_scope {
public:
    cached_scope() = default;
    cached_scope(std::string ns, label_selector l, field_selector f)
        : in_namespace(std::move(ns)), labels(std::move(l)), fields(std::move(f)) {}

    std::string in_namespace;
    label_selector labels;
    field_selector fields;
};

/// The same of an informer's options. Errors: invalid_argument for selectors that the server refuses, too.
KCONTROL_DECL result<cached_scope> parse_scope(const std::string& in_namespace, const std::string& labels,
                                               const std::string& fields);

/// Where a read is answered.
class read_plan {
public:
    std::vector<std::size_t> from;  ///< numbers of scopes, to be looked at one after another; none: see `refusal`
    bool whole = false;             ///< what is wanted and not there is nowhere
    std::string refusal;            ///< what the scopes have instead
};

/// Whether everything that `asked` selects, `cached` selects as well. Sound, and complete for terms that stand alone.
KCONTROL_DECL bool implies(const label_selector& asked, const label_selector& cached);
KCONTROL_DECL bool implies(const field_selector& asked, const field_selector& cached);

/// Of one object: looks at each scope of its namespace, unless one of them is sure to hold it.
KCONTROL_DECL read_plan plan_get(const namespaced_name& key, const std::vector<cached_scope>& scopes);

/// Of all objects that `wanted` describes: one scope that holds them all.
KCONTROL_DECL read_plan plan_list(const cached_scope& wanted, const std::vector<cached_scope>& scopes);

}  // namespace kcontrol::detail

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/cluster/impl/read_plan.ipp>
#endif
