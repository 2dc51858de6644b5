#include "recorded/recorded_view.hpp"

#include <kcontrol/scheduling/configuration.hpp>
#include <kcontrol/scheduling/dynamic_resources.hpp>

#include "web/answers.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace gpu_scheduler {

namespace core = kcontrol::api::core::v1;
namespace dra = kcontrol::api::resource::v1;
namespace storage = kcontrol::api::storage::v1;
namespace scheduling = kcontrol::scheduling;
using kcontrol::time_point;

recorded_view::recorded_view(const recording& of) : of_(of) {
    board_ = std::make_shared<board>([this] { return of_.time; },
                                     [this](std::string_view name) {
                                         for (const auto& each : of_.all<core::namespace_>()) {
                                             if (each->metadata.name == name) return each->metadata.labels;
                                         }
                                         return kcontrol::dict<text>();
                                     });
    board_->follow(claims_);
}

result<std::shared_ptr<recorded_view>> recorded_view::make(const recording& of) {
    std::shared_ptr<recorded_view> out(new recorded_view(of));
    if (auto done = out->fill(); !done) return done.error();
    return out;
}

result<void> recorded_view::fill() {
    auto selector = kcontrol::label_selector::parse(of_.flags.node_selector);
    if (!selector) return selector.error().with_context("--node-selector");
    auto registry = scheduling::default_registry(volumes_);
    registry.add(scheduling::dynamic_resources(claims_));
    add_gpu_plugins(registry, board_, std::move(*selector));
    scheduling::scheduler_configuration with;
    if (!of_.flags.configuration.empty()) {
        auto read = scheduling::parse_configuration(
            "config", of_.flags.configuration, [&](std::string_view name) { return registry.knows(name); },
            settings::keys());
        if (!read) return read.error();
        auto own = read_settings(read->file);
        if (!own) return own.error();
        board_->set(std::move(*own));
        with = std::move(*read);
    }
    if (with.profiles.empty()) with.profiles.emplace_back().scheduler_name = of_.flags.scheduler_name;
    auto profiles = registry.make(with);
    if (!profiles) return profiles.error();
    profiles_ = std::move(*profiles);
    if (of_.flags.has_tenants) {
        std::vector<tenant> all;
        for (const auto& each : of_.all<tenant>()) all.push_back(*each);
        board_->set_tenants(std::move(all));
    }
    const auto set_volumes = [this](const auto& all) {
        for (const auto& each : all) volumes_.set(each);
    };
    set_volumes(of_.all<core::persistent_volume_claim>());
    set_volumes(of_.all<core::persistent_volume>());
    set_volumes(of_.all<storage::storage_class>());
    set_volumes(of_.all<storage::csi_driver>());
    set_volumes(of_.all<storage::csi_storage_capacity>());
    for (const auto& each : of_.all<dra::resource_claim>()) claims_->set(each);
    for (const auto& each : of_.all<dra::device_class>()) claims_->set(each);
    for (const auto& each : of_.all<dra::resource_slice>()) claims_->set(each);
    for (const auto& each : of_.all<core::namespace_>()) nodes_.set_namespace(each);
    for (const auto& each : of_.all<core::node>()) nodes_.set_node(each);
    for (const auto& each : of_.all<core::pod>()) {
        board_->set_waiting(*each);
        const auto info = std::make_shared<const scheduling::pod_info>(each);
        nodes_.set_pod(info);
        if (schedules(*each)) gangs_.set_pod(info, time_point());
    }
    board_->refresh(nodes_.snapshot());
    return {};
}

cluster_view::pod_object recorded_view::find(const kcontrol::namespaced_name& pod) {
    const auto& all = of_.all<core::pod>();
    const auto found = std::ranges::find(all, pod, [](const auto& each) { return kcontrol::key_of(each->metadata); });
    return found == all.end() ? nullptr : *found;
}

const scheduling::profile* recorded_view::profile_of(const core::pod& pod) const {
    const auto found = std::ranges::find(profiles_, pod.spec.scheduler_name.view(),
                                         [](const auto& each) -> std::string_view { return each.scheduler_name(); });
    return found == profiles_.end() ? nullptr : &*found;
}

result<std::pair<recorded_view::pod_pointer, const scheduling::profile*>> recorded_view::named(
    const kcontrol::namespaced_name& pod) {
    const auto found = find(pod);
    if (found == nullptr) {
        return kcontrol::error(kcontrol::api_errc::not_found, "there is no pod " + kcontrol::to_string(pod));
    }
    const auto* by = profile_of(*found);
    if (by == nullptr) {
        return bad_value("spec.schedulerName: " + in_quotes(found->spec.scheduler_name) +
                         " is no profile of this scheduler; --scheduler-name or --config says which there are");
    }
    return std::pair(std::make_shared<const scheduling::pod_info>(found), by);
}

result<scheduling::explanation> recorded_view::explain(const kcontrol::namespaced_name& pod) {
    const auto of = named(pod);
    if (!of) return of.error();
    scheduling::cycle round(*of->second);
    return round.explain(nodes_.prepare(*of->first, of->second->labels()), *of->first);
}

result<scheduling::preemption_plan> recorded_view::what_must_go(const kcontrol::namespaced_name& pod,
                                                                const scheduling::preemption_policy& policy) {
    const auto of = named(pod);
    if (!of) return of.error();
    scheduling::cycle round(*of->second);
    return scheduling::plan_preemption(round, nodes_, of->first, policy);
}

std::vector<recorded_decision> recorded_view::decide() {
    std::vector<recorded_decision> out;
    auto queue = queue_of(*this, *board_);
    auto version = board_->hunger_version();
    std::set<std::string> decided;
    for (std::size_t next = 0; next < queue.size();) {
        const auto pod = queue[next++];
        if (!decided.insert(name_of(*pod)).second) continue;
        const auto info = std::make_shared<const scheduling::pod_info>(pod);
        const auto gang = gangs_.gang_of(*info);
        const auto before = out.size();
        if (gang && gangs_.phase(*gang) != scheduling::gang_phase::complete) {
            decide_gang(*gang, out);
        } else {
            decide_one(info, out);
        }
        for (std::size_t i = before; i < out.size(); ++i) decided.insert(out[i].pod);
        board_->refresh(nodes_.snapshot());
        if (version != board_->hunger_version()) {
            version = board_->hunger_version();
            queue = queue_of(*this, *board_);
            next = 0;
        }
    }
    return out;
}

void recorded_view::place(const pod_pointer& pod, scheduling::placement to, recorded_decision& out) {
    out.node = to.node();
    kcontrol::dict<text> annotations;
    for (const auto& [key, value] : to.annotations()) annotations[key] = value;
    if (const auto* record = annotations.get(record_annotation)) out.allocation = record->str();
    static_cast<void>(nodes_.assume(pod, to.node(), std::move(annotations)));
    gangs_.set_assumed(*pod, true, time_point());
    placed_.push_back(std::move(to));
}

void recorded_view::decide_one(const pod_pointer& pod, std::vector<recorded_decision>& out) {
    const auto& by = *profile_of(pod->pod());
    scheduling::cycle round(by);
    auto decided = round.decide(nodes_.prepare(*pod, by.labels()), *pod);
    auto& to = out.emplace_back();
    to.pod = name_of(pod->pod());
    auto place_of = decided.placed() ? round.reserve(nodes_.snapshot(), pod, decided) : std::nullopt;
    if (place_of) {
        place(pod, std::move(*place_of), to);
    } else {
        to.message = decided.message();
    }
}

void recorded_view::decide_gang(const scheduling::gang_id& gang, std::vector<recorded_decision>& out) {
    const auto status = gangs_.status(gang, time_point());
    const auto members = gangs_.waiting(gang);
    if (status.phase != scheduling::gang_phase::ready || members.empty()) {
        for (const auto& each : members) out.push_back({name_of(each->pod()), {}, {}, status.message});
        return;
    }
    scheduling::cycle round(*profile_of(members.front()->pod()));
    auto decided = round.decide_gang(nodes_, members, status.missing());
    const auto why = decided.placed || decided.misfit == nullptr
                         ? std::string()
                         : scheduling::gang_book::misfit_message(status, decided.fitting, decided.misfit->message());
    for (auto& each : decided.members) {
        auto& to = out.emplace_back();
        to.pod = name_of(each.pod->pod());
        if (decided.placed && each.reserved) {
            place(each.pod, std::move(*each.reserved), to);
        } else {
            to.message = decided.placed ? each.decided.message() : why;
        }
    }
}

}  // namespace gpu_scheduler
