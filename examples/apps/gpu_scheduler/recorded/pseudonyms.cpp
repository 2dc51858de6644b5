#include "recorded/pseudonyms.hpp"

#include <kcontrol/values/quantity.hpp>
#include <kcontrol/values/time.hpp>

#include <algorithm>
#include <array>
#include <cctype>

namespace gpu_scheduler {

namespace json = kcontrol::json;

namespace {

// Whose texts are words of the API.
constexpr std::array kept_keys{"apiVersion",
                               "kind",
                               "operator",
                               "effect",
                               "phase",
                               "type",
                               "status",
                               "reason",
                               "restartPolicy",
                               "topologyKey",
                               "key",
                               "preemptionPolicy",
                               "whenUnsatisfiable",
                               "protocol",
                               "architecture",
                               "nodeTaintsPolicy",
                               "nodeAffinityPolicy",
                               "accessModes",
                               "operatingSystem",
                               "volumeBindingMode",
                               "schedulerName",
                               "volumeMode",
                               "matchLabelKeys",
                               "resource",
                               "driver",
                               "allocationMode",
                               "matchAttribute",
                               "distinctAttribute",
                               "product",
                               "mismatchLabelKeys"};
// Whose values are words of the API as a whole: amounts and hardware.
constexpr std::array kept_folders{"capacity", "allocatable", "requests", "limits", "resources", "overhead", "nodeInfo"};
// What the scheduler reads.
constexpr std::array kept_annotations{"hami.io/", "kcontrol.dev/", "scheduling.kcontrol.dev/", "scheduling.k8s.io/",
                                      "scheduling.x-k8s.io/"};
// Labels whose values are hardware or words.
constexpr std::array kept_labels{"nvidia.com/", "kubernetes.io/arch", "kubernetes.io/os",
                                 "node.kubernetes.io/instance-type", "scheduling.kcontrol.dev/gang-size"};
// Messages of people and programs, which name things.
constexpr std::array dropped_keys{"message",
                                  "env",
                                  "envFrom",
                                  "command",
                                  "args",
                                  "images",
                                  "addresses",
                                  "podIP",
                                  "podIPs",
                                  "hostIP",
                                  "hostIPs",
                                  "containerStatuses",
                                  "initContainerStatuses",
                                  "serviceAccount",
                                  "serviceAccountName",
                                  "imagePullSecrets",
                                  "podCIDR",
                                  "podCIDRs",
                                  "providerID",
                                  "livenessProbe",
                                  "readinessProbe",
                                  "startupProbe",
                                  "lifecycle",
                                  "volumeAttributes",
                                  "hostAliases",
                                  "opaque",
                                  "finalizers"};

template <class Words>
bool is_one_of(const Words& words, std::string_view text) {
    return std::ranges::find(words, text) != words.end();
}
template <class Words>
bool begins_with_one_of(const Words& words, std::string_view text) {
    return std::ranges::any_of(words, [text](std::string_view each) { return text.starts_with(each); });
}

bool is_plain(std::string_view text) {
    return text.empty() || text == "true" || text == "false" || text == "default" ||
           text.starts_with("kubernetes.io/") || kcontrol::quantity::parse(text).has_value() ||
           kcontrol::parse_time(text).has_value();
}

}  // namespace

const std::string& pseudonyms::of(std::string_view name) {
    const auto found = names_.find(name);
    if (found != names_.end()) return found->second;
    return names_.emplace(name, "n" + std::to_string(names_.size() + 1)).first->second;
}

// GPUs by their UUIDs; NODE/0, where GPUs are called after their node.
std::string pseudonyms::in_text(std::string_view text) {
    const auto is_part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '.';
    };
    std::string out;
    while (!text.empty()) {
        const auto end = static_cast<std::size_t>(std::ranges::find_if_not(text, is_part) - text.begin());
        const auto word = text.substr(0, end);
        const bool is_gpu = word.starts_with("GPU-") || word.starts_with("MIG-");
        const bool is_node = end < text.size() && text[end] == '/' && names_.contains(word);
        out += is_gpu ? "GPU-" + of(word) : is_node ? of(word) : std::string(word);
        if (end < text.size()) out += text[end];
        text.remove_prefix(std::min(text.size(), end + 1));
    }
    return out;
}

void pseudonyms::annotations(json::object& at) {
    for (auto each = at.begin(); each != at.end();) {
        const auto next = each + 1;
        if (!begins_with_one_of(kept_annotations, each->key())) {
            each = at.stable_erase(each);
            continue;
        }
        const std::string said(each->value().is_string() ? each->value().as_string() : "");
        const bool is_group = std::string_view(each->key()).ends_with("group-name");
        each->value() = is_group ? of(said) : in_text(said);
        each = next;
    }
}

// Of devices: selectors compare them.
void pseudonyms::attributes(json::object& at) {
    for (auto& each : at) {
        auto* values = each.value().if_object();
        auto* said = values == nullptr ? nullptr : values->if_contains("string");
        if (said != nullptr && said->is_string()) *said = in_text(said->as_string());
    }
}

void pseudonyms::walk(std::string_view key, json::value& at) {
    if (auto* object = at.if_object()) {
        if (key == "annotations") return annotations(*object);
        if (is_one_of(kept_folders, key)) return;
        if (key == "attributes") return attributes(*object);
        for (const auto dropped : dropped_keys) object->erase(dropped);
        const bool is_labels = key == "labels" || key == "matchLabels" || key == "nodeSelector";
        for (auto& each : *object) {
            if (is_labels && begins_with_one_of(kept_labels, each.key())) continue;
            // Of a selector: its values belong to its key.
            const auto* of_key = object->if_contains("key");
            const bool is_values = each.key() == "values" || each.key() == "value";
            if (is_values && of_key != nullptr && of_key->is_string() &&
                begins_with_one_of(kept_labels, of_key->as_string())) {
                continue;
            }
            walk(is_labels ? std::string_view("label") : std::string_view(each.key()), each.value());
        }
    } else if (auto* array = at.if_array()) {
        // The requests of a ResourceClaim are a list, and no amounts.
        const auto of_each = is_one_of(kept_folders, key) ? std::string_view() : key;
        for (auto& each : *array) walk(of_each, each);
    } else if (at.is_string() && !is_one_of(kept_keys, key)) {
        const std::string said(at.as_string());
        if (key == "expression") {
            at = in_text(said);
        } else if (!is_plain(said)) {
            at = of(said);
        }
    }
}

void pseudonyms::replace(json::value& object) { walk("", object); }

result<std::string> pseudonyms::selector(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const auto part = text.substr(0, text.find(','));
        const auto equals = part.find('=');
        if (equals == std::string_view::npos || part.find_first_of("!() ") != std::string_view::npos) {
            return bad_value("--node-selector: " + in_quotes(part) + " has no other names; write it as KEY=VALUE");
        }
        const auto value = part.substr(equals + 1);
        out.append(out.empty() ? "" : ",")
            .append(part.substr(0, equals + 1))
            .append(is_plain(value) ? value : of(value));
        text.remove_prefix(std::min(text.size(), part.size() + 1));
    }
    return out;
}

}  // namespace gpu_scheduler
