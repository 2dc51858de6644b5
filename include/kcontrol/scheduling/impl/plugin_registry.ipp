#pragma once

#include <kcontrol/scheduling/default_plugins.hpp>
#include <kcontrol/scheduling/impl/plugin_args.hpp>
#include <kcontrol/scheduling/plugin_registry.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

// A plugin that takes no settings.
template <class P, class... Made>
plugin_registry::factory plugin_factory(const Made&... with) {
    return [made = plugin(P(with...))](const configuration_part& args) -> result<plugin> {
        if (args) return args.wrong(std::string(P::name) + " takes no args");
        return made;
    };
}

// One with settings that `read` reads.
template <class P, class Read>
plugin_registry::factory plugin_factory_of(Read read) {
    return [read = std::move(read)](const configuration_part& args) -> result<plugin> {
        auto options = read(args);
        if (!options) return options.error();
        return plugin(P(std::move(*options)));
    };
}

inline result<std::vector<resource_weight>> read_balance_args(const configuration_part& args) {
    if (const auto known = args.check_keys({"resources"}); !known) return known.error();
    auto out = read_resource_weights(args);
    if (!out) return out.error();
    return *out ? std::move(**out) : default_resource_weights();
}

}  // namespace detail

KCONTROL_DECL plugin_registry::factory node_resources_fit_factory(std::vector<std::string> ignored_resources,
                                                                  std::shared_ptr<const claim_catalog> claims) {
    return detail::plugin_factory_of<node_resources_fit>(
        [ignored = std::move(ignored_resources), claims = std::move(claims)](const configuration_part& args) {
            auto out = detail::read_fit_args(args);
            if (out) out->claims(claims);
            for (std::size_t i = 0; out && i < ignored.size(); ++i) out->ignore_resource(ignored[i]);
            return out;
        });
}

KCONTROL_DECL plugin_registry& plugin_registry::add(std::string name, factory make, std::int64_t weight) {
    const auto there = std::ranges::find(entries_, name, &entry::name);
    if (there != entries_.end()) {
        there->make = std::move(make);
        there->weight = weight;
    } else {
        entries_.push_back({std::move(name), std::move(make), weight});
    }
    return *this;
}

KCONTROL_DECL plugin_registry& plugin_registry::put_first(std::string_view name) {
    const auto there = std::ranges::find(entries_, name, &entry::name);
    if (there != entries_.end()) std::rotate(entries_.begin(), there, there + 1);
    return *this;
}

KCONTROL_DECL bool plugin_registry::knows(std::string_view name) const {
    return std::ranges::find(entries_, name, &entry::name) != entries_.end();
}

KCONTROL_DECL result<std::vector<profile>> plugin_registry::make(const scheduler_configuration& from) const {
    std::vector<profile> out;
    for (const auto& each : from.profiles) {
        if (!each.plugins) {
            auto made = make_default(each.scheduler_name);
            if (!made) return made.error();
            out.push_back(std::move(*made));
        } else {
            out.emplace_back(each.scheduler_name);
            for (const auto& wanted : *each.plugins) {
                const auto known = std::ranges::find(entries_, wanted.name, &entry::name);
                if (known == entries_.end()) return wanted.part.wrong("name", "there is no such plugin");
                auto made = known->make(wanted.args);
                if (!made) return made.error();
                out.back().add(std::move(*made), wanted.weight.value_or(known->weight));
            }
        }
        const auto percentage = each.percentage_of_nodes_to_score;
        out.back().percentage_of_nodes_to_score(percentage != 0 ? percentage : percentage_);
    }
    return out;
}

KCONTROL_DECL result<profile> plugin_registry::make_default(std::string scheduler_name) const {
    profile out(std::move(scheduler_name));
    for (const auto& each : entries_) {
        auto made = each.make(configuration_part());
        if (!made) return made.error();
        out.add(std::move(*made), each.weight);
    }
    out.percentage_of_nodes_to_score(percentage_);
    return out;
}

KCONTROL_DECL plugin_registry default_registry(
    const volume_catalog& volumes, pod_topology_spread_options::default_selector_function default_selector) {
    using namespace detail;
    const auto weight_of = [](std::string_view name) {
        const auto found = std::ranges::find(default_plugins, name, &default_plugin::name);
        return std::max<std::int64_t>(found->weight, 1);
    };
    plugin_registry out;
    const auto add = [&](std::string_view name, plugin_registry::factory make) {
        out.add(std::string(name), std::move(make), weight_of(name));
    };
    const auto read_spread = [selector = std::move(default_selector)](const configuration_part& args) {
        return read_spread_args(args, selector);
    };
    add(node_unschedulable::name, plugin_factory<node_unschedulable>());
    add(node_name::name, plugin_factory<node_name>());
    add(taint_toleration::name, plugin_factory<taint_toleration>());
    add(node_affinity::name, plugin_factory<node_affinity>());
    add(node_ports::name, plugin_factory<node_ports>());
    add(node_resources_fit::name, node_resources_fit_factory({}));
    add(volume_binding::name, plugin_factory<volume_binding>(volumes));
    add(pod_topology_spread::name, plugin_factory_of<pod_topology_spread>(read_spread));
    add(inter_pod_affinity::name, plugin_factory_of<inter_pod_affinity>(&read_affinity_args));
    add(node_resources_balanced_allocation::name,
        plugin_factory_of<node_resources_balanced_allocation>(&read_balance_args));
    add(image_locality::name, plugin_factory<image_locality>());
    return out;
}

}  // namespace kcontrol::scheduling
