#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/model/label_selector.hpp>
#include <kcontrol/model/names.hpp>
#include <kcontrol/service/endpoints_target.hpp>

namespace kcontrol::inline v0_1::service {
namespace detail {

inline result<void> check_part(std::string_view what, std::string_view text, const name_problems& wrong) {
    if (text.empty()) return error(errc::invalid_argument, std::string(what) + ": it is missing");
    if (wrong.empty()) return {};
    return error(errc::invalid_argument,
                 std::string(what) + " \"" + escape_control(text) + "\": " + join_problems(wrong));
}

}  // namespace detail

KCONTROL_DECL result<endpoints_target> endpoints_target::parse(std::string_view text) {
    const auto slash = text.find('/');
    if (slash == std::string_view::npos) {
        return error(errc::invalid_argument,
                     "service \"" + escape_control(text) + "\": it has no namespace; the form is NAMESPACE/SERVICE");
    }
    auto out = service(namespaced_name(std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))));
    const auto usable = out.validate();
    if (!usable) return usable.error();
    return out;
}

KCONTROL_DECL result<void> endpoints_target::validate() const {
    const result<void> ns = detail::check_part("namespace", in_namespace(), check_dns1123_label(in_namespace()));
    if (!ns) return ns;
    if (is_service()) return detail::check_part("service", name_.name, check_dns1123_label(name_.name));
    const auto read = label_selector::parse(selector_);
    if (read && read->empty()) {
        return error(errc::invalid_argument, "selector: it is missing; give one that selects the pods, as app=web");
    }
    if (!read) return read.error().with_context("selector \"" + escape_control(selector_) + "\"");
    return {};
}

KCONTROL_DECL std::string to_string(const endpoints_target& target) {
    if (target.is_service()) return "service " + to_string(target.service_name());
    return "pods of " + target.in_namespace() + " with " + target.selector();
}

}  // namespace kcontrol::service
