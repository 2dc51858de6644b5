#pragma once

#include <kcontrol/controller/reconcile_context.hpp>

namespace kcontrol {

KCONTROL_DECL reconcile_context::reconcile_context(const reconcile_context&) = default;
KCONTROL_DECL reconcile_context::reconcile_context(reconcile_context&&) noexcept = default;
KCONTROL_DECL reconcile_context& reconcile_context::operator=(const reconcile_context&) = default;
KCONTROL_DECL reconcile_context& reconcile_context::operator=(reconcile_context&&) noexcept = default;
KCONTROL_DECL reconcile_context::~reconcile_context() = default;

}  // namespace kcontrol
