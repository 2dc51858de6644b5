#include <kcontrol/documents/yaml.hpp>
#include <kcontrol/testing/rbac_rules.hpp>

#include <map>
#include <set>
#include <utility>

namespace kcontrol::inline v0_1::testing {

std::string rbac_rules(const request_log& log) {
    std::map<std::pair<std::string, std::string>, std::set<std::string>> verbs;  // of a group and a resource
    for (const auto& asked : log.requests()) {
        http::request request;
        request.method = asked.method;
        request.target = asked.target;
        const auto info = parse_request(request);
        if (!info || !info->is_resource || info->resource.empty()) continue;
        const auto below = info->subresource.empty() ? std::string() : "/" + info->subresource;
        auto& of_it = verbs[{info->group, info->resource + below}];
        of_it.insert(info->verb);
        // An apply that makes the object.
        if (info->verb == "patch" && asked.code == 201) of_it.insert("create");
    }
    if (verbs.empty()) return {};
    json::array rules;
    for (const auto& [what, all] : verbs) {
        json::array words;
        for (const auto& verb : all) words.emplace_back(verb);
        rules.push_back({{"apiGroups", json::array{what.first}},
                         {"resources", json::array{what.second}},
                         {"verbs", std::move(words)}});
    }
    return json::to_yaml(rules);
}

}  // namespace kcontrol::testing
