#include "api/validation.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <set>

namespace gpu_healer {
namespace {

constexpr std::array<std::string_view, 6> words{"node", "uid", "reason", "gpus", "attempt", "token"};

std::string problem(const std::string& field, std::string_view value, const std::string& remedy) {
    return field + ": " + std::string(value) + ": " + remedy;
}

std::string check_words(const std::string& field, std::string_view text) {
    const auto bad = unknown_word(text);
    return bad.empty() ? bad
                       : problem(field, "{" + bad + "}", "use {node}, {uid}, {reason}, {gpus}, {attempt}, {token}");
}

std::string check_url(const std::string& field, std::string_view url) {
    if (!url.starts_with("http://") && !url.starts_with("https://"))
        return problem(field, url, "begin with https:// or http://");
    return check_words(field, url);
}

std::string check_step(const std::string& at, const repair_step& step) {
    const int actions = int(step.webhook.has_value()) + int(step.awx.has_value()) + int(step.job.has_value()) +
                        int(step.manual.has_value());
    if (actions != 1) return problem(at, step.name, "give one of webhook, awx, job and manual");
    std::string bad;
    if (step.webhook) {
        bad = check_url(at + ".webhook.url", step.webhook->url);
        if (bad.empty() && !step.webhook->status_url.empty())
            bad = check_url(at + ".webhook.statusURL", step.webhook->status_url);
        if (bad.empty()) bad = check_words(at + ".webhook.body", step.webhook->body);
    }
    if (step.awx) {
        bad = check_url(at + ".awx.url", step.awx->url);
        if (bad.empty()) bad = check_words(at + ".awx.extraVars", step.awx->extra_vars.text());
    }
    return bad;
}

}  // namespace

std::string unknown_word(std::string_view text) {
    for (std::size_t at = text.find('{'); at != text.npos; at = text.find('{', at + 1)) {
        std::size_t end = at + 1;
        while (end < text.size() && std::isalpha(static_cast<unsigned char>(text[end])) != 0) ++end;
        if (end == at + 1 || end == text.size() || text[end] != '}') continue;  // JSON, not a word
        const auto word = text.substr(at + 1, end - at - 1);
        if (std::ranges::find(words, word) == words.end()) return std::string(word);
    }
    return {};
}

std::string check(const healing_policy_spec& spec) {
    if (spec.node_selector.match_labels.empty() && spec.node_selector.match_expressions.empty())
        return problem("spec.nodeSelector", "empty", "name the label of the nodes");
    if (spec.triggers && spec.triggers->empty())
        return problem("spec.triggers", "none", "give one, or leave the field out for the default");
    if (spec.taint.effect != "NoSchedule" && spec.taint.effect != "PreferNoSchedule")
        return problem("spec.taint.effect", spec.taint.effect, "use NoSchedule: NoExecute evicts without budgets");
    const std::string key = spec.taint.key;
    if (key.substr(0, key.find('/')).ends_with("kubernetes.io"))
        return problem("spec.taint.key", key, "use a key that is not the cluster's own");
    if (spec.breaker.max_percent < 1 || spec.breaker.max_percent > 100)
        return problem("spec.breaker.maxPercent", std::to_string(spec.breaker.max_percent), "give 1 to 100");
    std::set<std::string> names;
    for (const auto& each : spec.repairs) {
        if (!names.insert(each.name).second)
            return problem("spec.repairs", each.name, "give each repair a name of its own");
        std::set<std::string> steps;
        for (const auto& step : each.steps) {
            const std::string at = "spec.repairs[" + each.name.str() + "].steps[" + step.name.str() + "]";
            if (!steps.insert(step.name).second) return problem(at, step.name, "give each step a name of its own");
            if (auto bad = check_step(at, step); !bad.empty()) return bad;
        }
    }
    for (const auto& each : triggers_of(spec)) {
        if (!each.repair.empty() && !names.contains(each.repair))
            return problem("spec.triggers.repair", each.repair, "name one of spec.repairs");
    }
    return {};
}

std::vector<trigger> triggers_of(const healing_policy_spec& spec) {
    if (spec.triggers) return {spec.triggers->begin(), spec.triggers->end()};
    trigger failed, hangs;
    failed.condition.type = hangs.condition.type = "kcontrol.dev/GPUHealthy";
    failed.condition.status = "False";
    failed.condition.reasons = {text("GPUFailed")};
    hangs.condition.status = "Unknown";
    hangs.condition.reasons = {text("DriverHangs"), text("DriverFails")};
    return {failed, hangs};
}

const trigger* fired(const std::vector<trigger>& triggers, std::string_view type, std::string_view status,
                     std::string_view reason) {
    const auto found = std::ranges::find_if(triggers, [&](const trigger& each) {
        const auto& c = each.condition;
        return c.type == type && c.status == status &&
               (c.reasons.empty() ||
                std::ranges::any_of(c.reasons, [reason](const text& one) { return one == reason; }));
    });
    return found == triggers.end() ? nullptr : &*found;
}

std::optional<healthy_condition> healthy_condition_of(const healing_policy_spec& spec, const std::optional<fault>& of) {
    if (spec.verify.condition) return spec.verify.condition;
    if (!of) return std::nullopt;
    healthy_condition out;
    out.type = of->type;
    out.status = of->status == "True" ? "False" : "True";
    return out;
}

node_taint taint_of(const taint_spec& spec, std::string_view reason) {
    node_taint out;
    out.key = spec.key;
    out.effect = spec.effect;
    out.value = spec.value;
    if (!spec.value.empty()) return out;
    std::string value(reason.substr(0, 63));
    for (char& c : value) {
        if (std::isalnum(static_cast<unsigned char>(c)) == 0 && c != '-' && c != '_' && c != '.') c = '-';
    }
    const auto inner = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; };
    while (!value.empty() && inner(value.back())) value.pop_back();
    value.erase(value.begin(), std::ranges::find_if_not(value, inner));
    out.value = value;
    return out;
}

std::vector<std::string> gpus_in(std::string_view message) {
    std::vector<std::string> out;
    for (const std::string_view kind : {"GPU-", "MIG-"}) {
        for (auto at = message.find(kind); at != message.npos; at = message.find(kind, at + 1)) {
            const auto id = message.substr(at, kind.size() + 36);
            const auto is_digit = [](char c) { return c == '-' || std::isxdigit(static_cast<unsigned char>(c)) != 0; };
            if (id.size() == kind.size() + 36 && std::ranges::all_of(id.substr(kind.size()), is_digit) &&
                std::ranges::find(out, id) == out.end())
                out.emplace_back(id);
        }
    }
    return out;
}

}  // namespace gpu_healer
