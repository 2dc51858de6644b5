#pragma once

#include <kcontrol/cluster/cluster.hpp>

#include <utility>

namespace kcontrol {

KCONTROL_DECL std::shared_ptr<any_informer> cluster::informer_of(const resource_info& kind) {
    auto all = informers_of(kind);
    return all.size() == 1 ? std::move(all.front()) : nullptr;
}

KCONTROL_DECL awaitable<result<void>> cluster::remove_informers_of(const resource_info& kind) {
    co_return error(errc::unavailable, "the informers of " + kind.gvk.kind + " can't be removed from this cluster");
}

}  // namespace kcontrol
