#include "control/target_scale.hpp"

#include <kcontrol/client/subresource.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/codec/metadata_object.hpp>

namespace inference_autoscaler {
namespace {

constexpr auto scale_kept_for = std::chrono::minutes(5);
constexpr auto unwatched_for = std::chrono::minutes(10);

// An informer outlives those who ask for it, and this has to outlive the informer.
const resource_info& metadata_of(const resource_info& kind) {
    static std::map<std::string, resource_info> all;
    return all.try_emplace(kind.gvk.api_version() + "/" + kind.plural, metadata_resource(kind.gvk, kind.plural))
        .first->second;
}

std::string group_of(const text& api_version) {
    const std::string all = api_version;
    return all.substr(0, all.find('/') == all.npos ? 0 : all.find('/'));
}

}  // namespace

std::string words_of(const scale_target& target) { return target.kind + (" " + target.name.str()); }

bool is_same(const scale_target& other, const scale_target& ours) {
    return other.kind == ours.kind && other.name == ours.name &&
           (other.api_version.empty() || group_of(other.api_version) == group_of(ours.api_version));
}

awaitable<result<const resource_info*>> target_scales::kind_of(client c, scale_target target, std::stop_token stop) {
    const std::string all = target.api_version, word = all + "/" + target.kind.str();
    if (const auto found = kinds_.find(word); found != kinds_.end()) co_return found->second.get();
    const std::string group = group_of(target.api_version);
    get_options how;
    how.stop(std::move(stop));
    const std::string version = group.empty() ? all : all.substr(group.size() + 1);
    const auto served = co_await c.discover(group, version, how);
    if (!served && served.error() != api_errc::not_found) co_return served.error();
    for (const auto& each : served ? *served : std::vector<served_resource>()) {
        if (target.kind != each.gvk.kind || !each.namespaced) continue;
        // One that another reconcile found meanwhile is in use, and stays.
        auto made = std::make_unique<const resource_info>(dynamic_resource(each.gvk, each.plural));
        co_return kinds_.try_emplace(word, std::move(made)).first->second.get();
    }
    co_return nullptr;
}

awaitable<result<found_target>> target_scales::read(client c, std::string ns, scale_target target,
                                                    std::stop_token stop) {
    found_target out;
    const auto kind = co_await kind_of(c, target, stop);
    if (!kind) co_return kind.error();
    out.kind = *kind;
    out.reason = "NoTarget";
    if (out.kind == nullptr) {
        out.sentence = "spec.target: the server has no kind " + target.api_version.str() + "/" + target.kind.str() +
                       " in namespaces";
        co_return out;
    }
    get_options how;
    how.stop(std::move(stop));
    out.asked = c.env().now();
    const namespaced_name key(std::move(ns), target.name);
    auto scales = c.subresource(*out.kind, "scale");
    auto found = co_await scales.get<scale>(key, how);
    if (!found && found.error() != api_errc::not_found) co_return found.error();
    if (!found) {
        out.sentence = words_of(target) + " is not there, or has no scale subresource";
        co_return out;
    }
    out.now = std::move(*found);
    const bool selects = !out.now.status.selector.empty();
    out.reason = selects ? "" : "NoSelector";
    if (!selects) out.sentence = words_of(target) + ": its scale has no selector, so it has no pods";
    co_return out;
}

bool target_scales::is_current(cluster& in, const namespaced_name& key, const found_target& last) {
    const time_point now = in.env().now();
    if (last.kind == nullptr || !last.reason.empty() || now - last.asked >= scale_kept_for) return false;
    time_point& again = unwatched_[last.kind];
    if (now < again) return false;
    const resource_info& metadata = metadata_of(*last.kind);
    for (const auto& each : in.informers_of(metadata)) {
        const auto status = each->status();
        if (status.state == informer_state::live) {
            const any_object found = each->objects().get(key);
            if (found) return found.meta().resource_version == last.now.metadata.resource_version;
        } else if (!status.synced && status.failure) {
            // A kind that can't be watched must not keep the program from being ready.
            if (again == time_point())
                in.log().warning(
                    "a kind of targets can't be watched: its scales are read at each look; allow list and "
                    "watch of it",
                    {{"kind", last.kind->gvk.kind}, {"reason", status.reason}});
            again = now + unwatched_for;
            static_cast<void>(in.remove_informers_of(metadata));
            return false;
        }
    }
    return false;
}

}  // namespace inference_autoscaler
