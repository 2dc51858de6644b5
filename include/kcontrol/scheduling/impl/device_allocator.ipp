#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/scheduling/device_allocator.hpp>
#include <kcontrol/scheduling/impl/device_amounts.hpp>

#include <algorithm>
#include <map>
#include <string>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline constexpr std::size_t most_results_of_claim = 32;  // the API server refuses more

// A request, or one of those of which the first available counts.
struct device_choice {
    std::string name;  // "request", "request/subrequest"
    std::string path;  // of its fields
    const text* class_name = nullptr;
    const list<api::resource::v1::device_selector>* selectors = nullptr;
    const list<api::resource::v1::device_toleration>* tolerations = nullptr;
    const boxed<api::resource::v1::capacity_requirements>* capacity = nullptr;
    bool is_all = false;
    bool is_admin = false;
    bool has_derived = false;
    std::size_t count = 1;

    std::shared_ptr<const api::resource::v1::device_class> of_class;
    std::optional<std::vector<std::size_t>> candidates;  // once they are needed
};

inline bool covers(const list<text>& requests, std::string_view name) {
    return requests.empty() || std::ranges::any_of(requests, [&](const text& each) {
               return each == name || (name.starts_with(each.view()) && name.substr(each.size()).starts_with("/"));
           });
}

// An attribute by its full name; the driver is the domain of a name without one.
inline const api::resource::v1::device_attribute* attribute_of(const device_inventory::known_device& device,
                                                               std::string_view full_name) {
    const auto& all = device.object->attributes;
    if (const auto* found = all.get(full_name)) return found;
    const auto slash = full_name.find('/');
    const bool is_own = slash != std::string_view::npos && full_name.substr(0, slash) == device.id.driver;
    return is_own ? all.get(full_name.substr(slash + 1)) : nullptr;
}

inline bool tolerates_taint(const list<api::resource::v1::device_toleration>& tolerations,
                            const api::resource::v1::device_taint& taint) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") return true;
    return std::ranges::any_of(tolerations, [&](const auto& each) {
        if (!each.effect.empty() && each.effect != taint.effect) return false;
        if (!each.key.empty() && each.key != taint.key) return false;
        return each.operator_ == "Exists" || (!each.key.empty() && each.value == taint.value);
    });
}

// The search for one node: depth first, over claims, requests, alternatives and devices.
class device_search {
public:
    using claim_object = std::shared_ptr<const api::resource::v1::resource_claim>;

    device_search(std::span<const claim_object> claims, const device_inventory& in, const held_devices& held,
                  const api::core::v1::node& node, const device_allocator_options& how)
        : claims_(claims), how_(how), reachable_(in.on(node)) {
        if (how.order()) how.order()(reachable_.devices);
        for (const auto* each : reachable_.devices) {
            if (each->consumes.empty() || left_.contains(each->pool)) continue;
            left_.emplace(each->pool, in.counters(each->pool));
            for (const auto& other : in.devices_of(each->pool)) {
                if (held.contains(other.id)) consume(other, 1);
            }
        }
        for (const auto* each : reachable_.devices) is_taken_.push_back(held.contains(each->id));
        for (const auto& claim : claims_) read(*claim);
    }

    result<std::optional<std::vector<api::resource::v1::allocation_result>>> find() {
        using found = std::optional<std::vector<api::resource::v1::allocation_result>>;
        const bool is_found = place(0, 0);
        if (wrong_) return *wrong_;
        if (!is_found) return found();
        std::vector<api::resource::v1::allocation_result> out;
        for (std::size_t i = 0; i < claims_.size(); ++i) out.push_back(result_of(i));
        return found(std::move(out));
    }

    // After find() found nothing: the first request that can't be fulfilled by itself. Errors: those of find(), of
    // requests that it did not come to.
    result<std::string> missing() {
        for (std::size_t claim = 0; claim < claims_.size(); ++claim) {
            const auto& meta = claims_[claim]->metadata;
            const auto name = "claim " + meta.namespace_.str() + "/" + meta.name.str();
            for (auto& choices : states_[claim].requests) {
                std::string lacks;
                for (auto& choice : choices) {
                    const auto said = missing(claim, choice);
                    if (wrong_) return *wrong_;
                    if (said.empty()) {
                        lacks.clear();
                        break;
                    }
                    if (lacks.empty()) lacks = ", request " + choice.name + ": " + said;
                }
                if (!lacks.empty()) return name + lacks;
            }
        }
        return std::string("the requests can't be fulfilled together: constraints, counters or devices are short");
    }

private:
    struct taken_device {
        std::size_t device = 0;  // in reachable_
        const device_choice* by = nullptr;
    };
    struct claim_state {
        std::vector<std::vector<device_choice>> requests;
        std::vector<taken_device> taken;
    };

    template <class Request>
    static void add_choice(std::vector<device_choice>& to, const Request& from, std::string name, std::string path) {
        device_choice made;
        made.name = std::move(name);
        made.path = std::move(path);
        made.class_name = &from.device_class_name;
        made.selectors = &from.selectors;
        made.tolerations = &from.tolerations;
        made.capacity = &from.capacity;
        made.is_all = from.allocation_mode == "All";
        made.has_derived = !from.derived_attributes.empty();
        made.count = static_cast<std::size_t>(std::max<std::int64_t>(1, from.count.value_or(1)));
        if constexpr (requires { from.admin_access; }) made.is_admin = from.admin_access.value_or(false);
        to.push_back(std::move(made));
    }
    void read(const api::resource::v1::resource_claim& claim) {
        auto& to = states_.emplace_back();
        for (const auto& request : claim.spec.devices.requests) {
            const auto path = "spec.devices.requests[" + std::to_string(to.requests.size()) + "].";
            auto& choices = to.requests.emplace_back();
            if (request.exactly) add_choice(choices, *request.exactly, request.name.str(), path + "exactly.");
            for (const auto& sub : request.first_available) {
                add_choice(choices, sub, request.name.str() + "/" + sub.name.str(),
                           path + "firstAvailable[" + std::to_string(choices.size()) + "].");
            }
        }
    }

    void fail(std::size_t claim, const std::string& what) {
        const auto& meta = claims_[claim]->metadata;
        if (!wrong_) {
            wrong_ =
                error(errc::invalid_argument, "claim " + meta.namespace_.str() + "/" + meta.name.str() + ": " + what);
        }
    }

    // What the selectors of class and request let through; false: they fail.
    bool find_candidates(std::size_t claim, device_choice& of) {
        if (of.candidates) return true;
        if (of.has_derived) return fail(claim, of.path + "derivedAttributes: they are not supported"), false;
        of.of_class = how_.class_of()(*of.class_name);
        if (of.of_class == nullptr) {
            fail(claim, of.path + "deviceClassName: DeviceClass " + in_quotes(*of.class_name) + " does not exist");
            return false;
        }
        std::vector<std::size_t> out;
        const std::string in_class = "DeviceClass " + of.class_name->str() + ": spec.";
        for (std::size_t i = 0; i < reachable_.devices.size(); ++i) {
            const auto& device = *reachable_.devices[i];
            if (!device.object->binding_conditions.empty() || !has_capacity(device, of)) continue;
            const auto in_claim = selects(claim, device, of.of_class->spec.selectors, in_class);
            const auto both = in_claim == 1 ? selects(claim, device, *of.selectors, of.path) : in_claim;
            if (both < 0) return false;
            if (both == 1) out.push_back(i);
        }
        of.candidates = std::move(out);
        return true;
    }
    // 1: all select it; 0: one does not; -1: one fails.
    int selects(std::size_t claim, const device_inventory::known_device& device,
                const list<api::resource::v1::device_selector>& selectors, const std::string& path) {
        for (std::size_t i = 0; const auto& each : selectors) {
            const auto at = i++;
            if (!each.cel) continue;
            const auto said = how_.selects()(device, each.cel->expression);
            if (!said) {
                fail(claim, path + "selectors[" + std::to_string(at) +
                                "].cel.expression: " + in_quotes(each.cel->expression) + " fails for device " +
                                in_quotes(device.id.name) + ": " + said.error().message());
                return -1;
            }
            if (!*said) return 0;
        }
        return 1;
    }
    static bool has_capacity(const device_inventory::known_device& device, const device_choice& of) {
        if (!*of.capacity) return true;
        return std::ranges::all_of((*of.capacity)->requests, [&](const auto& each) {
            const auto& [name, amount] = each;
            const auto* has = device.object->capacity.get(name);
            return has != nullptr && amount_or_zero(has->value) >= amount_or_zero(amount);
        });
    }

    void consume(const device_inventory::known_device& device, int times) {
        for (const auto& [name, amount] : device.consumes) left_.at(device.pool)[name] -= amount * times;
    }
    bool has_counters(const device_inventory::known_device& device) const {
        return std::ranges::all_of(device.consumes, [&](const auto& each) {
            const auto& left = left_.at(device.pool);
            const auto found = left.find(each.first);
            return found != left.end() && found->second >= each.second;
        });
    }
    bool is_free(std::size_t index) const { return is_taken_[index] == 0 && has_counters(*reachable_.devices[index]); }
    bool is_tolerated(std::size_t index, const device_choice& by) const {
        return std::ranges::all_of(reachable_.devices[index]->object->taints,
                                   [&](const auto& taint) { return tolerates_taint(*by.tolerations, taint); });
    }
    bool fulfils_constraints(std::size_t claim, const device_inventory::known_device& device,
                             const device_choice& by) const {
        for (const auto& each : claims_[claim]->spec.devices.constraints) {
            if (!covers(each.requests, by.name)) continue;
            const bool is_match = !each.match_attribute.empty();
            const auto& attribute = is_match ? each.match_attribute : each.distinct_attribute;
            const auto* own = attribute_of(device, attribute);
            if (own == nullptr) return false;
            for (const auto& other : states_[claim].taken) {
                if (!covers(each.requests, other.by->name)) continue;
                const auto* theirs = attribute_of(*reachable_.devices[other.device], attribute);
                if ((*own == *theirs) != is_match) return false;
            }
        }
        return true;
    }
    bool take(std::size_t claim, const device_choice& by, std::size_t index) {
        const auto& device = *reachable_.devices[index];
        if (states_[claim].taken.size() >= most_results_of_claim) return false;
        if (!by.is_admin && !is_free(index)) return false;
        if (!is_tolerated(index, by) || !fulfils_constraints(claim, device, by)) return false;
        states_[claim].taken.push_back({index, &by});
        if (by.is_admin) return true;
        is_taken_[index] = true;
        consume(device, 1);
        return true;
    }
    void give_back(std::size_t claim) {
        const auto last = states_[claim].taken.back();
        states_[claim].taken.pop_back();
        if (last.by->is_admin) return;
        is_taken_[last.device] = false;
        consume(*reachable_.devices[last.device], -1);
    }

    // What one alternative lacks; empty: nothing.
    std::string missing(std::size_t claim, device_choice& of) {
        if (!find_candidates(claim, of) || of.candidates->empty()) return "no device is selected";
        if (of.is_all && !reachable_.is_complete) return "a driver has not published all devices of a pool yet";
        const auto& all = *of.candidates;
        const auto needed = of.is_all ? all.size() : of.count;
        const auto count = [&](auto is_counted) {
            return static_cast<std::size_t>(std::ranges::count_if(all, is_counted));
        };
        const auto free = count([&](auto i) { return of.is_admin || is_free(i); });
        const auto usable = count([&](auto i) { return (of.is_admin || is_free(i)) && is_tolerated(i, of); });
        if (usable >= needed) return {};
        std::string out = std::to_string(needed) + (needed == 1 ? " device is" : " devices are") + " needed, " +
                          std::to_string(free) + " of " + std::to_string(all.size()) + (free == 1 ? " is" : " are") +
                          " free";
        if (usable < free) out += ", " + std::to_string(usable) + " without taints that are not tolerated";
        return out;
    }

    bool place(std::size_t claim, std::size_t request) {
        if (claim == claims_.size()) return true;
        if (request == states_[claim].requests.size()) return place(claim + 1, 0);
        for (auto& choice : states_[claim].requests[request]) {
            if (!find_candidates(claim, choice)) return false;
            if (choice.is_all && (choice.candidates->empty() || !reachable_.is_complete)) continue;
            const auto count = choice.is_all ? choice.candidates->size() : choice.count;
            if (place(claim, request, choice, 0, count)) return true;
            if (wrong_) return false;
        }
        return false;
    }
    // The devices of one request: their order does not matter.
    bool place(std::size_t claim, std::size_t request, const device_choice& by, std::size_t from, std::size_t count) {
        if (count == 0) return place(claim, request + 1);
        for (std::size_t i = from; i + count <= by.candidates->size(); ++i) {
            if (++steps_ > how_.most_steps()) return fail(claim, "its allocation takes too long to find"), false;
            if (take(claim, by, (*by.candidates)[i])) {
                if (place(claim, request, by, i + 1, count - 1)) return true;
                give_back(claim);
            }
            if (by.is_all || wrong_) return false;
        }
        return false;
    }

    api::resource::v1::allocation_result result_of(std::size_t claim) const {
        api::resource::v1::allocation_result out;
        std::set<std::string_view> names;
        const auto& spec = claims_[claim]->spec.devices;
        for (const auto& each : states_[claim].taken) {
            const auto& id = reachable_.devices[each.device]->id;
            auto& to = out.devices.results.emplace_back();
            to.request = each.by->name;
            to.driver = id.driver;
            to.pool = id.pool;
            to.device = id.name;
            to.tolerations = *each.by->tolerations;
            if (each.by->is_admin) to.admin_access = true;
            if (!names.insert(each.by->name).second) continue;
            for (const auto& config : each.by->of_class->spec.config) {
                auto& made = out.devices.config.emplace_back();
                made.source = "FromClass";
                made.requests = {text(each.by->name)};
                made.opaque = config.opaque;
            }
        }
        for (const auto& config : spec.config) {
            if (!std::ranges::any_of(names, [&](auto name) { return covers(config.requests, name); })) continue;
            auto& made = out.devices.config.emplace_back();
            made.source = "FromClaim";
            made.requests = config.requests;
            made.opaque = config.opaque;
        }
        add_nodes(claim, out);
        return out;
    }
    // From which nodes all devices of the claim can be reached.
    void add_nodes(std::size_t claim, api::resource::v1::allocation_result& to) const {
        api::core::v1::node_selector_term term;
        for (const auto& each : states_[claim].taken) {
            const auto& device = *reachable_.devices[each.device];
            const auto at = location_of(*device.of, device.object);
            if (!at.node.empty()) {
                term = {};
                auto& one = term.match_fields.emplace_back();
                one.key = "metadata.name";
                one.operator_ = "In";
                one.values = {text(at.node)};
                break;
            }
            if (at.selector == nullptr) continue;
            for (const auto& of : at.selector->node_selector_terms) {
                for (const auto& one : of.match_expressions) {
                    if (std::ranges::count(term.match_expressions, one) == 0) term.match_expressions.push_back(one);
                }
                for (const auto& one : of.match_fields) {
                    if (std::ranges::count(term.match_fields, one) == 0) term.match_fields.push_back(one);
                }
            }
        }
        if (term == api::core::v1::node_selector_term()) return;
        to.node_selector.edit().node_selector_terms.push_back(std::move(term));
    }

    std::span<const claim_object> claims_;
    const device_allocator_options& how_;
    device_inventory::reachable_devices reachable_;
    std::vector<char> is_taken_;                                     // by others, or in this search
    std::map<std::size_t, device_inventory::counter_amounts> left_;  // by pool, of those that have counters
    std::vector<claim_state> states_;
    std::size_t steps_ = 0;
    std::optional<error> wrong_;
};

}  // namespace detail

KCONTROL_DECL std::vector<device_id> devices_of(const api::resource::v1::allocation_result& allocated) {
    std::vector<device_id> out;
    for (const auto& each : allocated.devices.results) {
        if (!each.admin_access.value_or(false)) out.push_back({each.driver.str(), each.pool.str(), each.device.str()});
    }
    return out;
}

KCONTROL_DECL result<std::optional<std::vector<api::resource::v1::allocation_result>>> allocate_devices(
    std::span<const std::shared_ptr<const api::resource::v1::resource_claim>> claims, const device_inventory& in,
    const held_devices& held, const api::core::v1::node& node, const device_allocator_options& how,
    std::string* missing) {
    detail::device_search search(claims, in, held, node, how);
    auto found = search.find();
    if (missing == nullptr || !found || *found) return found;
    auto lacks = search.missing();
    if (!lacks) return lacks.error();
    *missing = std::move(*lacks);
    return found;
}

}  // namespace kcontrol::scheduling
