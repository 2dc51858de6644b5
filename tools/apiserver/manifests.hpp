// Objects that people wrote into files, and their way into the server.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/documents/value.hpp>
#include <kcontrol/runtime/environment.hpp>
#include <kcontrol/testing/api_server.hpp>

#include <string>
#include <vector>

namespace kcontrol_apiserver {

/// An object and where it stands: "pods.yaml, document 2".
class manifest {
public:
    manifest(std::string w, kcontrol::json::value o) : where(std::move(w)), object(std::move(o)) {}

    std::string where;
    kcontrol::json::value object;
};

/// The objects of a file, or of the .yaml, .yml and .json files of a directory in order of their names; lists taken
/// apart. Errors: file_failed, decode_failed, naming file, document and remedy.
kcontrol::result<std::vector<manifest>> read_manifests(kcontrol::environment& env, const std::string& path);

/// Creates them, definitions first, then namespaces, then all others in their order, each with its status. What is
/// there already stays as it is. `notes` gets a sentence about each object of which something was dropped that a user
/// may miss: file, object, field and remedy. Errors: the server's, naming file and object.
kcontrol::result<void> create_all(kcontrol::testing::api_server& api, std::vector<manifest> objects,
                                  std::vector<std::string>& notes);

/// Creates those whose kind and namespace are there, and takes them out of `objects`. Notes and errors: as
/// create_all(), of an object that is taken out, too; the next call goes on.
kcontrol::result<void> create_those_served(kcontrol::testing::api_server& api, std::vector<manifest>& objects,
                                           std::vector<std::string>& notes);

}  // namespace kcontrol_apiserver
