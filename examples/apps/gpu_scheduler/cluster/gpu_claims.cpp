#include "cluster/gpu_claims.hpp"

#include <kcontrol/scheduling/dynamic_resources.hpp>
#include <kcontrol/values/quantity.hpp>

#include "placement/room.hpp"

#include <algorithm>

namespace gpu_scheduler {

namespace dra = kcontrol::api::resource::v1;
using kcontrol::quantity;

namespace {

// An attribute by its name within the driver; empty: it has none.
std::string attribute(const dra::device& of, std::string_view name) {
    const auto* found = of.attributes.get(name);
    if (found == nullptr) found = of.attributes.get(std::string(gpu_claims::driver) + "/" + std::string(name));
    return found == nullptr ? std::string() : found->string.str();
}

std::int64_t memory_mib(const dra::device& of) {
    const auto* found = of.capacity.get("memory");
    if (found == nullptr) return 0;
    const auto read = quantity::parse(std::string_view(found->value));
    return read ? static_cast<std::int64_t>(read->as_double() / (1 << 20)) : 0;
}

// What it takes of the counters of a GPU's memory, in thousandths; 0: it has none.
std::int64_t counted_part(const kcontrol::scheduling::device_inventory::known_device& device,
                          const kcontrol::scheduling::device_inventory::counter_amounts& of_pool) {
    double taken = 0, all = 0;
    for (const auto& [name, amount] : of_pool) {
        const auto& [set, counter] = name;
        if (device.consumes.empty() || set != device.consumes.begin()->first.first) continue;
        if (!counter.starts_with("memory")) continue;
        const auto found = device.consumes.find(name);
        const double of_this = found == device.consumes.end() ? 0 : found->second.as_double();
        if (counter == "memory") {
            taken = of_this;
            all = amount.as_double();
            break;
        }
        taken += of_this;
        all += amount.as_double();
    }
    return all > 0 ? std::max<std::int64_t>(1, static_cast<std::int64_t>(taken * whole_gpu / all)) : 0;
}

// The GPU of which it is a part, as a name in its pool.
std::string group_of(const kcontrol::scheduling::device_inventory::known_device& device) {
    if (!device.consumes.empty()) return "counters " + device.consumes.begin()->first.first;
    for (const char* name : {"parentUUID", "uuid"}) {
        if (const auto uuid = attribute(*device.object, name); !uuid.empty()) return "GPU " + uuid;
    }
    return "device " + device.id.name;
}

// What a MIG profile such as 3g.20gb takes of a GPU's memory, in thousandths; 0: it has none.
std::int64_t profile_part(const dra::device& of) {
    const auto profile = attribute(of, "profile");
    if (profile.size() < 2 || profile[1] != 'g') return 0;
    const int parts = profile[0] - '0';
    if (attribute(of, "productName").find("A30") != std::string::npos) return parts * whole_gpu / 4;
    return (parts == 7 ? 8 : parts >= 3 ? 4 : parts) * whole_gpu / 8;
}

// The sum over the requests of a claim: of each alternative what `amount` says, of several the better one.
template <class Amount, class Better>
std::int64_t sum_of(const dra::resource_claim& claim, const Amount& amount, const Better& better) {
    std::int64_t out = 0;
    for (const auto& request : claim.spec.devices.requests) {
        if (request.exactly && !request.exactly->admin_access.value_or(false)) out += amount(*request.exactly);
        std::optional<std::int64_t> best;
        for (const auto& each : request.first_available) {
            best = best ? better(*best, amount(each)) : amount(each);
        }
        out += best.value_or(0);
    }
    return out;
}

// Whether the node has nothing of the resource itself.
bool lacks(const kcontrol::api::core::v1::node& node, std::string_view resource) {
    const auto* amount = node.status.allocatable.get(resource);
    return amount == nullptr || std::string_view(*amount) == "0";
}

template <class Request>
std::int64_t count_of(const Request& request) {
    return std::max<std::int64_t>(1, request.count.value_or(1));
}

}  // namespace

gpu_claims::gpu_claims(const std::shared_ptr<catalog>& all) : all_(all) {
    // Not held there: results of assume() may outlive this.
    all->on_change([weak = std::weak_ptr(news_)](const claim_name* claim) {
        const auto to = weak.lock();
        if (to == nullptr) return;
        if (claim == nullptr) {
            ++to->edition;
        } else {
            to->changed.insert(*claim);
        }
    });
}

void gpu_claims::update() {
    if (std::exchange(made_of_, news_->edition) == news_->edition) return;
    parts_.clear();
    nodes_.clear();
    kinds_.clear();
    const auto& inventory = all_->devices();
    std::map<std::size_t, std::vector<const known_device*>> pools;
    for (const auto& each : inventory.devices()) {
        if (each.id.driver == driver) pools[each.pool].push_back(&each);
    }
    for (const auto& [pool, devices] : pools) add(devices, inventory.counters(pool));
}

// The devices of a pool: first the GPUs that they are parts of, then the parts.
void gpu_claims::add(const std::vector<const known_device*>& of_pool,
                     const kcontrol::scheduling::device_inventory::counter_amounts& counters) {
    std::map<std::string, gpu> groups;
    const auto is_part = [&](const known_device& device) {
        const auto counted = counted_part(device, counters);
        return counted > 0 ? counted < whole_gpu : attribute(*device.object, "type") == "mig";
    };
    const auto node_of = [](const known_device& device) {
        const auto at = kcontrol::scheduling::location_of(*device.of, device.object);
        return at.is_everywhere ? std::string() : at.node;
    };
    for (const auto* each : of_pool) {
        const auto node = node_of(*each);
        if (node.empty()) continue;
        auto& to = nodes_[node];
        to.source = device_source::claims;
        if (to.product.empty()) {
            to.product = attribute(*each->object, "productName");
            std::ranges::replace(to.product, ' ', '-');
        }
        const auto [found, is_new] = groups.try_emplace(group_of(*each));
        auto& one = found->second;
        if (is_new) one.index = static_cast<unsigned>(to.gpus.size());
        if (is_new) to.gpus.emplace_back();
        if (is_part(*each)) {
            if (one.uuid.empty()) one.uuid = attribute(*each->object, "parentUUID");
        } else {
            one.uuid = attribute(*each->object, "uuid");
            one.memory_mib = memory_mib(*each->object);
            one.is_healthy = std::ranges::none_of(each->object->taints, [](const auto& taint) {
                return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
            });
        }
        if (one.uuid.empty()) one.uuid = each->id.pool + "/" + each->id.name;
    }
    for (const auto* each : of_pool) {
        const auto node = node_of(*each);
        if (node.empty()) continue;
        const auto& whole = groups.at(group_of(*each));
        nodes_[node].gpus[whole.index] = whole;
        part made{node, whole.uuid, whole_gpu, 0};
        if (is_part(*each)) {
            const auto counted = counted_part(*each, counters);
            const auto own = memory_mib(*each->object);
            if (counted > 0) {
                made.amount = counted;
            } else if (own > 0 && whole.memory_mib > 0) {
                made.amount = std::min<std::int64_t>(whole_gpu, own * whole_gpu / whole.memory_mib);
            } else if (const auto by_profile = profile_part(*each->object); by_profile > 0) {
                made.amount = std::min<std::int64_t>(whole_gpu, by_profile);
            }
            made.memory_mib = own > 0 ? own : whole.memory_mib * made.amount / whole_gpu;
        }
        parts_.emplace(each->id, std::move(made));
    }
}

std::optional<node_devices> gpu_claims::on(const std::string& node) {
    update();
    const auto found = nodes_.find(node);
    return found == nodes_.end() ? std::nullopt : std::optional(found->second);
}

gpu_claims::claim_names gpu_claims::names_of(const kcontrol::api::core::v1::pod& pod) {
    claim_names out;
    for (const auto& each : pod.spec.resource_claims) {
        const auto name = kcontrol::scheduling::dynamic_resources::claim_name(pod, each);
        if (name && !name->empty()) out.emplace(pod.metadata.namespace_.str(), std::string(*name));
    }
    return out;
}

gpu_claims::claim_names gpu_claims::all_names_of(const kcontrol::api::core::v1::pod& pod) const {
    auto out = names_of(pod);
    if (const auto extended = all_->find_extended_claim(pod)) out.insert(kcontrol::key_of(extended->metadata));
    return out;
}

bool gpu_claims::may_take(const kcontrol::scheduling::pod_info& pod) const {
    return !pod.pod().spec.resource_claims.empty() ||
           std::ranges::any_of(pod.requests().extended(), [this](const auto& each) {
               return all_->find_class_for(each.resource.view()) != nullptr;
           });
}

bool gpu_claims::has_extended(const kcontrol::api::core::v1::pod& pod) const {
    const auto claim = all_->find_extended_claim(pod);
    return claim != nullptr && is_given(claim);
}

bool gpu_claims::takes_place_of(const gpu_request& request, const kcontrol::api::core::v1::pod& pod,
                                const kcontrol::api::core::v1::node& node) const {
    const auto is_share = [](const auto& each) { return each.is_share; };
    if (request.empty() || std::ranges::any_of(request.containers, is_share)) return false;
    for (const auto* all : {&pod.spec.init_containers, &pod.spec.containers}) {
        for (const auto& container : *all) {
            for (const auto& [name, amount] : container.resources.requests) {
                if (is_requested_gpu(name) && (!lacks(node, name) || all_->find_class_for(name) == nullptr))
                    return false;
            }
        }
    }
    return true;
}

gpu_claims::holding gpu_claims::held_by(const claim_object& claim) {
    holding out;
    const auto given = all_->allocation_of(claim);
    if (given == nullptr) return out;
    update();
    if (given->node_selector) {
        for (const auto& term : given->node_selector->node_selector_terms) {
            for (const auto& each : term.match_fields) {
                if (each.key == "metadata.name" && !each.values.empty()) out.node = each.values.front().str();
            }
        }
    }
    for (const auto& id : kcontrol::scheduling::devices_of(*given)) {
        if (id.driver != driver) continue;
        const auto found = parts_.find(id);
        // One that is not published now, as while its driver restarts.
        const auto one = found == parts_.end() ? part{"", id.pool + "/" + id.name, whole_gpu, 0} : found->second;
        auto& made = out.devices.emplace_back();
        made.uuid = one.uuid;
        made.memory_mib = one.memory_mib;
        out.amount += one.amount;
        if (out.node.empty()) out.node = one.node;
    }
    if (out.devices.empty()) out.node.clear();
    return out;
}

const gpu_claims::kind& gpu_claims::kind_of(const kcontrol::text& of_class,
                                            const kcontrol::list<dra::device_selector>& selectors) {
    update();
    std::string key = of_class.str();
    for (const auto& each : selectors) key.append("\n").append(each.cel ? each.cel->expression.view() : "");
    const auto [found, is_new] = kinds_.try_emplace(std::move(key));
    auto& out = found->second;
    const auto known = is_new ? all_->find_class(of_class) : nullptr;
    if (known == nullptr) return out;
    const auto how = all_->options();
    const auto selects = [&](const known_device& device, const auto& by) {
        return std::ranges::all_of(by, [&](const auto& each) {
            const auto said = each.cel ? how.selects()(device, each.cel->expression) : result<bool>(true);
            return said && *said;
        });
    };
    for (const auto& device : all_->devices().devices()) {
        const auto at = parts_.find(device.id);
        if (at == parts_.end() || !selects(device, known->spec.selectors) || !selects(device, selectors)) continue;
        const auto amount = at->second.amount;
        auto& to = out.nodes[at->second.node];
        to.most = std::max(to.most, amount);
        to.sum += amount;
        out.least = out.least == 0 ? amount : std::min(out.least, amount);
    }
    for (const auto& [name, each] : out.nodes) {
        out.least_sum = out.least_sum == 0 ? each.sum : std::min(out.least_sum, each.sum);
    }
    return out;
}

std::int64_t gpu_claims::least(const catalog::claim& claim) {
    const auto amount = [this](const auto& request) {
        const auto& of = kind_of(request.device_class_name, request.selectors);
        return request.allocation_mode == "All" ? of.least_sum : count_of(request) * of.least;
    };
    return sum_of(claim, amount, [](std::int64_t a, std::int64_t b) { return std::min(a, b); });
}

std::int64_t gpu_claims::most(const catalog::claim& claim, const std::string& node) {
    const auto amount = [&](const auto& request) -> std::int64_t {
        const auto& of = kind_of(request.device_class_name, request.selectors);
        const auto on = of.nodes.find(node);
        if (on == of.nodes.end()) return 0;
        return request.allocation_mode == "All" ? on->second.sum : count_of(request) * on->second.most;
    };
    return sum_of(claim, amount, [](std::int64_t a, std::int64_t b) { return std::max(a, b); });
}

std::int64_t gpu_claims::least_of(const kcontrol::api::core::v1::pod& pod) {
    std::int64_t out = 0;
    for (const auto& name : names_of(pod)) {
        const auto claim = find(name);
        if (claim != nullptr && !is_given(claim)) out += least(*claim);
    }
    return out + least_of_extended(pod);
}

std::int64_t gpu_claims::least_of_extended(const kcontrol::api::core::v1::pod& pod) {
    if (has_extended(pod)) return 0;
    const auto extended = kcontrol::scheduling::extended_claim::of(pod, [this](std::string_view resource) {
        return is_requested_gpu(resource) ? nullptr : all_->find_class_for(resource);
    });
    return extended == nullptr ? 0 : least(*extended->object);
}

std::int64_t gpu_claims::most_of(const kcontrol::api::core::v1::pod& pod, const kcontrol::api::core::v1::node& node) {
    std::int64_t out = 0;
    for (const auto& name : names_of(pod)) {
        const auto claim = find(name);
        if (claim != nullptr && !is_given(claim)) out += most(*claim, node.metadata.name.str());
    }
    if (has_extended(pod)) return out;
    const auto extended = kcontrol::scheduling::extended_claim::of(pod, [&](std::string_view resource) {
        return lacks(node, resource) ? all_->find_class_for(resource) : nullptr;
    });
    return out + (extended == nullptr ? 0 : most(*extended->object, node.metadata.name.str()));
}

}  // namespace gpu_scheduler
