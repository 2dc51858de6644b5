#pragma once

#include <kcontrol/controller/options.hpp>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL controller_options::controller_options() = default;
KCONTROL_DECL controller_options::controller_options(const controller_options&) = default;
KCONTROL_DECL controller_options::controller_options(controller_options&&) noexcept = default;
KCONTROL_DECL controller_options& controller_options::operator=(const controller_options&) = default;
KCONTROL_DECL controller_options& controller_options::operator=(controller_options&&) noexcept = default;
KCONTROL_DECL controller_options::~controller_options() = default;

}  // namespace kcontrol
