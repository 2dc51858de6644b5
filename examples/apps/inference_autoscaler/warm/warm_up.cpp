#include "warm/warm_up.hpp"

#include <kcontrol/model/condition.hpp>

#include <algorithm>
#include <charconv>

namespace inference_autoscaler {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t most_failures = 3;
constexpr auto pause = 1s;
constexpr std::string_view mark = "(restarts: ";

bool has_failed(const warm_pod& pod) { return pod.reason == warm_up_failed || pod.reason == warm_up_failing; }

kcontrol::wall_time end_of(const warm_pod& pod, const warm_up_spec& how) {
    return pod.ready_since + std::chrono::seconds(how.timeout_seconds);
}

}  // namespace

std::string_view reason_of(warm_step step) {
    switch (step) {
    case warm_step::set_warm: return warmed_up;
    case warm_step::set_restarted: return restarted;
    case warm_step::set_failing: return warm_up_failing;
    default: return warm_up_failed;
    }
}

warmth warm_pod::state() const {
    const bool current = judged_restarts == restarts;
    if (current && status == "True" && running) return warmth::warm;
    if (current && has_failed(*this)) return warmth::failed;
    return containers_ready ? warmth::warming : warmth::loading;
}

warm_pod warm_pod_of(const kcontrol::object_meta& meta, const kcontrol::api::core::v1::pod_status& status) {
    warm_pod out;
    out.namespace_ = meta.namespace_;
    out.name = meta.name;
    out.uid = meta.uid;
    out.ip = status.pod_ip;
    for (const char* label : {"pod-template-hash", "controller-revision-hash"}) {
        if (const auto* hash = meta.labels.get(label); hash && out.template_.empty()) out.template_ = *hash;
    }
    out.leaving = meta.deletion_timestamp.present();
    out.running = true;
    for (const auto& each : status.container_statuses) {
        out.restarts += each.restart_count;
        out.running = out.running && each.state.running.present();
    }
    if (const auto* ready = kcontrol::find_condition(status.conditions, "ContainersReady")) {
        out.containers_ready = ready->status == "True";
        out.ready_since = ready->last_transition_time.value();
    }
    if (const auto* warm = kcontrol::find_condition(status.conditions, warm_condition)) {
        out.status = warm->status;
        out.reason = warm->reason;
        const std::string_view words = warm->message.view();
        if (const auto at = words.rfind(mark); at != words.npos)
            std::from_chars(words.data() + at + mark.size(), words.data() + words.size(), out.judged_restarts);
    }
    return out;
}

bool failure_ledger::may_remove(const warm_pod& pod) {
    auto& those = failed_[pod.template_];
    return those.contains(pod.uid) || (those.size() < most_failures && those.insert(pod.uid).second);
}

bool failure_ledger::failing(const std::string& template_hash) const {
    const auto found = failed_.find(template_hash);
    return found != failed_.end() && found->second.size() >= most_failures;
}

void failure_ledger::observe(const warm_pod& pod) {
    if (pod.state() != warmth::failed) return;
    if (pod.reason == warm_up_failed) return static_cast<void>(may_remove(pod));
    auto& those = failed_[pod.template_];  // others were deleted before it
    for (std::size_t i = 0; those.size() < most_failures; ++i) those.insert("before " + std::to_string(i));
}

warm_step warm_up::next(const warm_pod& pod, const warm_up_spec& how, failure_ledger& ledger, kcontrol::wall_time now) {
    if (pod.restarts != restarts_) *this = warm_up(), restarts_ = pod.restarts;
    if (pod.leaving || removed_ || now < not_before_) return warm_step::nothing;
    if (unfinished_ != warm_step::nothing) return unfinished_;
    const auto state = pod.state();
    if (state == warmth::warm) return warm_step::nothing;
    if (pod.status == "True") return warm_step::set_restarted;
    if (state == warmth::failed) return pod.reason == warm_up_failed ? warm_step::remove : warm_step::nothing;
    if (state == warmth::loading) good_ = 0;
    if (state == warmth::loading || pod.ip.empty()) return warm_step::nothing;
    if (good_ >= how.requests) return warm_step::set_warm;
    if (now < end_of(pod, how)) return warm_step::request;
    return ledger.may_remove(pod) ? warm_step::set_failed : warm_step::set_failing;
}

void warm_up::answered(std::int64_t restarts, bool good, std::string words, kcontrol::wall_time now) {
    if (restarts != restarts_) return;  // of a container that has ended
    good_ = good ? good_ + 1 : 0;
    last_ = std::move(words);
    if (!good) not_before_ = now + pause;
}

void warm_up::done(warm_step step, bool well, warm_pod& pod, kcontrol::wall_time now) {
    unfinished_ = well ? warm_step::nothing : step;  // it may have happened: again, for it is told once
    if (!well) {
        not_before_ = now + pause;
    } else if (step == warm_step::remove) {
        removed_ = true;
    } else {
        pod.status = step == warm_step::set_warm ? "True" : "False";
        pod.reason = reason_of(step);
        pod.judged_restarts = pod.restarts;
        if (step == warm_step::set_restarted) good_ = 0;
    }
}

std::string warm_up::message(warm_step step, const warm_pod& pod, const warm_up_spec& how,
                             kcontrol::wall_time now) const {
    std::string out;
    if (step == warm_step::set_warm) {
        const auto took = std::chrono::duration_cast<std::chrono::seconds>(now - pod.ready_since).count();
        out = std::to_string(how.requests) + " good answers in a row, " + std::to_string(took) +
              " s after its containers were ready ";
    } else if (step == warm_step::set_restarted) {
        out = "a container ended; it is warmed up again ";
    } else {
        out = "not warm within " + std::to_string(how.timeout_seconds) + " s; the last answer: " + last_ + "; ";
        out += step == warm_step::set_failed ? "the pod is deleted " : "three pods of its template failed: it is kept ";
    }
    return out + std::string(mark) + std::to_string(pod.restarts) + ")";
}

}  // namespace inference_autoscaler
