#pragma once

#include <kcontrol/base/ascii.hpp>
#include <kcontrol/base/log.hpp>
#include <kcontrol/base/trim.hpp>
#include <kcontrol/client/wait_conditions.hpp>
#include <kcontrol/codec/dynamic_object.hpp>
#include <kcontrol/documents/json_path.hpp>
#include <kcontrol/documents/value.hpp>

#include <algorithm>
#include <optional>
#include <stdexcept>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

using wait_function = std::function<bool(const any_object&)>;

inline error no_wait_condition(std::string_view text, const std::string& why) {
    return error(errc::invalid_argument,
                 "\"" + escape_control(text) + "\" is nothing to wait for" + (why.empty() ? "" : ", " + why) +
                     ": write condition=TYPE[=STATUS], create, delete or jsonpath={.a.b[0]}[=VALUE]");
}

inline std::string text_of_value(const json::value& v) {
    return v.is_string() ? std::string(v.get_string()) : json::serialize(v);
}

/// The path and, if there is one, the value behind it.
struct wait_comparison {
    std::string_view path;
    std::optional<std::string_view> value;
};

/// "{.a.b}=VALUE", or ".a.b=VALUE" without braces, as kubectl takes it too; without "=VALUE" any value will do.
inline result<wait_comparison> split_wait_path(std::string_view text) {
    wait_comparison out;
    std::string_view rest;
    if (text.starts_with('{')) {
        char quote = 0;
        std::size_t end = 1;
        for (; end < text.size() && (quote != 0 || text[end] != '}'); ++end) {
            if (quote == 0 && (text[end] == '\'' || text[end] == '"'))
                quote = text[end];
            else if (text[end] == quote)
                quote = 0;
        }
        if (end == text.size()) return error(errc::invalid_argument, "the path has no }");
        out.path = text.substr(1, end - 1);
        rest = text.substr(end + 1);
        if (rest.starts_with('{')) return error(errc::invalid_argument, "there is more than one path");
        if (!rest.empty() && (rest.front() != '=' || rest.starts_with("=="))) {
            return error(errc::invalid_argument,
                         "behind the path comes =VALUE or nothing; other comparisons are not known");
        }
    } else {
        const auto end = std::min(text.find('='), text.size());
        out.path = text.substr(0, end);
        rest = text.substr(end);
        if (rest.starts_with("==") || out.path.ends_with('!')) {
            return error(errc::invalid_argument,
                         "behind the path comes =VALUE or nothing; other comparisons are not known");
        }
    }
    if (rest.empty()) return out;
    // Quotes around the value are the shell's or the user's, as kubectl has it.
    std::string_view value = rest.substr(1);
    while (!value.empty() && (value.front() == '\'' || value.front() == '"')) value.remove_prefix(1);
    while (!value.empty() && (value.back() == '\'' || value.back() == '"')) value.remove_suffix(1);
    if (value.empty()) return error(errc::invalid_argument, "the value behind = is empty");
    out.value = trim_blanks(value);
    return out;
}

/// What of a path can lead to several values, which can't be compared with one; empty: nothing.
inline std::string_view several_values(std::string_view path) {
    bool bracket = false;
    for (std::size_t at = 0; at < path.size(); ++at) {
        if (path[at] == '\'') at = std::min(path.find('\'', at + 1), path.size());
        if (at == path.size()) break;
        if (path[at] == '\\') {
            ++at;
            continue;
        }
        if (path.substr(at, 2) == "?(") return "a filter";
        if (path.substr(at, 2) == "..") return "\"..\"";
        if (path[at] == '*') return "a wildcard";
        if (path[at] == '[' || path[at] == ']') bracket = path[at] == '[';
        if (bracket && path[at] == ':') return "a slice";
        if (bracket && path[at] == ',') return "a union";
    }
    return {};
}

/// A path that kubectl takes without its first dot.
inline result<json_path> read_wait_path(std::string_view text) {
    if (text.empty()) return error(errc::invalid_argument, "the path names no field");
    if (const auto what = several_values(text); !what.empty()) {
        return error(
            errc::invalid_argument,
            std::string(what) + " can lead to several values; write names and indexes, or condition=TYPE=STATUS");
    }
    const bool complete = std::string_view(".[$@").find(text.front()) != std::string_view::npos;
    return json_path::parse((complete ? "" : ".") + std::string(text));
}

/// The value that is compared, or null if there is none yet. Where kubectl ends with an error, it throws.
inline const json::value* find_waited(const json_path& path, const json::value& root, bool compared) {
    const auto found = path.find(root);
    if (!found || found->empty()) return nullptr;
    const json::value* const one = found->front();
    if (compared && (one->is_object() || one->is_array())) {
        throw std::runtime_error(path.text() + " leads to an object or a list; compare one of its values");
    }
    return one;
}

inline result<wait_function> parse_wait_path(std::string_view text) {
    const auto split = split_wait_path(text);
    if (!split) return split.error();
    auto path = read_wait_path(trim_blanks(split->path));
    if (!path) return path.error();
    std::optional<std::string> wanted;
    if (split->value) wanted.emplace(*split->value);
    return wait_function([path = std::move(*path), wanted = std::move(wanted)](const any_object& object) {
        if (!object) return false;
        const json::value tree = object.get<dynamic_object>().content.tree();
        const json::value* const found = find_waited(path, tree, wanted.has_value());
        return found != nullptr && (!wanted || trim_blanks(printed({found})) == *wanted);
    });
}

}  // namespace detail

KCONTROL_DECL std::function<bool(const any_object&)> condition_is(std::string type, std::string status) {
    return [type = std::move(type), status = std::move(status)](const any_object& object) {
        if (!object) return false;
        const json::value whole = object.get<dynamic_object>().content.get({"status"});
        const auto* const all = json::find(whole, {"conditions"});
        if (all == nullptr || !all->is_array()) return false;
        for (const auto& one : all->get_array()) {
            if (!iequals(json::get_string(one, {"type"}), type)) continue;
            const auto* seen = json::find(one, {"observedGeneration"});
            if (seen == nullptr) seen = json::find(whole, {"observedGeneration"});
            const auto& now = object.meta().generation;
            if (seen != nullptr && seen->is_int64() && now && seen->get_int64() < *now) return false;
            return iequals(json::get_string(one, {"status"}), status);
        }
        return false;
    };
}

KCONTROL_DECL std::function<bool(const any_object&)> field_is(std::string pointer, std::string value) {
    return [pointer = std::move(pointer), value = std::move(value)](const any_object& object) {
        if (!object) return false;
        const json::value tree = object.get<dynamic_object>().content.tree();
        boost::system::error_code absent;
        const auto* const found = tree.find_pointer(pointer, absent);
        return found != nullptr && detail::text_of_value(*found) == value;
    };
}

KCONTROL_DECL result<std::function<bool(const any_object&)>> parse_wait_condition(std::string_view text) {
    constexpr std::string_view condition = "condition=", path = "jsonpath=";
    if (iequals(text, "delete")) {
        return detail::wait_function([](const any_object& object) { return !object; });
    }
    if (iequals(text, "create")) {
        return detail::wait_function([](const any_object& object) { return static_cast<bool>(object); });
    }
    if (istarts_with(text, condition)) {
        const std::string_view what = text.substr(condition.size());
        const auto split = std::min(what.find('='), what.size());
        if (split == 0) return detail::no_wait_condition(text, "the type of the condition is missing");
        if (split == what.size()) return condition_is(std::string(what));
        if (split + 1 == what.size()) return detail::no_wait_condition(text, "the status behind = is empty");
        return condition_is(std::string(what.substr(0, split)), std::string(what.substr(split + 1)));
    }
    if (!istarts_with(text, path)) return detail::no_wait_condition(text, {});
    auto by_path = detail::parse_wait_path(text.substr(path.size()));
    if (!by_path) return detail::no_wait_condition(text, by_path.error().message());
    return by_path;
}

}  // namespace kcontrol
