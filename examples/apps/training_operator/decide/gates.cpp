// What comes after the training: gates, one after the other.
#include <kcontrol/values/quantity.hpp>

#include "card/model_card.hpp"
#include "decide/decision.hpp"

#include <charconv>
#include <set>

namespace training_operator {
namespace {

constexpr std::chrono::seconds look_for_gate{5};  // whose Job of an earlier time goes, or is somebody else's

std::string number(double value) {
    char digits[32];
    return {digits, std::to_chars(std::begin(digits), std::end(digits), value).ptr};
}

bool compare(double value, std::string_view op, double with) {
    if (op == ">") return value > with;
    if (op == ">=") return value >= with;
    if (op == "<") return value < with;
    if (op == "<=") return value <= with;
    return op == "==" && value == with;
}

gate_status judge(const gate_spec& gate, const gate_run& run) {
    gate_status out;
    out.name = gate.name;
    out.result = "Failed";
    const auto found = run.metrics.find(gate.metric.str());
    if (!run.well) {
        out.message = run.words.empty() ? "its Job failed" : "its Job failed: " + run.words;
    } else if (found == run.metrics.end()) {
        out.message = "it reported no metric " + gate.metric;
    } else {
        const auto threshold = quantity::parse(gate.threshold);
        out.value = number(found->second);
        out.message =
            gate.metric + " is " + out.value.str() + ", and must be " + gate.op.str() + " " + gate.threshold.str();
        if (threshold && compare(found->second, gate.op, threshold->as_double())) out.result = "Passed";
    }
    return out;
}

void remember(gate_status what, list<gate_status>& in) {
    const auto found = std::ranges::find(in, what.name, &gate_status::name);
    if (found != in.end())
        *found = std::move(what);
    else
        in.push_back(std::move(what));
}

}  // namespace

// All ranks have ended well.
plan decision::trained() {
    if (!job_.status.trained_time.present()) {
        out_.status.trained_time = whole_seconds(now_);
        std::set<std::string> images;
        for (const rank& each : ranks_) images.insert(each.images.begin(), each.images.end());
        for (const auto& each : images) out_.status.images.emplace_back(each);
    }
    const auto gates = job_.spec.gates.size();
    if (gates == 0) return passed("all ranks exited with code 0");
    return turn("Validating", "Validating", "all ranks exited with code 0; gates to pass: " + std::to_string(gates));
}

// Whenever it would say something else. It is written once more, for good, when the job has succeeded.
bool decision::write_card() {
    if (!job_.spec.model_card || !job_.status.trained_time.present()) return false;
    auto digest = card_digest(job_);
    if (job_.status.model_card == digest) return false;
    out_.status.model_card = std::move(digest);
    return out_.write_card = true;
}

plan decision::passed(std::string why) {
    const char* next = job_.spec.promote ? "Promoting" : "Succeeded";
    return turn(next, next, std::move(why));
}

plan decision::validating() {
    remove([](const rank& r) { return !r.over; });
    if (!out_.remove.empty()) return out_;
    for (const gate_spec& gate : job_.spec.gates) {
        const auto said = std::ranges::find(job_.status.gates, gate.name, &gate_status::name);
        const bool is_new = said == job_.status.gates.end();
        if (!is_new && said->result == "Passed") continue;
        if (!is_new && said->result == "Failed") {
            return turn("ValidationFailed", "GateFailed", "gate " + gate.name + ": " + said->message.str(), true);
        }
        const auto run = std::ranges::find(facts_.gates, gate.name.view(), &gate_run::gate);
        if (run == facts_.gates.end() || run->leaving) {
            gate_status begun;
            begun.name = gate.name;
            begun.result = "Running";
            remember(std::move(begun), out_.status.gates);
            if (run == facts_.gates.end()) out_.start_gate = gate.name;
            return look_again(now_ + look_for_gate), out_;
        }
        if (run->ended) remember(judge(gate, *run), out_.status.gates);
        return out_;
    }
    return passed("all ranks exited with code 0, and all gates are passed");
}

// What has ended stays, for its log and its result.
plan decision::end_gates() {
    for (const gate_run& each : facts_.gates) {
        if (!each.ended && !each.leaving) out_.end_gates.push_back(each);
    }
    return out_;
}

}  // namespace training_operator
