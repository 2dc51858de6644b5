// --crds-of and --rbac-of take an API server to try a program at. kcontrol-apiserver is one, and takes them itself; a
// generator that builds need shall not hold one.
#pragma once

#include <kcontrol/base/result.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace kcontrol_gen {

/// Whether one of these two flags is among the arguments before "--".
bool is_for_apiserver(const std::vector<std::string>& arguments);

/// Where kcontrol-apiserver may be: in `own_folder`, then in the folders of `path`, a list like $PATH.
std::vector<std::string> apiserver_places(const std::string& own_folder, std::string_view path);

/// Becomes kcontrol-apiserver with these arguments. Comes back only with the reason why it can't.
kcontrol::error become_apiserver(const std::vector<std::string>& arguments);

}  // namespace kcontrol_gen
