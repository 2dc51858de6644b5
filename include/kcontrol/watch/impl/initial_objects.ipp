#pragma once

#include <kcontrol/watch/detail/initial_objects.hpp>

#include <utility>

namespace kcontrol::inline v0_1::detail {

// Of an object that comes twice the last counts, as in any list.
KCONTROL_DECL any_object* initial_objects::find(const namespaced_name& key) {
    if (!places_) {
        places_.emplace();
        for (std::size_t i = 0; i < all_.objects.size(); ++i) (*places_)[all_.objects[i].key()] = i;
    }
    const auto found = places_->find(key);
    return found == places_->end() ? nullptr : &all_.objects[found->second];
}

KCONTROL_DECL void initial_objects::added(any_object object) {
    if (places_) return modified(std::move(object));
    all_.objects.push_back(std::move(object));
}

KCONTROL_DECL void initial_objects::modified(any_object object) {
    const namespaced_name key = object.key();
    std::erase_if(all_.invalid, [&](const invalid_object& one) { return one.key() == key; });
    if (any_object* const present = find(key)) {
        *present = std::move(object);
        return;
    }
    all_.objects.push_back(std::move(object));
    places_->emplace(key, all_.objects.size() - 1);
}

KCONTROL_DECL void initial_objects::invalid(invalid_object object) {
    const namespaced_name key = object.key();
    if (places_ && object.has_name()) deleted(key);
    all_.invalid.push_back(std::move(object));
}

KCONTROL_DECL void initial_objects::deleted(const namespaced_name& key) {
    std::erase_if(all_.invalid, [&](const invalid_object& one) { return one.key() == key; });
    any_object* const present = find(key);
    if (present == nullptr) return;
    *present = any_object();
    places_->erase(key);
    holes_ = true;
}

KCONTROL_DECL listed_objects initial_objects::take() {
    if (holes_) std::erase_if(all_.objects, [](const any_object& one) { return !one; });
    places_.reset();
    holes_ = false;
    return std::exchange(all_, {});
}

}  // namespace kcontrol::detail
