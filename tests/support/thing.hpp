// The least an object can be, for tests of controllers.
#pragma once

#include <kcontrol/cache/event.hpp>

#include <memory>
#include <string>
#include <utility>

namespace kcontrol::test {

struct thing {
    object_meta metadata;
    std::string color;
};

inline any_object make_thing(std::string name, std::string version = "1", std::string color = {}) {
    auto made = std::make_shared<thing>();
    made->metadata.namespace_ = "ns";
    made->metadata.name = std::move(name);
    made->metadata.resource_version = std::move(version);
    made->color = std::move(color);
    return any_object(std::shared_ptr<const thing>(std::move(made)));
}

}  // namespace kcontrol::test
