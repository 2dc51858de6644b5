#include "needs.hpp"

#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/testing/rbac_rules.hpp>

namespace kcontrol_apiserver {
namespace {

namespace json = kcontrol::json;
namespace testing = kcontrol::testing;

const testing::group_resource definition_kind{"apiextensions.k8s.io", "customresourcedefinitions"};

// Without what the server gave it.
json::value as_applied(const json::value& definition) {
    json::object metadata;
    for (const std::string_view kept : {"name", "labels", "annotations"}) {
        if (const json::value* found = json::find(definition, {"metadata", kept})) metadata[kept] = *found;
    }
    json::value spec = *json::find(definition, {"spec"});
    const json::value* conversion = json::find(spec, {"conversion"});
    if (conversion != nullptr && *conversion == json::value{{"strategy", "None"}}) spec.as_object().erase("conversion");
    return {{"apiVersion", "apiextensions.k8s.io/v1"},
            {"kind", "CustomResourceDefinition"},
            {"metadata", std::move(metadata)},
            {"spec", std::move(spec)}};
}

std::map<std::string, json::value, std::less<>> definitions_of(const testing::api_server& api) {
    std::map<std::string, json::value, std::less<>> out;
    for (const auto& each : api.list(definition_kind)) {
        out.emplace(json::get_string(each, {"metadata", "name"}), as_applied(each));
    }
    return out;
}

}  // namespace

needs::needs(testing::api_server& api, std::string user)
    : api_(api), user_(std::move(user)), before_(definitions_of(api)) {}

void needs::look() {
    const auto& all = api_.request_log().requests();
    if (all.empty()) return;
    if (all.front().number > seen_ + 1) all_known_ = false;
    seen_ = all.back().number;
    // The old ones, too: a request that was going on has an answer now.
    for (const auto& asked : all) {
        if (asked.user != user_) continue;
        const kcontrol::http::request request(asked.method, asked.target);
        const auto info = testing::parse_request(request);
        if (!info) continue;
        const std::string kind =
            asked.verb + " " + asked.resource.text() + "/" + info->subresource + " " + std::to_string(asked.code);
        if (kinds_of_requests_.insert(kind).second) known_.end(known_.begin(request, *info), asked.code);
    }
}

std::vector<json::value> needs::definitions() const {
    std::vector<json::value> out;
    for (auto& [name, definition] : definitions_of(api_)) {
        const auto old = before_.find(name);
        if (old == before_.end() || old->second != definition) out.push_back(definition);
    }
    return out;
}

json::value needs::cluster_role(const std::string& name) const {
    json::value rules = json::array{};
    const std::string text = testing::rbac_rules(known_);
    if (!text.empty()) rules = json::parse_yaml(text, text.size()).value().front();
    return {{"apiVersion", "rbac.authorization.k8s.io/v1"},
            {"kind", "ClusterRole"},
            {"metadata", {{"name", name}}},
            {"rules", std::move(rules)}};
}

std::vector<std::string> needs::not_served() const {
    std::set<std::string> out;
    for (const auto& asked : known_.requests()) {
        if (asked.code != 404 || (asked.verb != "list" && asked.verb != "watch")) continue;
        // A program that installs its kind may have asked before.
        const auto now = api_.get(asked.resource, {});
        if (!now && now.error() == kcontrol::errc::no_such_kind) out.insert(asked.resource.text());
    }
    return {out.begin(), out.end()};
}

std::vector<std::string> needs::refused() const {
    std::set<std::string> out;
    for (const auto& asked : known_.requests()) {
        const bool normal = asked.code < 400 || asked.code == 404 || asked.code == 409 || asked.code == 410;
        if (normal || asked.resource.resource.empty()) continue;
        out.insert(asked.verb + " " + asked.resource.text() + " (" + std::to_string(asked.code) + ")");
    }
    return {out.begin(), out.end()};
}

std::string role_name_of(std::string_view program) {
    std::string out;
    for (const char c : program.substr(program.rfind('/') + 1)) {
        const bool is_capital = c >= 'A' && c <= 'Z';
        const bool fits = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' || is_capital;
        if (fits) {
            out.push_back(is_capital ? static_cast<char>(c - 'A' + 'a') : c);
        } else if (!out.empty() && out.back() != '-') {
            out.push_back('-');
        }
    }
    while (!out.empty() && (out.back() == '-' || out.back() == '.')) out.pop_back();
    while (!out.empty() && out.front() == '.') out.erase(0, 1);
    return out.empty() ? "program" : out;
}

}  // namespace kcontrol_apiserver
