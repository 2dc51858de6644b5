#pragma once

#include <kcontrol/watch/detail/list_plan.hpp>
#include <kcontrol/watch/options.hpp>

namespace kcontrol::inline v0_1::detail {

KCONTROL_DECL void list_plan::begin(std::string_view known) {
    token_.clear();
    unpaged_ = false;
    due_ = true;
    asked_ = newest_ ? std::string_view() : known.empty() ? std::string_view("0") : known;
}

KCONTROL_DECL void list_plan::begin_unpaged() {
    token_.clear();
    asked_.clear();
    unpaged_ = true;
}

KCONTROL_DECL reflector_action list_plan::page() const {
    if (!token_.empty()) return reflector_action::list({}, token_, page_size_);
    if (unpaged_) return reflector_action::list({}, {}, 0);
    if (asked_.empty() || asked_ == "0") return reflector_action::list(asked_, {}, page_size_);
    // A limit together with a version other than "0" means "exactly at that version" to the server, which is not
    // what a list after 410 wants; so such a list is not paged (client-go does the same).
    return reflector_action::list(asked_, {}, 0);
}

KCONTROL_DECL bool list_plan::take_page(std::string_view version, std::string_view token) {
    if (token_.empty()) version_ = version;
    token_ = token;
    return token_.empty();
}

KCONTROL_DECL bool list_plan::halve_page(std::string_view known) {
    if (unpaged_ || !asked_.empty() || page_size_ == 0) {
        if (page_size_ == 0) page_size_ = reflector_policy().page_size();
        newest_ = true;
        begin(known);
        return true;
    }
    if (page_size_ == 1) return false;
    page_size_ /= 2;
    return true;
}

}  // namespace kcontrol::detail
