// Events in the two groups that serve them: core/v1 and events.k8s.io/v1 are two forms of one store. Pure.
#pragma once

#include <kcontrol/documents/value.hpp>
#include <kcontrol/testing/group_resource.hpp>

#include <optional>

namespace kcontrol::inline v0_1::testing {

/// The resource under which the same Events are served in their other form; nothing: `id` is not that of Events.
std::optional<group_resource> other_events(const group_resource& id);

/// The content of an Event of `id`, without apiVersion and kind, in its other form. The members have other names
/// ("message" is "note"), and the same values.
///
/// Source: pkg/apis/core and pkg/apis/events/v1/conversion.go, Kubernetes 1.36.
json::object event_in_other_form(const group_resource& id, const json::object& content);

}  // namespace kcontrol::testing
