#pragma once

#include <kcontrol/cluster/cluster.hpp>
#include <kcontrol/record/event_recorder.hpp>

#include <utility>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL std::shared_ptr<any_informer> cluster::informer_of(const resource_info& kind) {
    auto all = informers_of(kind);
    return all.size() == 1 ? std::move(all.front()) : nullptr;
}

KCONTROL_DECL result<std::shared_ptr<cached_source>> cluster::source_with(const resource_info& kind,
                                                                          const kind_options&) {
    return error(errc::unavailable, "this cluster can't watch " + kind.gvk.kind + " with options of its own");
}

KCONTROL_DECL awaitable<result<void>> cluster::remove_informers_of(const resource_info& kind) {
    co_return error(errc::unavailable, "the informers of " + kind.gvk.kind + " can't be removed from this cluster");
}

KCONTROL_DECL std::shared_ptr<event_recorder> cluster::get_event_recorder(std::string reporter) {
    return recorder_of(event_recorder_options(std::move(reporter)));
}

}  // namespace kcontrol
