#pragma once

#include <kcontrol/controller/selector_predicate.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL predicate labels_match(label_selector selector) {
    return before_or_after(
        [selector = std::move(selector)](const any_object& object) { return selector.selects(object.meta()); });
}

}  // namespace kcontrol
