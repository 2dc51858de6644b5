#pragma once

#include <kcontrol/controllerutil/finalizers.hpp>
#include <kcontrol/model/names.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL bool has_finalizer(const object_meta& meta, std::string_view name) {
    return std::find(meta.finalizers.begin(), meta.finalizers.end(), name) != meta.finalizers.end();
}

KCONTROL_DECL bool add_finalizer(object_meta& meta, std::string_view name) {
    if (has_finalizer(meta, name)) return false;
    meta.finalizers.emplace_back(name);
    return true;
}

KCONTROL_DECL bool remove_finalizer(object_meta& meta, std::string_view name) {
    const bool had = has_finalizer(meta, name);
    for (std::size_t i = meta.finalizers.size(); i-- > 0;) {
        if (meta.finalizers[i] == name) meta.finalizers.erase(meta.finalizers.begin() + static_cast<std::ptrdiff_t>(i));
    }
    return had;
}

namespace detail {

KCONTROL_DECL result<void> check_finalizer(std::string_view name) {
    name_problems problems = check_label_key(name);
    // The server takes three names without a domain, which are its own.
    if (problems.empty() && name.find('/') == std::string_view::npos) {
        problems.push_back("needs a domain before it, as in \"example.com/cleanup\"");
    }
    if (problems.empty()) return {};
    return error(errc::invalid_argument, "finalizer \"" + std::string(name) + "\": " + join_problems(problems));
}

}  // namespace detail
}  // namespace kcontrol
