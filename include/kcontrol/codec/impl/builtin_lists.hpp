// The lists of objects in Kubernetes' own kinds, and the keys of their elements.
//
// builtin_lists_table.hpp is text. `K GROUP VERSION KIND N`: the objects of a kind are of type N ("-" is the core
// group). The Nth line that starts with T is type N: how many members it has, then those that are objects or have some
// inside, `NAME=FORM`, with `|KEYS` if they are a list with keys. FORM is `#N`, behind `[]` for each list and `{}` for
// each map; KEYS is `a+b~"TCP"`: two members, the second with its default as JSON. Types without objects in lists are
// not there.
#pragma once

#include <kcontrol/codec/impl/builtin_lists_table.hpp>
#include <kcontrol/model/resource.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace kcontrol::inline v0_1::detail {

/// A member that is an object, or has some inside.
class builtin_member {
public:
    std::string_view name;
    std::string_view form;  ///< "[]#12"
    std::string_view keys;  ///< of a list: "port+protocol~\"TCP\""; empty: it has none
};

class builtin_type {
public:
    std::size_t member_count = 0;  ///< with those that are not in `members`
    std::vector<builtin_member> members;

    const builtin_member* find(std::string_view name) const noexcept {
        const auto found = std::find_if(members.begin(), members.end(), [&](const auto& m) { return m.name == name; });
        return found == members.end() ? nullptr : &*found;
    }
};

/// The table, read at the first call of get().
///
/// Thread-safety: immutable.
class builtin_lists {
public:
    static const builtin_lists& get() {
        static const builtin_lists table;
        return table;
    }

    /// The type of a kind's objects; null if it is no kind of Kubernetes' own that is known.
    const builtin_type* find(const group_version_kind& gvk) const {
        const auto found = kinds_.find(text_of(gvk.group.empty() ? "-" : gvk.group, gvk.version, gvk.kind));
        return found == kinds_.end() ? nullptr : &types_[found->second];
    }
    /// Of "#12"; null for any other text.
    const builtin_type* type_of(std::string_view form) const noexcept {
        if (!form.starts_with('#')) return nullptr;
        const std::size_t number = number_of(form.substr(1));
        return number < types_.size() ? &types_[number] : nullptr;
    }

    static std::string_view cut(std::string_view& text, char separator) {
        const std::size_t end = std::min(text.find(separator), text.size());
        const std::string_view part = text.substr(0, end);
        text.remove_prefix(std::min(end + 1, text.size()));
        return part;
    }

private:
    builtin_lists() {
        for (std::string_view part : builtin_lists_table) {
            while (!part.empty()) read_line(cut(part, '\n'));
        }
    }

    void read_line(std::string_view line) {
        if (cut(line, ' ') == "K") {
            const std::string_view group = cut(line, ' '), version = cut(line, ' '), kind = cut(line, ' ');
            kinds_.emplace(text_of(group, version, kind), number_of(line));
            return;
        }
        builtin_type& type = types_.emplace_back();
        type.member_count = number_of(cut(line, ' '));
        while (!line.empty()) {
            std::string_view member = cut(line, ' ');
            const std::string_view name = cut(member, '='), form = cut(member, '|');
            type.members.push_back({name, form, member});
        }
    }

    static std::size_t number_of(std::string_view text) noexcept {
        std::size_t number = 0;
        std::from_chars(text.data(), text.data() + text.size(), number);
        return number;
    }
    static std::string text_of(std::string_view group, std::string_view version, std::string_view kind) {
        return std::string(group) + ' ' + std::string(version) + ' ' + std::string(kind);
    }

    std::map<std::string, std::size_t, std::less<>> kinds_;
    std::vector<builtin_type> types_;
};

}  // namespace kcontrol::detail
