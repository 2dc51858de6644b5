#pragma once

#include <kcontrol/cluster/informer_kind.hpp>

namespace kcontrol {
namespace detail {

inline std::shared_ptr<any_informer> make_any_informer(environment& env, executor ex, client cl,
                                                       const resource_info& info, informer_options options) {
    return std::make_shared<any_informer>(env, std::move(ex), std::move(cl), info, std::move(options));
}

}  // namespace detail

KCONTROL_DECL informer_kind::informer_kind(const resource_info& i) : informer_kind(i, detail::make_any_informer) {}

}  // namespace kcontrol
