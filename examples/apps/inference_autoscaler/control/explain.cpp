#include "control/explain.hpp"

#include <kcontrol/base/flags.hpp>
#include <kcontrol/runtime/wait.hpp>

#include "api/validation.hpp"
#include "control/metric_looks.hpp"
#include "control/target_scale.hpp"
#include "messages.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <iterator>

namespace inference_autoscaler {
namespace {

std::string in_four_digits(double value) {
    std::array<char, 32> out;
    std::snprintf(out.data(), out.size(), "%.4g", value);
    return out.data();
}

std::string words_of_rule(const scaling_rule& rule, const rule_reading& read) {
    std::string bound = " " + rule.op.str() + " " + in_four_digits(rule.threshold);
    if (rule.for_seconds > 0) bound += " for " + std::to_string(rule.for_seconds) + " s";
    if (const auto value = value_of(read))
        return in_four_digits(*value) + bound + (holds(rule, *value) ? ": holds" : ": does not hold");
    const missing_reading* why = read.value.missing();
    if (why == nullptr) return "no finite value" + bound;
    return "no value" + bound + ": " + std::string(to_string(why->reason)) +
           (why->words.empty() ? "" : ", " + why->words);
}

std::string words_of_status(const inference_scaler& scaler) {
    const auto& status = scaler.status;
    const auto count = [](std::int32_t n, const char* what) { return std::to_string(n) + " " + what; };
    std::string out = scaler.metadata.namespace_.str() + "/" + scaler.metadata.name.str() + ", " +
                      words_of(scaler.spec.target) + ": " + count(status.replicas, "replicas, ") +
                      count(status.ready, "ready, ") + count(status.warming, "warming, ") +
                      count(status.wanted, "wanted\n");
    const auto& last = status.decision;
    if (last.sentence.empty()) return out + "Nothing was decided yet.\n";
    return out + "Decided at " + last.since.str() + ": " + last.sentence.str() + "\n";
}

}  // namespace

result<explain_arguments> read_explain_arguments(const std::vector<std::string_view>& arguments) {
    constexpr flag_shape flags[] = {{"--kubeconfig"}, {"--context"}, {"--allow-address"}};
    const auto said = split_arguments(arguments, flags, "inference_autoscaler explain --help");
    if (!said) return said.error();
    explain_arguments out;
    for (const auto& one : *said) {
        if (one.is_word()) {
            const auto slash = one.text.find('/');
            if (slash == one.text.npos || slash == 0 || slash + 1 == one.text.size() || !out.scaler.name.empty())
                return bad_value(in_quotes(one.text) + ": name one InferenceScaler, as NAMESPACE/NAME");
            out.scaler =
                namespaced_name(std::string(one.text.substr(0, slash)), std::string(one.text.substr(slash + 1)));
        } else if (flags[one.flag].name == "--allow-address") {
            out.allowed.emplace_back(one.text);
        } else {
            (flags[one.flag].name == "--context" ? out.context : out.kubeconfig) = one.text;
        }
    }
    if (out.scaler.name.empty()) return bad_value("NAMESPACE/NAME is missing");
    return out;
}

awaitable<result<std::string>> explain(environment& env, executor ex, client cluster, http::transport_factory connect,
                                       namespaced_name which) {
    const auto found = co_await cluster.get<inference_scaler>(which);
    if (!found && found.error() == api_errc::not_found)
        co_return error(found.error().code(), "there is no InferenceScaler " + which.namespace_ + "/" + which.name);
    if (!found) co_return found.error();
    const inference_scaler& scaler = *found;
    std::string out = words_of_status(scaler);
    std::string obstacle = check(scaler.spec);
    target_scales scales;
    found_target target;
    if (obstacle.empty()) {
        auto read = co_await scales.read(cluster, which.namespace_, scaler.spec.target, std::stop_token());
        if (!read) co_return read.error();
        target = std::move(*read);
        obstacle = target.sentence;
    }
    if (!obstacle.empty()) co_return out + "The rules are not asked: " + obstacle + "\n";
    list_options pods_of;
    pods_of.in_namespace(which.namespace_).label_selector(target.now.status.selector);
    const auto pods = co_await cluster.list<target_pod>(pods_of);
    if (!pods) co_return pods.error();
    target_pods ready;
    std::ranges::copy_if(*pods, std::back_inserter(ready), [](const auto& pod) { return is_ready(*pod); });
    const auto rules = rules_of(scaler.spec);
    metric_looks looks(env, ex, connect, cluster);
    look seen = co_await looks.read(scaler, rules, ready, std::stop_token());
    const auto needs_two = [](const scaling_rule& rule) { return rule.pods && rule.pods->of == "P95"; };
    if (!ready.empty() && std::ranges::any_of(rules, needs_two)) {
        co_await sleep_for(env, std::chrono::seconds(15), std::stop_token());
        seen = co_await looks.read(scaler, rules, ready, std::stop_token());
    }
    out += "Rules now, at " + std::to_string(ready.size()) + " ready pods:\n";
    for (std::size_t i = 0; i < rules.size(); ++i)
        out += "  " + rules[i].name.str() + ": " + words_of_rule(rules[i], seen.rules[i]) + "\n";
    out += "Conditions:\n";
    for (const auto& each : scaler.status.conditions)
        out += "  " + each.type.str() + "=" + each.status.str() + " " + each.reason.str() +
               (each.message.empty() ? "" : ": " + each.message.str()) + "\n";
    co_return out;
}

std::string_view explain_help() noexcept {
    return R"(Says what was decided for an InferenceScaler, and asks its rules.

usage: inference_autoscaler explain NAMESPACE/NAME [flags]

  --kubeconfig FILE     the cluster; else $KUBECONFIG, the pod's account, ~/.kube/config
  --context NAME        of the kubeconfig
  --allow-address CIDR  addresses that metrics may come from, besides the internet and
                        private networks; several times

Metrics are asked from here, so run it where they can be reached, such as in the
autoscaler's pod.

Exit codes: 0 ok, 1 no such scaler or no answer of the cluster, 2 a wrong command line.
)";
}

}  // namespace inference_autoscaler
