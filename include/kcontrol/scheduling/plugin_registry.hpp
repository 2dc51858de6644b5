// plugin_registry: the plugins that a scheduler has, by the names that a configuration uses.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/scheduling/configuration.hpp>
#include <kcontrol/scheduling/node_resources_fit.hpp>
#include <kcontrol/scheduling/plugin.hpp>
#include <kcontrol/scheduling/pod_topology_spread.hpp>
#include <kcontrol/scheduling/profile.hpp>
#include <kcontrol/scheduling/volume_catalog.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kcontrol::inline v0_1::scheduling {

/// Makes plugins, with the settings that a configuration gives them.
///
/// Thread-safety: distinct objects safe; shared objects safe for const access.
class plugin_registry {
public:
    /// Makes a plugin. `args` are its settings, or none. Errors: what is wrong with them, by configuration_part.
    using factory = std::function<result<plugin>(const configuration_part& args)>;

    /// Adds a plugin, or replaces the one of that name in its place. A profile without a list of plugins has all that
    /// are added, in this order, each with its weight.
    KCONTROL_DECL plugin_registry& add(std::string name, factory make, std::int64_t weight = 1);
    /// The same with a plugin that is there already, and takes no settings. All profiles share it.
    template <class P>
    requires(!std::is_convertible_v<P, std::string>) plugin_registry& add(P shared, std::int64_t weight = 1) {
        plugin made(std::move(shared));
        std::string name(made.name());
        const auto make = [made = std::move(made)](const configuration_part& args) -> result<plugin> {
            if (args) return args.wrong(std::string(made.name()) + " takes no args");
            return made;
        };
        return add(std::move(name), make, weight);
    }
    /// The same, before all others: its filter is asked first.
    KCONTROL_DECL plugin_registry& put_first(std::string_view name);

    /// How many nodes are looked at for profiles that do not say it: see profile::percentage_of_nodes_to_score(). 100:
    /// a plugin is to see all nodes that can take the pod. Default 0.
    plugin_registry& percentage_of_nodes_to_score(std::int32_t percentage) { return percentage_ = percentage, *this; }

    KCONTROL_DECL bool knows(std::string_view name) const;  ///< whether it is there
    /// The profiles of a configuration. Errors: those of the factories.
    KCONTROL_DECL result<std::vector<profile>> make(const scheduler_configuration& from) const;
    /// A profile with all plugins. Errors: those of the factories without settings.
    KCONTROL_DECL result<profile> make_default(std::string scheduler_name) const;

private:
    struct entry {
        std::string name;
        factory make;
        std::int64_t weight = 1;
    };
    std::vector<entry> entries_;
    std::int32_t percentage_ = 0;
};

/// The plugins of default_plugins, with kube-scheduler's arguments (KubeSchedulerConfiguration v1): scoringStrategy,
/// ignoredResources and ignoredResourceGroups of NodeResourcesFit, resources of NodeResourcesBalancedAllocation,
/// hardPodAffinityWeight and ignorePreferredTermsOfExistingPods of InterPodAffinity, defaultConstraints and
/// defaultingType of PodTopologySpread. The catalog outlives the plugins. `default_selector` is for PodTopologySpread.
KCONTROL_DECL plugin_registry default_registry(
    const volume_catalog& volumes, pod_topology_spread_options::default_selector_function default_selector = {});

/// Makes NodeResourcesFit with kube-scheduler's arguments. It passes over these extended resources as well: those that
/// a plugin of the program hands out. `claims`: see node_resources_fit_options::claims().
KCONTROL_DECL plugin_registry::factory node_resources_fit_factory(std::vector<std::string> ignored_resources,
                                                                  std::shared_ptr<const claim_catalog> claims = {});

}  // namespace kcontrol::scheduling

#ifdef KCONTROL_HEADER_ONLY
#include <kcontrol/scheduling/impl/plugin_registry.ipp>
#endif
