// What a list brings.
#pragma once

#include <kcontrol/model/any_object.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace kcontrol {

/// One page, or the whole, of a list.
class any_list {
public:
    std::vector<any_object> items;
    std::string resource_version;
    std::string continue_token;  ///< empty on the last page
    std::size_t skipped = 0;     ///< objects that did not decode; they are logged
};

}  // namespace kcontrol
