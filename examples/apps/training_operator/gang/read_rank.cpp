#include <kcontrol/controllerutil/kueue.hpp>
#include <kcontrol/model/condition.hpp>

#include "gang/rank.hpp"
#include "job/names.hpp"

#include <charconv>

namespace training_operator {
namespace {

// By the operator's label, or that of Jobs that are Indexed, or those of Kubeflow, whose master comes first.
std::int32_t rank_of(const object_meta& meta) {
    const text* type = meta.labels.get("training.kubeflow.org/replica-type");
    const auto replica = number_of(meta, "training.kubeflow.org/replica-index");
    if (type != nullptr && replica >= 0) return *type == "master" ? 0 : replica + 1;
    const auto index = number_of(meta, "batch.kubernetes.io/job-completion-index");
    return index >= 0 ? index : number_of(meta, rank_label);
}

// A report is no message for people.
void take_last_report(const report& last, rank& out) {
    if (!out.disrupted) out.words = out.reason;
    if (last.saved) out.told.saved = last.saved;
    if (last.step) out.told.step = last.step;
    if (!last.metrics.empty()) out.told.metrics = last.metrics;
    out.told.refused = last.refused;
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
    rank out(summarize(pod));
    out.number = rank_of(pod.metadata);
    out.attempt = number_of(pod.metadata, attempt_label);
    if (const text* group = pod.metadata.labels.get(kueue::group_label)) out.group = *group;
    if (const text* progress = pod.metadata.annotations.get(progress_annotation)) {
        out.told = read_report(*progress).value_or(report());
    }
    if (const auto last = read_report(out.message)) take_last_report(*last, out);
    if (node != nullptr) out.unready_since = unready_since(*node);
    return out;
}

std::optional<wall_time> unready_since(const rank_node& node) {
    const auto* ready = find_condition(node.status.conditions, "Ready");
    if (ready == nullptr || ready->status == "True") return std::nullopt;
    return ready->last_transition_time.value();
}

}  // namespace training_operator
