// What a list brings.
#pragma once

#include <kcontrol/client/invalid_object.hpp>
#include <kcontrol/model/any_object.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1 {

/// One page, or the whole, of a list.
class any_list {
public:
    std::vector<any_object> items;        ///< what decoded, in the order in which it came
    std::vector<invalid_object> invalid;  ///< what did not decode; nothing of it is among the items
    std::string resource_version;  ///< a watch from here sees what changed since; of several pages that of the first
    std::string continue_token;    ///< empty on the last page
    /// How many objects follow this page, by the server's estimate; nothing where it does not say so, which is always
    /// so of a list with a selector.
    std::optional<std::int64_t> remaining;
    std::uint64_t bytes = 0;  ///< size of the answers
};

}  // namespace kcontrol
