#pragma once

#include <kcontrol/controller/host.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL result<void> controller_list::add(std::shared_ptr<any_controller> added) {
    for (const auto& one : controllers_) {
        if (one->name() != added->name()) continue;
        return error(errc::invalid_argument, "a controller named " + added->name() +
                                                 " exists already: names are unique, because metrics carry them");
    }
    controllers_.push_back(std::move(added));
    return {};
}

}  // namespace kcontrol
