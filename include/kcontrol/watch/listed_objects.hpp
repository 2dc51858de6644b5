// What a list brought, for whoever keeps it.
#pragma once

#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/model/any_object.hpp>

#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// What a list brought in all its pages, or as a stream.
class listed_objects {
public:
    std::vector<any_object> objects;      ///< those that can be read
    std::vector<invalid_object> invalid;  ///< those that can't be decoded, or have no name or uid
    std::string version;                  ///< of the list; empty if the kind is gone
    /// The versions are of another history than those before: what is equal is to be found out by content.
    bool by_content = false;
};

}  // namespace kcontrol
