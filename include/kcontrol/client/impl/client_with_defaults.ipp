#pragma once

#include <kcontrol/client/client.hpp>
#include <kcontrol/client/detail/client_defaults.hpp>
#include <kcontrol/client/detail/resource_path.hpp>

namespace kcontrol::inline v0_1 {
namespace detail {

inline client_defaults copy_of(const std::shared_ptr<const client_defaults>& of) {
    return of ? *of : client_defaults();
}

}  // namespace detail

KCONTROL_DECL client client::with_defaults(detail::client_defaults defaults) const {
    client made = *this;
    made.defaults_ = std::make_shared<const detail::client_defaults>(std::move(defaults));
    return made;
}

KCONTROL_DECL result<namespaced_name> client::placed(const resource_info& info, namespaced_name key) const {
    if (auto ok = detail::place(defaults_.get(), info, key.namespace_); !ok) return ok.error();
    const auto path = detail::object_path(info, key);
    if (!path) return path.error();
    return key;
}

KCONTROL_DECL result<std::string> client::placed_namespace(const resource_info& info, std::string ns) const {
    if (auto ok = detail::place(defaults_.get(), info, ns); !ok) return ok.error();
    return ns;
}

KCONTROL_DECL client client::dry_running() const {
    auto defaults = detail::copy_of(defaults_);
    defaults.dry_run = true;
    return with_defaults(std::move(defaults));
}

KCONTROL_DECL client client::namespaced(std::string ns) const {
    auto defaults = detail::copy_of(defaults_);
    defaults.namespace_ = std::move(ns);
    return with_defaults(std::move(defaults));
}

KCONTROL_DECL client client::with_field_owner(std::string manager) const {
    auto defaults = detail::copy_of(defaults_);
    defaults.field_manager = std::move(manager);
    return with_defaults(std::move(defaults));
}

KCONTROL_DECL client client::with_field_validation(field_validation level) const {
    auto defaults = detail::copy_of(defaults_);
    defaults.field_validation = level;
    return with_defaults(std::move(defaults));
}

}  // namespace kcontrol
