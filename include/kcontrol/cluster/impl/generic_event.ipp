#pragma once

#include <kcontrol/cluster/generic_event.hpp>
#include <kcontrol/codec/metadata_object.hpp>

#include <memory>

namespace kcontrol::inline v0_1 {

KCONTROL_DECL any_event generic_event(const namespaced_name& key) {
    auto named = std::make_shared<metadata_object>();
    named->metadata.namespace_ = key.namespace_;
    named->metadata.name = key.name;
    return generic_event(any_object(std::shared_ptr<const metadata_object>(std::move(named))));
}

}  // namespace kcontrol
