#include "gang/rank.hpp"
#include "job/names.hpp"

#include <algorithm>
#include <charconv>

namespace training_operator {
namespace {

using namespace api::core::v1;

constexpr std::size_t longest_words = 1000;  // of what ends up in a condition

std::int32_t number_of(const object_meta& meta, const char* label) {
    std::int32_t out = -1;
    const text* found = meta.labels.get(label);
    if (found == nullptr) return out;
    const std::string_view digits = *found;
    std::int32_t read = 0;
    const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), read);
    if (problem == std::errc() && end == digits.data() + digits.size()) out = read;
    return out;
}

std::string sentence(std::string_view reason, std::string_view message) {
    std::string out(reason);
    if (!reason.empty() && !message.empty()) out += ": ";
    out += message;
    // Not inside a character: what is cut off begins with no continuation byte.
    std::size_t end = std::min(out.size(), longest_words);
    while (end < out.size() && end > 0 && (static_cast<unsigned char>(out[end]) & 0xC0U) == 0x80U) --end;
    out.resize(end);
    return out;
}

const container_status* status_of(const rank_pod& pod, std::string_view container) {
    for (const auto& each : pod.status.container_statuses) {
        if (each.name == container) return &each;
    }
    return nullptr;
}

const container_state_terminated* end_of(const container_status* status) {
    return status != nullptr && status->state.terminated ? &*status->state.terminated : nullptr;
}

// The end of an init container that failed: the others never began.
const container_state_terminated* failed_before(const rank_pod& pod) {
    for (const auto& each : pod.status.init_container_statuses) {
        const auto* end = end_of(&each);
        if (end != nullptr && end->exit_code != 0) return end;
    }
    return nullptr;
}

std::string what_it_waits_for(const rank_pod& pod) {
    for (const auto& each : pod.status.conditions) {
        if (each.type == "PodScheduled" && each.status == "False") return sentence(each.reason, each.message);
    }
    for (const auto* statuses : {&pod.status.init_container_statuses, &pod.status.container_statuses}) {
        for (const auto& each : *statuses) {
            if (each.state.waiting) return sentence(each.state.waiting->reason, each.state.waiting->message);
        }
    }
    return pod.spec.node_name.empty() ? "no node was found for it yet" : "it is prepared on " + pod.spec.node_name;
}

void read_end(const container_state_terminated& end, rank& out) {
    out.state = end.exit_code == 0 ? rank_state::ended_well : rank_state::failed;
    out.exit_code = end.exit_code;
    const bool says_nothing = end.reason == "Error" || end.reason == "Completed";
    const auto told = read_report(end.message);
    out.words = sentence(says_nothing ? text() : end.reason, told ? text() : end.message);
    if (told && told->saved) out.told.saved = told->saved;
    if (told) out.told.refused = told->refused;
    if (end.finished_at.present()) out.ended = end.finished_at.value();
}

// Who evicts or preempts says so: in a condition, or, as kubelets do, in the reason of a pod that never ran.
bool was_disrupted(const rank_pod& pod) {
    for (const auto& each : pod.status.conditions) {
        if (each.type == "DisruptionTarget" && each.status == "True") return true;
    }
    return pod.status.phase == "Failed" && !pod.status.reason.empty();
}

}  // namespace

rank read_rank(const rank_pod& pod, const rank_node* node) {
    rank out;
    out.number = number_of(pod.metadata, rank_label);
    out.attempt = number_of(pod.metadata, attempt_label);
    out.pod = pod.metadata.name;
    out.uid = pod.metadata.uid;
    out.over = pod.status.phase == "Succeeded" || pod.status.phase == "Failed";
    out.leaving = pod.metadata.deletion_timestamp.present();
    out.node = pod.spec.node_name;
    if (const text* progress = pod.metadata.annotations.get(progress_annotation)) {
        out.told = read_report(*progress).value_or(report());
    }
    if (node != nullptr) out.unready_since = unready_since(*node);

    const auto* end = end_of(pod.spec.containers.empty() ? nullptr : status_of(pod, pod.spec.containers[0].name));
    if (end == nullptr) end = failed_before(pod);
    if (end != nullptr) read_end(*end, out);
    if (end == nullptr && pod.status.phase == "Running") out.state = rank_state::running;
    if (end == nullptr && pod.status.phase == "Succeeded") out.state = rank_state::ended_well;
    if (end == nullptr && pod.status.phase == "Failed") out.state = rank_state::failed;
    if (out.state == rank_state::waiting) out.words = what_it_waits_for(pod);
    if (out.state == rank_state::failed && (end == nullptr || was_disrupted(pod))) {
        out.disrupted = true;
        out.words = sentence(pod.status.reason, pod.status.message);
    }
    return out;
}

std::optional<wall_time> unready_since(const rank_node& node) {
    for (const auto& each : node.status.conditions) {
        if (each.type != "Ready" || each.status == "True") continue;
        return each.last_transition_time.value();
    }
    return std::nullopt;
}

}  // namespace training_operator
