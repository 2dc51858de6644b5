// The configuration of a scheduler: profiles that are right, or a message with the file's name; and its plugins' args.
#include <kcontrol/scheduling/configuration.hpp>
#include <kcontrol/scheduling/plugin_registry.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include "require.hpp"

#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace kcontrol;
    using kcontrol::fuzz::require;
    static const scheduling::volume_catalog volumes;
    static const auto plugins = scheduling::default_registry(volumes);
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    const auto read =
        scheduling::parse_configuration("f.yaml", text, [](std::string_view name) { return plugins.knows(name); });
    if (!read) {
        require(read.error().what().starts_with("f.yaml:"));
        return 0;
    }
    require(!read->profiles.empty());
    for (const auto& each : read->profiles) {
        require(!each.scheduler_name.empty());
        require(each.percentage_of_nodes_to_score >= 0 && each.percentage_of_nodes_to_score <= 100);
        if (!each.plugins) continue;
        for (const auto& one : *each.plugins) require(plugins.knows(one.name) && one.weight.value_or(1) >= 1);
    }
    const auto made = plugins.make(*read);
    require(made ? made->size() == read->profiles.size() : made.error().what().starts_with("f.yaml:"));
    return 0;
}
