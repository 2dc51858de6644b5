#pragma once

#include <kcontrol/controller/selector_predicate.hpp>

#include <optional>
#include <string_view>
#include <utility>

namespace kcontrol {

KCONTROL_DECL predicate labels_match(label_selector selector) {
    return before_or_after([selector = std::move(selector)](const any_object& object) {
        return selector.matches_with([&object](std::string_view key) -> std::optional<std::string_view> {
            const text* const value = object.meta().labels.get(key);
            if (value == nullptr) return std::nullopt;
            return std::string_view(*value);
        });
    });
}

}  // namespace kcontrol
