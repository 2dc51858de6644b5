#pragma once

#include <kcontrol/cache/detail/index_hold.hpp>
#include <kcontrol/cache/index.hpp>

#include <string>
#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL index_rule index_by_label(std::string label) {
    index_rule rule([label](const any_object& object, index_keys& to) {
        if (const text* const value = object.meta().labels.get(label)) to.add(*value);
    });
    rule.label(std::move(label));
    return rule;
}

KCONTROL_DECL index_rule index_by_owner() {
    return index_rule([](const any_object& object, index_keys& to) {
        for (const auto& owner : object.meta().owner_references) to.add(owner.uid);
    });
}

KCONTROL_DECL index_rule index_by_controller() {
    return index_rule([](const any_object& object, index_keys& to) {
        if (const auto* const owner = controller_of(object.meta())) to.add(owner->uid);
    });
}

KCONTROL_DECL index_rule index_by_namespace() {
    return index_rule([](const any_object& object, index_keys& to) { to.add(object.meta().namespace_); });
}

KCONTROL_DECL std::string_view store_index::name() const noexcept {
    return hold_ != nullptr ? std::string_view(hold_->name) : std::string_view();
}

}  // namespace kcontrol
