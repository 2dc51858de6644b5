// Which of the informers of a kind can answer a read, as plain functions.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/selector.hpp>
#include <kcontrol/model/shard_selector.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// What an informer holds: the objects of a namespace (empty: of all) that its selectors select.
class cached_scope {
public:
    cached_scope() = default;
    cached_scope(std::string ns, label_selector l, field_selector f, shard_selector s = {})
        : in_namespace(std::move(ns)), labels(std::move(l)), fields(std::move(f)), part(std::move(s)) {}

    std::string in_namespace;
    label_selector labels;
    field_selector fields;
    shard_selector part;
};

/// The same of an informer's options. Errors: invalid_argument for selectors that the server refuses, too.
template <class Options>
result<cached_scope> parse_scope(const Options& options) {
    auto labels = label_selector::parse(options.label_selector());
    if (!labels) return labels.error();
    auto fields = field_selector::parse(options.field_selector());
    if (!fields) return fields.error();
    auto part = shard_selector::parse(options.shard_selector());
    if (!part) return part.error();
    return cached_scope(options.in_namespace(), std::move(*labels), std::move(*fields), std::move(*part));
}

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
