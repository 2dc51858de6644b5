// The documents behind --openapi.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server.hpp>

#include <string>

namespace kcontrol_apiserver {

/// Gives the server the documents of a directory, by Kubernetes' own names for such files: api__v1.json or
/// api__v1_openapi.json is "api/v1". What the server does not serve is passed over. Errors: file_failed,
/// decode_failed, naming the file and the remedy.
kcontrol::result<void> add_openapi_files(kcontrol::environment& env, kcontrol::testing::api_server& api,
                                         const std::string& directory);

}  // namespace kcontrol_apiserver
