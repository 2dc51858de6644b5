// The ReplicaSet and Deployment controllers of a fake_cluster.
#include <kcontrol/base/fnv1a.hpp>
#include <kcontrol/testing/fake_cluster.hpp>

#include "testing/fake_core.hpp"
#include "testing/fake_objects.hpp"

#include <algorithm>
#include <charconv>

namespace kcontrol::inline v0_1::testing::detail {
namespace {

constexpr std::string_view template_hash = "pod-template-hash";
constexpr std::string_view revision_annotation = "deployment.kubernetes.io/revision";

// A number of pods, or a share of them: "25%".
std::int64_t share_of(const json::value* given, std::int64_t replicas, bool rounds_up, std::int64_t otherwise) {
    if (given != nullptr && given->is_int64()) return given->get_int64();
    std::int64_t percent = otherwise;
    if (given != nullptr && given->is_string()) {
        const std::string_view text = given->get_string();
        std::from_chars(text.data(), text.data() + text.size(), percent);
    }
    return (replicas * percent + (rounds_up ? 99 : 0)) / 100;
}

// Equal templates have equal hashes, in the alphabet of names.
std::string hash_of_template(const json::value& deployment) {
    constexpr std::string_view alphabet = "bcdfghjklmnpqrstvwxz2456789";
    std::uint64_t hash = fnv1a().add(json::serialize(json::value(object_at(deployment, {"spec", "template"})))).value();
    std::string out;
    for (int i = 0; i < 10; ++i, hash /= alphabet.size()) out.push_back(alphabet[hash % alphabet.size()]);
    return out;
}

std::int64_t revision_of(const json::value& object) {
    const std::string text = text_at(object, {"metadata", "annotations", revision_annotation});
    std::int64_t revision = 0;
    std::from_chars(text.data(), text.data() + text.size(), revision);
    return revision;
}

}  // namespace

fake_core::again fake_core::step_replica_set(const namespaced_name& key) {
    const auto found = api_.get(fake_replica_sets, key);
    if (!found || is_leaving(*found)) return std::nullopt;
    const json::value& set = *found;
    std::vector<json::value> active;
    for (auto& pod : controlled_by(api_, fake_pods, set)) {
        if (is_active(pod)) active.push_back(std::move(pod));
    }
    const std::int64_t wanted = whole_at(set, {"spec", "replicas"}, 1);
    const auto present = static_cast<std::int64_t>(active.size());
    for (std::int64_t i = present; i < wanted; ++i) create_pod(set, key.name + "-");
    // Those that are not ready go first.
    std::stable_partition(active.begin(), active.end(), [](const json::value& pod) { return !is_ready(pod); });
    for (std::int64_t i = 0; i < present - wanted; ++i) {
        delete_owned_pod(set, active[static_cast<std::size_t>(i)]);
    }
    const auto ready = static_cast<std::int64_t>(std::count_if(active.begin(), active.end(), is_ready));
    json::object status;
    status["replicas"] = present;
    status["fullyLabeledReplicas"] = shown_count(present);
    status["readyReplicas"] = shown_count(ready);
    status["availableReplicas"] = shown_count(ready);
    status["observedGeneration"] = whole_at(set, {"metadata", "generation"}, 1);
    write_status(fake_replica_sets, set, std::move(status));
    const json::value owner = controller_of(set);
    if (json::get_string(owner, {"kind"}) == "Deployment") {
        plan({part::deployment, {key.namespace_, text_at(owner, {"name"})}}, options_.reaction());
    }
    return std::nullopt;  // pods that come and go call again
}

void fake_core::scale(const json::value& deployment, const json::value& replica_set, std::int64_t replicas) {
    const std::int64_t before = whole_at(replica_set, {"spec", "replicas"}, 1);
    if (before == replicas) return;
    json::object patch;
    patch["spec"].emplace_object()["replicas"] = replicas;
    const auto scaled = api_.patch(fake_replica_sets, key_of_object(replica_set), json::value(std::move(patch)));
    if (!scaled) return;
    const bool up = replicas > before;
    record_event(deployment, false, "ScalingReplicaSet",
                 std::string(up ? "Scaled up" : "Scaled down") + " replica set " +
                     text_at(replica_set, {"metadata", "name"}) + " from " + std::to_string(before) + " to " +
                     std::to_string(replicas),
                 "deployment-controller");
}

json::value fake_core::new_replica_set(const json::value& deployment, const std::vector<json::value>& all) {
    const std::string hash = hash_of_template(deployment);
    std::int64_t revision = 0;
    for (const auto& set : all) {
        if (json::get_string(set, {"metadata", "labels", template_hash}) == hash) return set;
        revision = std::max(revision, revision_of(set));
    }
    json::object metadata;
    metadata["name"] = text_at(deployment, {"metadata", "name"}) + "-" + hash;
    metadata["namespace"] = text_at(deployment, {"metadata", "namespace"});
    metadata["ownerReferences"] = owned_by(deployment);
    metadata["annotations"].emplace_object()[revision_annotation] = std::to_string(revision + 1);
    json::object pods = object_at(deployment, {"spec", "template"});
    json::object selector = object_at(deployment, {"spec", "selector"});
    json::object labels = object_at(deployment, {"spec", "template", "metadata", "labels"});
    labels[template_hash] = hash;
    metadata["labels"] = labels;
    if (!pods["metadata"].is_object()) pods["metadata"] = json::object();
    pods["metadata"].get_object()["labels"] = labels;
    if (!selector["matchLabels"].is_object()) selector["matchLabels"] = json::object();
    selector["matchLabels"].get_object()[template_hash] = hash;
    json::object made;
    made["apiVersion"] = "apps/v1";
    made["kind"] = "ReplicaSet";
    made["metadata"] = std::move(metadata);
    json::object spec;
    spec["replicas"] = 0;
    spec["selector"] = std::move(selector);
    spec["template"] = std::move(pods);
    made["spec"] = std::move(spec);
    auto created = api_.create(json::value(std::move(made)));
    return created ? std::move(*created) : json::value();
}

namespace {

// The newest set has the highest number, also one that is in use again; the Deployment says which it is, as `kubectl
// rollout undo` wants to read.
void number_revision(api_server& api, const json::value& deployment, const json::value& current,
                     const std::vector<json::value>& old) {
    std::int64_t highest = 0;
    for (const auto& set : old) highest = std::max(highest, revision_of(set));
    const std::int64_t revision = std::max(revision_of(current), highest + 1);
    json::object patch;
    patch["metadata"].emplace_object()["annotations"].emplace_object()[revision_annotation] = std::to_string(revision);
    const json::value numbered(std::move(patch));
    if (revision_of(current) != revision) {
        static_cast<void>(api.patch(fake_replica_sets, key_of_object(current), numbered));
    }
    if (revision_of(deployment) != revision) {
        static_cast<void>(api.patch(fake_deployments, key_of_object(deployment), numbered));
    }
}

}  // namespace

// How many pods a Deployment's sets have, together.
class rollout {
public:
    explicit rollout(const std::vector<json::value>& sets) {
        for (const auto& set : sets) {
            wanted += whole_at(set, {"spec", "replicas"}, 0);
            present += whole_at(set, {"status", "replicas"}, 0);
            available += whole_at(set, {"status", "availableReplicas"}, 0);
        }
    }

    std::int64_t wanted = 0, present = 0, available = 0;
};

fake_core::again fake_core::step_deployment(const namespaced_name& key) {
    const auto found = api_.get(fake_deployments, key);
    if (!found || is_leaving(*found)) return std::nullopt;
    const json::value& deployment = *found;
    std::vector<json::value> old = controlled_by(api_, fake_replica_sets, deployment);
    const json::value current = new_replica_set(deployment, old);
    std::erase_if(old, [&current](const json::value& set) { return uid_of(set) == uid_of(current); });
    if (!current.is_null()) number_revision(api_, deployment, current, old);
    const std::int64_t replicas = whole_at(deployment, {"spec", "replicas"}, 1);
    const rollout before(old), now({current});
    const bool at_once = json::get_string(deployment, {"spec", "strategy", "type"}) == "Recreate";
    const auto rolling = [&deployment](std::string_view name) {
        return json::find(deployment, {"spec", "strategy", "rollingUpdate", name});
    };
    const std::int64_t surge = at_once ? 0 : share_of(rolling("maxSurge"), replicas, true, 25);
    std::int64_t missing = at_once ? replicas : share_of(rolling("maxUnavailable"), replicas, false, 25);
    if (surge == 0 && missing == 0) missing = 1;
    if (at_once) {
        for (const auto& set : old) scale(deployment, set, 0);
        std::size_t left = 0;  // those that are ending, too
        for (const auto& set : old) left += controlled_by(api_, fake_pods, set).size();
        if (left == 0) scale(deployment, current, replicas);
    } else {
        const std::int64_t room = replicas + surge - before.wanted - now.wanted;
        scale(deployment, current, std::min(replicas, std::max<std::int64_t>(0, now.wanted + room)));
        std::int64_t spare = before.available + now.available - (replicas - missing);
        for (const auto& set : old) {
            const std::int64_t has = whole_at(set, {"spec", "replicas"}, 0);
            const std::int64_t unready = has - whole_at(set, {"status", "availableReplicas"}, 0);
            const std::int64_t fewer =
                std::min(has, std::max<std::int64_t>(unready, 0) + std::max<std::int64_t>(spare, 0));
            spare -= std::max<std::int64_t>(0, fewer - std::max<std::int64_t>(unready, 0));
            scale(deployment, set, has - fewer);
        }
    }
    show_rollout(deployment, before, now, missing);
    return std::nullopt;  // sets that change call again
}

void fake_core::show_rollout(const json::value& deployment, const rollout& before, const rollout& now,
                             std::int64_t missing) {
    const std::int64_t replicas = whole_at(deployment, {"spec", "replicas"}, 1);
    const std::int64_t available = before.available + now.available;
    const bool complete = now.available >= replicas && before.present == 0 && now.present == replicas;
    const bool enough = available >= replicas - missing;
    const std::string time = now_text();
    json::array conditions = array_at(deployment, {"status", "conditions"});
    put_condition(conditions, "Available", enough, enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                  {}, time);
    put_condition(conditions, "Progressing", true, complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated", {}, time);
    json::object status;
    status["replicas"] = shown_count(before.present + now.present);
    status["updatedReplicas"] = shown_count(now.present);
    status["readyReplicas"] = shown_count(available);
    status["availableReplicas"] = shown_count(available);
    status["unavailableReplicas"] = shown_count(std::max<std::int64_t>(0, replicas - available));
    status["observedGeneration"] = whole_at(deployment, {"metadata", "generation"}, 1);
    status["conditions"] = std::move(conditions);
    write_status(fake_deployments, deployment, std::move(status));
}

}  // namespace kcontrol::testing::detail
