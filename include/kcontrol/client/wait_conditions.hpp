// What is often waited for: conditions and fields of objects whose kind is known at run time only.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/model/any_object.hpp>

#include <functional>
#include <string>
#include <string_view>

namespace kcontrol::inline v0_1 {

// For wait_until() of a dynamic_resource(): the objects hold a dynamic_object. Where there is no object, nothing holds.
// The functions are copied freely and keep no reference. Thread-safety: shared objects safe.

/// status.conditions has one of that type with that status ("True", "False", "Unknown"); both ignore case, as kubectl
/// does. One that says which generation it is about, or whose status does, does not count while the object's is newer:
/// it speaks of what was there before the last change.
KCONTROL_DECL std::function<bool(const any_object&)> condition_is(std::string type, std::string status = "True");

/// The field at that JSON pointer ("/spec/replicas") has that value: a string as it is, everything else as JSON.
KCONTROL_DECL std::function<bool(const any_object&)> field_is(std::string pointer, std::string value);

/// What `kubectl wait --for` takes: "condition=TYPE", "condition=TYPE=STATUS", "create", "delete", which holds where
/// there is no object, "jsonpath={.a.b}=VALUE" and "jsonpath={.a.b}", which holds where there is any value. The braces
/// and the first dot may be absent, and quotes around VALUE do not count. The path is a json_path of names and
/// indexes; what could select several values is refused. Where VALUE is compared with an object or a list, the function
/// throws std::runtime_error. wait_until() returns that as an error, as kubectl ends with one. Errors:
/// invalid_argument, naming the text and the reason.
KCONTROL_DECL result<std::function<bool(const any_object&)>> parse_wait_condition(std::string_view text);

}  // namespace kcontrol

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/client/impl/wait_conditions.ipp>
#endif
