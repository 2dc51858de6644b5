// What a wrapped client says in each of its calls: dry_running(), namespaced(), with_field_owner() and their like.
#pragma once

#include <kcontrol/client/options.hpp>
#include <kcontrol/model/resource.hpp>

#include <optional>
#include <string>
#include <utility>

namespace kcontrol::inline v0_1::detail {

class client_defaults {
public:
    bool dry_run = false;
    std::string namespace_;  ///< empty: any
    std::string field_manager;
    std::optional<kcontrol::field_validation> field_validation;
};

/// Puts a call of that kind into the client's namespace. `of` may be null: no defaults. Errors: invalid_argument for
/// another one.
inline result<void> place(const client_defaults* of, const resource_info& info, std::string& ns) {
    if (of == nullptr || of->namespace_.empty() || !info.namespaced()) return {};
    if (ns.empty()) ns = of->namespace_;
    if (ns == of->namespace_) return {};
    return error(errc::invalid_argument, "this client is for the namespace \"" + of->namespace_ +
                                             "\", and the call is about \"" + escape_control(ns) + "\"");
}

/// The same for what selects objects.
template <class Options>
result<void> place(const client_defaults* of, const resource_info& info, Options& options) {
    std::string ns = std::as_const(options).in_namespace();
    auto ok = place(of, info, ns);
    options.in_namespace(std::move(ns));
    return ok;
}

/// The options of writes and applies.
template <class Options>
void fill_write(const client_defaults* of, Options& options) {
    if (of == nullptr) return;
    if (of->dry_run) options.dry_run();
    if (std::as_const(options).field_manager().empty()) options.field_manager(of->field_manager);
    if (of->field_validation && !std::as_const(options).field_validation()) {
        options.field_validation(*of->field_validation);
    }
}

inline void fill_delete(const client_defaults* of, delete_options& options) {
    if (of != nullptr && of->dry_run) options.dry_run();
}

}  // namespace kcontrol::detail
