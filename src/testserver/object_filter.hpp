// Which objects a list, a watch or a delete of many is about: namespace, label selector and field selector.
#pragma once

#include <kcontrol/model/object_key.hpp>
#include <kcontrol/model/selector.hpp>
#include <kcontrol/testing/request_info.hpp>

#include "testserver/stored_object.hpp"

#include <string>

namespace kcontrol::inline v0_1::testing {

/// Namespace and selectors, to be matched against stored objects.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class object_filter {
public:
    object_filter() = default;

    /// Fails with BadRequest on a selector that can't be parsed or names a field that the kind does not offer.
    static outcome<object_filter> of_request(const request_info& request, const resource_type& type);

    std::string namespace_;  ///< empty: all
    group_resource id;       ///< of the kind, which says what its fields are
    label_selector labels;   ///< empty: any
    field_selector fields;   ///< empty: any

    bool has_selector() const noexcept { return !labels.empty() || !fields.empty(); }  ///< beside the namespace
    /// Whether namespace, labels and fields fit. `key` is the object's.
    bool matches(const namespaced_name& key, const stored_object& object) const;
};

}  // namespace kcontrol::testing
