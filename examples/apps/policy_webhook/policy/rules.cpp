#include "policy/rules.hpp"

#include <kcontrol/codec/codec.hpp>
#include <kcontrol/codec/known_fields.hpp>
#include <kcontrol/documents/yaml.hpp>

#include <algorithm>

using namespace kcontrol;

namespace policy_webhook {
namespace {

std::optional<rule_mode> read_mode(std::string_view text) {
    if (text == "enforce") return rule_mode::enforce;
    if (text == "warn") return rule_mode::warn;
    if (text == "off") return rule_mode::off;
    return std::nullopt;
}

result<void> check_mode(const std::string& where, const std::string& mode) {
    if (read_mode(mode)) return {};
    return error(errc::invalid_argument, where + ": \"" + mode + "\" is not enforce, warn or off");
}

result<void> check(const rules& of) {
    if (auto good = check_mode("mode", of.mode); !good) return good;
    for (const auto& [rule, mode] : of.modes) {
        if (std::find(rule_names.begin(), rule_names.end(), rule) == rule_names.end()) {
            return error(errc::invalid_argument, "modes: there is no rule \"" + rule + "\"");
        }
        if (auto good = check_mode("modes." + rule, mode); !good) return good;
    }
    if (of.gpus.multiple_of < 1) return error(errc::invalid_argument, "gpus.multipleOf: it must be at least 1");
    if (of.gpus.resource.empty()) return error(errc::invalid_argument, "gpus.resource: it is empty");
    return {};
}

}  // namespace

rule_mode rules::mode_of(std::string_view rule) const {
    const auto own = modes.find(std::string(rule));
    return read_mode(own != modes.end() ? own->second : mode).value_or(rule_mode::enforce);
}

bool rules::exempts(std::string_view ns) const {
    return std::find(exempt_namespaces.begin(), exempt_namespaces.end(), ns) != exempt_namespaces.end();
}

std::optional<std::int64_t> rules::quota_of(const std::string& ns) const {
    const auto own = quota.namespaces.find(ns);
    return own != quota.namespaces.end() ? std::optional(own->second) : quota.each;
}

result<rules> parse_rules(std::string_view yaml) {
    const auto documents = json::parse_yaml(yaml);
    if (!documents) return documents.error();
    if (documents->size() != 1) return error(errc::invalid_argument, "expected one YAML document");
    const std::string text = json::serialize(documents->front());
    json::document document;
    const auto root = document.parse(text);
    if (!root) return root.error();
    if (auto known = check_known_fields(describe<rules>(), *root, false); !known) return known.error();
    rules out;
    if (auto read = decode(describe<rules>(), *root, &out); !read) return read.error();
    if (auto good = check(out); !good) return good.error();
    return out;
}

}  // namespace policy_webhook
