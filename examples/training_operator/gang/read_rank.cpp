#include <kcontrol/controllerutil/pods.hpp>
#include <kcontrol/model/condition.hpp>

#include "gang/rank.hpp"
#include "job/names.hpp"

#include <charconv>

namespace training_operator {
namespace {

using namespace api::core::v1;

// By the operator's label, or that of Jobs that are Indexed, or those of Kubeflow, whose master comes first.
std::int32_t rank_of(const object_meta& meta) {
    const text* type = meta.labels.get("training.kubeflow.org/replica-type");
    const auto replica = number_of(meta, "training.kubeflow.org/replica-index");
    if (type != nullptr && replica >= 0) return *type == "master" ? 0 : replica + 1;
    const auto index = number_of(meta, "batch.kubernetes.io/job-completion-index");
    return index >= 0 ? index : number_of(meta, rank_label);
}

void read_end(const container_state_terminated& end, rank& out) {
    out.state = end.exit_code == 0 ? rank_state::ended_well : rank_state::failed;
    out.exit_code = end.exit_code;
    const bool says_nothing = end.reason == "Error" || end.reason == "Completed";
    const auto told = read_report(end.message);
    out.words = words_of(says_nothing ? text() : end.reason, told ? text() : end.message);
    if (told && told->saved) out.told.saved = told->saved;
    if (told && !told->metrics.empty()) out.told.metrics = told->metrics;
    if (told) out.told.refused = told->refused;
    if (end.finished_at.present()) out.ended = end.finished_at.value();
}

}  // namespace

std::int32_t number_of(const object_meta& meta, const char* label) {
    const text* found = meta.labels.get(label);
    if (found == nullptr) return -1;
    const std::string_view digits = *found;
    std::int32_t read = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    return problem == std::errc() && end == digits.data() + digits.size() ? read : -1;
}

rank read_rank(const rank_pod& pod, const rank_node* node) {
    rank out;
    out.number = rank_of(pod.metadata);
    out.attempt = number_of(pod.metadata, attempt_label);
    out.pod = pod.metadata.name;
    out.uid = pod.metadata.uid;
    out.over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
    out.leaving = pod.metadata.deletion_timestamp.present();
    out.gated = !pod.spec.scheduling_gates.empty();
    out.node = pod.spec.node_name;
    if (const text* progress = pod.metadata.annotations.get(progress_annotation)) {
        out.told = read_report(*progress).value_or(report());
    }
    for (const auto& each : pod.status.container_statuses) {
        out.images.push_back(each.image_id.empty() ? each.image : each.image_id);
    }
    if (node != nullptr) out.unready_since = unready_since(*node);

    const auto* end = end_of_container(
        pod.status, pod.spec.containers.empty() ? std::string_view() : pod.spec.containers[0].name.view());
    if (end != nullptr) read_end(*end, out);
    if (end == nullptr && pod.status.phase == "Running") out.state = rank_state::running;
    if (end == nullptr && pod.status.phase == "Succeeded") out.state = rank_state::ended_well;
    if (end == nullptr && pod.status.phase == "Failed") out.state = rank_state::failed;
    if (out.state == rank_state::waiting) out.words = waiting_words(pod.status);
    if (out.state == rank_state::waiting && out.words.empty()) {
        out.words = out.node.empty() ? "no node was found for it yet" : "it is prepared on " + out.node;
    }
    if (out.state == rank_state::failed && (end == nullptr || is_disrupted(pod.status))) {
        out.disrupted = true;
        out.words = words_of(pod.status.reason, pod.status.message);
    }
    return out;
}

std::optional<wall_time> unready_since(const rank_node& node) {
    const auto* ready = find_condition(node.status.conditions, "Ready");
    if (ready == nullptr || ready->status == "True") return std::nullopt;
    return ready->last_transition_time.value();
}

}  // namespace training_operator
