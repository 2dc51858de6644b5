#include "pods/manifest_text.hpp"

#include <kcontrol/documents/yaml.hpp>

#include "pods/secret_mask.hpp"

#include <algorithm>
#include <string_view>
#include <utility>

namespace training_monitor {
namespace {

namespace json = kcontrol::json;

constexpr std::string_view masked = "[masked]";
constexpr std::string_view kubectl_copy = "kubectl.kubernetes.io/last-applied-configuration";
constexpr std::string_view about =
    "# Left out: metadata.managedFields, and kubectl's copy of the object in its annotations.\n"
    "# What looks like a secret is [masked].\n";

// Whether the value of what has this name would be masked in a line of a log.
bool is_called_secret(std::string_view name) {
    while (name.starts_with('-')) name.remove_prefix(1);
    if (name.empty()) return false;
    const std::string line = std::string(name) + "=shown";
    return secret_mask().mask(line) != line;
}

void hide_in_text(json::value& text) {
    const std::string_view all = text.get_string();
    secret_mask mask;  // of this text: a private key goes over lines
    std::string out;
    for (std::size_t at = 0; at <= all.size();) {
        const auto end = std::min(all.find('\n', at), all.size());
        if (at > 0) out += '\n';
        out += mask.mask(all.substr(at, end - at));
        at = end + 1;
    }
    if (out != all) text = out;
}

void hide(json::value& value);

// Arguments: "--token", "abc".
void hide_in_list(json::array& list) {
    bool next_is_secret = false;
    for (auto& element : list) {
        if (!element.is_string()) {
            next_is_secret = false;
            hide(element);
            continue;
        }
        const std::string said(element.get_string());
        if (next_is_secret) {
            element = masked;
        } else {
            hide_in_text(element);
        }
        const bool is_flag = said.starts_with('-') && said.find_first_of("= ") == std::string::npos;
        next_is_secret = !next_is_secret && is_flag && is_called_secret(said);
    }
}

void hide_in_members(json::object& members) {
    const auto* name = members.if_contains("name");
    auto* value = members.if_contains("value");
    // A variable of a container, or a parameter.
    if (name && value && name->is_string() && value->is_string() && is_called_secret(name->get_string())) {
        *value = masked;
    }
    for (auto& member : members) {
        if (member.value().is_string() && is_called_secret(member.key())) {
            member.value() = masked;
        } else {
            hide(member.value());
        }
    }
}

void hide(json::value& value) {
    if (value.is_string()) {
        hide_in_text(value);
    } else if (value.is_array()) {
        hide_in_list(value.get_array());
    } else if (value.is_object()) {
        hide_in_members(value.get_object());
    }
}

void leave_out(json::object& object) {
    auto* meta = object.if_contains("metadata");
    if (!meta || !meta->is_object()) return;
    meta->get_object().erase("managedFields");
    auto* notes = meta->get_object().if_contains("annotations");
    if (!notes || !notes->is_object()) return;
    // The object once more, as text in which variables could not be told from others.
    notes->get_object().erase(kubectl_copy);
    if (notes->get_object().empty()) meta->get_object().erase("annotations");
}

}  // namespace

std::string manifest_text(json::value object, std::size_t most) {
    if (object.is_object()) leave_out(object.get_object());
    hide(object);
    std::string whole = json::to_yaml(object);
    if (whole.size() <= most) return std::string(about) + whole;
    const std::string cut = "# Cut: it has " + std::to_string(whole.size()) + " bytes, and at most " +
                            std::to_string(most) + " are shown; kubectl get -o yaml has all of it.\n";
    const auto last = whole.rfind('\n', most - 1);
    whole.resize(last == std::string::npos ? 0 : last + 1);
    return std::string(about) + cut + whole + cut;
}

}  // namespace training_monitor
