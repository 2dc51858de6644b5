#pragma once

#include <kcontrol/base/in_quotes.hpp>
#include <kcontrol/scheduling/configuration_part.hpp>

#include <algorithm>

namespace kcontrol::inline v0_1::scheduling {
namespace detail {

inline std::string configuration_pointer(const std::string& below, std::string_view key) {
    std::string out = below + "/";
    for (const char c : key) {
        if (c == '~') {
            out += "~0";
        } else if (c == '/') {
            out += "~1";
        } else {
            out += c;
        }
    }
    return out;
}

}  // namespace detail

KCONTROL_DECL error configuration_part::wrong(std::string_view why) const {
    return file_ ? file_->at(pointer_, why) : error(errc::invalid_config, std::string(why));
}

KCONTROL_DECL error configuration_part::wrong(std::string_view key, std::string_view why) const {
    const std::string whole = std::string(key) + ": " + std::string(why);
    return file_ ? file_->at(detail::configuration_pointer(pointer_, key), whole) : error(errc::invalid_config, whole);
}

KCONTROL_DECL result<void> configuration_part::check_keys(std::span<const std::string_view> known) const {
    if (value_ == nullptr) return {};
    std::string all;
    for (const auto& one : known) all.append(all.empty() ? "" : ", ").append(one);
    const auto* const members = value_->if_object();
    if (members == nullptr) return wrong("an object with the keys " + all + " is expected");
    for (const auto& [name, member_value] : *members) {
        const std::string_view key(name.data(), name.size());
        if (std::find(known.begin(), known.end(), key) == known.end()) {
            const auto where = detail::configuration_pointer(pointer_, key);
            return file_->at(where, "unknown key " + in_quotes(key) + "; known here: " + all);
        }
    }
    return {};
}

KCONTROL_DECL configuration_part configuration_part::member(std::string_view key) const {
    configuration_part out;
    const auto* const members = value_ == nullptr ? nullptr : value_->if_object();
    const auto* const found = members == nullptr ? nullptr : members->if_contains(key);
    if (found == nullptr || found->is_null()) return out;
    out.file_ = file_;
    out.value_ = found;
    out.pointer_ = detail::configuration_pointer(pointer_, key);
    return out;
}

KCONTROL_DECL result<std::vector<configuration_part>> configuration_part::list(std::string_view key) const {
    std::vector<configuration_part> out;
    const auto of = member(key);
    if (!of) return out;
    const auto* const elements = of.value_->if_array();
    if (elements == nullptr) return wrong(key, "a list is expected");
    for (const auto& each : *elements) {
        auto& added = out.emplace_back(of);
        added.value_ = &each;
        added.pointer_ = of.pointer_ + "/" + std::to_string(out.size() - 1);
    }
    return out;
}

KCONTROL_DECL result<std::optional<std::string>> configuration_part::text(std::string_view key) const {
    const auto of = member(key);
    if (!of) return std::optional<std::string>();
    const auto* const found = of.value_->if_string();
    if (found == nullptr || found->empty()) return wrong(key, "a text is expected");
    return std::optional<std::string>(std::string(found->data(), found->size()));
}

KCONTROL_DECL result<std::vector<std::string>> configuration_part::texts(std::string_view key) const {
    const auto elements = list(key);
    if (!elements) return elements.error();
    std::vector<std::string> out;
    for (const auto& each : *elements) {
        const auto* const found = each.value_->if_string();
        if (found == nullptr || found->empty()) return each.wrong(std::string(key) + ": a text is expected");
        out.emplace_back(found->data(), found->size());
    }
    return out;
}

KCONTROL_DECL result<std::optional<std::int64_t>> configuration_part::number(std::string_view key, std::int64_t least,
                                                                             std::int64_t most) const {
    const auto of = member(key);
    if (!of) return std::optional<std::int64_t>();
    const auto* const found = of.value_->if_int64();
    if (found == nullptr || *found < least || *found > most) {
        return wrong(key, json::serialize(*of.value_).substr(0, 80) + " is not a whole number from " +
                              std::to_string(least) + " to " + std::to_string(most));
    }
    return std::optional<std::int64_t>(*found);
}

KCONTROL_DECL result<std::optional<bool>> configuration_part::flag(std::string_view key) const {
    const auto of = member(key);
    if (!of) return std::optional<bool>();
    const auto* const found = of.value_->if_bool();
    if (found == nullptr) return wrong(key, "true or false is expected");
    return std::optional<bool>(*found);
}

}  // namespace kcontrol::scheduling
