#pragma once

#include <kcontrol/codec/list_elements.hpp>

#include <algorithm>
#include <map>
#include <utility>

namespace kcontrol::inline v0_1 {
namespace detail {

/// A text that is the same for equal values: members in the order of their names.
inline void write_canonical(const json::value& v, std::string& out) {
    if (const auto* members = v.if_object()) {
        std::vector<std::pair<std::string_view, const json::value*>> sorted;
        for (const auto& member : *members) sorted.emplace_back(std::string_view(member.key()), &member.value());
        std::sort(sorted.begin(), sorted.end());
        out += '{';
        for (const auto& [name, value] : sorted) {
            out += json::serialize(json::value(name)) + ':';
            write_canonical(*value, out);
            out += ',';
        }
        out += '}';
    } else if (const auto* list = v.if_array()) {
        out += '[';
        for (const json::value& element : *list) {
            write_canonical(element, out);
            out += ',';
        }
        out += ']';
    } else {
        out += json::serialize(v);
    }
}

inline std::string canonical_text(const json::value& v) {
    std::string out;
    write_canonical(v, out);
    return out;
}

class element_matcher {
public:
    element_matcher(const place_in_kind& list, const json::array& from, const json::array& to,
                    const std::function<bool(std::size_t)>& hides)
        : list_(list), from_(from), to_(to), hides_(hides) {
        out_.origins.assign(to.size(), element_match::none);
    }

    element_match match() {
        find_keys();
        struct group {
            std::vector<std::size_t> from, to;
        };
        std::map<std::string, group> groups;
        for (std::size_t i = 0; i < from_.size(); ++i) groups[key_of(from_[i])].from.push_back(i);
        for (std::size_t i = 0; i < to_.size(); ++i) groups[key_of(to_[i])].to.push_back(i);
        std::vector<std::size_t> left_from, left_to;
        for (const auto& [key, both] : groups) {
            if (!keys_.empty() && !key.empty() && both.from.size() == 1 && both.to.size() == 1) {
                out_.origins[both.to.front()] = both.from.front();
            } else {
                match_equal(both.from, both.to, left_from, left_to);
            }
        }
        if (out_.ambiguous) {
            out_.remedy = remedy();
        } else {
            match_places(std::move(left_from), std::move(left_to));
        }
        return std::move(out_);
    }

private:
    void find_keys() {
        const place_in_kind element = list_.element();
        if (list_.knows_keys()) {
            for (list_key& key : list_.keys()) {
                const bool shown = element.declares(key.name) || std::any_of(from_.begin(), from_.end(), [&](auto& e) {
                                       return e.is_object() && e.get_object().contains(key.name);
                                   });
                (shown ? keys_ : hidden_keys_).push_back(std::move(key));
            }
            return;
        }
        // The members that Kubernetes uses as keys by convention.
        for (const char* name : {"name", "type", "key", "uid"}) {
            if (!is_unique(from_, name) || !is_unique(to_, name)) continue;
            keys_.emplace_back(name, std::string());
            return;
        }
    }

    static bool is_unique(const json::array& list, std::string_view name) {
        std::vector<std::string_view> seen;
        for (const json::value& element : list) {
            const auto* members = element.if_object();
            const auto* value = members != nullptr ? members->if_contains(name) : nullptr;
            if (value == nullptr || !value->is_string()) return false;
            seen.emplace_back(value->get_string());
        }
        std::sort(seen.begin(), seen.end());
        return std::adjacent_find(seen.begin(), seen.end()) == seen.end();
    }

    /// Empty: the element has no key.
    std::string key_of(const json::value& element) const {
        std::string out;
        const auto* members = element.if_object();
        if (members == nullptr) return out;
        for (const list_key& key : keys_) {
            const auto* value = members->if_contains(key.name);
            out += (value != nullptr ? canonical_text(*value) : key.default_text) + '\n';
        }
        return out;
    }

    /// Of elements that only their values tell apart. Adds the rest to what is left, if that is no riddle.
    void match_equal(const std::vector<std::size_t>& from, const std::vector<std::size_t>& to,
                     std::vector<std::size_t>& left_from, std::vector<std::size_t>& left_to) {
        struct alike {
            std::vector<std::size_t> from, to;
        };
        std::map<std::string, alike> values;
        for (const std::size_t i : from) values[canonical_text(from_[i])].from.push_back(i);
        for (const std::size_t i : to) values[canonical_text(to_[i])].to.push_back(i);
        std::vector<std::size_t> unmatched_from, unmatched_to;
        for (const auto& [text, both] : values) {
            const std::size_t common = std::min(both.from.size(), both.to.size());
            for (std::size_t i = 0; i < common; ++i) out_.origins[both.to[i]] = both.from[i];
            // One more or one less of several that look alike: which one?
            if (common != 0 && both.from.size() != both.to.size()) refuse_if_hidden(both.from);
            unmatched_from.insert(unmatched_from.end(), both.from.begin() + static_cast<std::ptrdiff_t>(common),
                                  both.from.end());
            unmatched_to.insert(unmatched_to.end(), both.to.begin() + static_cast<std::ptrdiff_t>(common),
                                both.to.end());
        }
        // Edited, or removed and another one added?
        if (!unmatched_from.empty() && !unmatched_to.empty()) {
            refuse_if_hidden(unmatched_from);
            left_from.insert(left_from.end(), unmatched_from.begin(), unmatched_from.end());
            left_to.insert(left_to.end(), unmatched_to.begin(), unmatched_to.end());
        }
    }

    void refuse_if_hidden(const std::vector<std::size_t>& elements) {
        if (!out_.ambiguous) out_.ambiguous = std::any_of(elements.begin(), elements.end(), hides_);
    }

    /// Where nothing is hidden it makes no difference, but for the size of a patch: as many in the same gap between
    /// elements that are matched are edited ones.
    void match_places(std::vector<std::size_t> from, std::vector<std::size_t> to) {
        std::sort(from.begin(), from.end());
        std::sort(to.begin(), to.end());
        for (std::size_t i = 0; i < to.size();) {
            std::size_t run = 1;
            while (i + run < to.size() && to[i + run] == to[i] + run) ++run;
            const std::size_t before = to[i] == 0 ? element_match::none : out_.origins[to[i] - 1];
            // `none` is in front of the list, and also behind an added element, where nothing is paired.
            if (to[i] == 0 || before != element_match::none) pair_gap(from, before + 1, to[i], run);
            i += run;
        }
    }

    void pair_gap(const std::vector<std::size_t>& from, std::size_t start, std::size_t target, std::size_t count) {
        const auto first = std::lower_bound(from.begin(), from.end(), start);
        std::size_t there = 0;
        for (auto at = first; at != from.end() && *at == start + there; ++at) ++there;
        if (there != count) return;
        for (std::size_t i = 0; i < count; ++i) out_.origins[target + i] = start + i;
    }

    std::string remedy() const {
        std::string out;
        if (!hidden_keys_.empty()) {
            for (const list_key& key : hidden_keys_) out += (out.empty() ? "" : ", ") + std::string(key.name);
            return "declare the list's keys in the type of its elements (" + out + " is missing)";
        }
        if (list_.knows_keys()) return "declare all members of its elements in their type";
        return "give their type keys (rules().keyed_by(\"…\"))";
    }

    const place_in_kind& list_;
    const json::array& from_;
    const json::array& to_;
    const std::function<bool(std::size_t)>& hides_;
    std::vector<list_key> keys_, hidden_keys_;
    element_match out_;
};

}  // namespace detail

KCONTROL_DECL element_match match_elements(const place_in_kind& list, const json::array& from, const json::array& to,
                                           const std::function<bool(std::size_t)>& hides) {
    return detail::element_matcher(list, from, to, hides).match();
}

}  // namespace kcontrol
