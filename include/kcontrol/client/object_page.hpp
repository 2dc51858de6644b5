// A list with what belongs to it, as objects of one type.
#pragma once

#include <kcontrol/client/any_list.hpp>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1 {

/// One page, or the whole, of a list: any_list with a type.
template <class T>
class object_page {
public:
    object_page() = default;
    /// `from` is a list of objects of that type; what is of another one becomes null.
    explicit object_page(any_list from)
        : invalid(std::move(from.invalid)),
          resource_version(std::move(from.resource_version)),
          continue_token(std::move(from.continue_token)),
          remaining(from.remaining) {
        items.reserve(from.items.size());
        for (auto& item : from.items) items.push_back(std::move(item).template as<T>());
    }

    std::vector<std::shared_ptr<const T>> items;  ///< what decoded, in the order in which it came
    std::vector<invalid_object> invalid;          ///< what did not decode; nothing of it is among the items
    std::string resource_version;                 ///< a watch from here sees what changed since
    std::string continue_token;                   ///< empty on the last page
    std::optional<std::int64_t> remaining;        ///< see any_list::remaining
};

}  // namespace kcontrol
