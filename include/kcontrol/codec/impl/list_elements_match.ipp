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
        std::map<std::string, group> groups;
        for (std::size_t i = 0; i < from_.size(); ++i) groups[key_of(from_[i])].from.push_back(i);
        for (std::size_t i = 0; i < to_.size(); ++i) groups[key_of(to_[i])].to.push_back(i);
        std::vector<group> left;
        for (const auto& [key, both] : groups) {
            if (!keys_.empty() && !key.empty() && both.from.size() == 1 && both.to.size() == 1) {
                out_.origins[both.to.front()] = both.from.front();
            } else {
                left.push_back(match_equal(both));
            }
        }
        find_gaps();
        for (const group& both : left) refuse_riddles(both);
        if (out_.ambiguous) {
            out_.remedy = remedy();
        } else {
            for (const group& both : left) match_places(both);
        }
        return std::move(out_);
    }

private:
    struct group {
        std::vector<std::size_t> from, to;  // in order
    };

    void find_keys() {
        const place_in_kind element = list_.element();
        if (list_.knows_keys()) {
            for (list_key& key : list_.keys()) {
                const bool shown = element.declares(key.name) || std::any_of(from_.begin(), from_.end(), [&](auto& e) {
                                       return e.is_object() && e.get_object().contains(key.name);
                                   });
                (shown ? keys_ : hidden_keys_).push_back(std::move(key));
            }
            // A part of a key can be that of another element.
            if (!hidden_keys_.empty()) keys_.clear();
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

    /// Of elements that only their values tell apart. Returns what is left.
    group match_equal(const group& all) {
        std::map<std::string, group> values;
        for (const std::size_t i : all.from) values[canonical_text(from_[i])].from.push_back(i);
        for (const std::size_t i : all.to) values[canonical_text(to_[i])].to.push_back(i);
        group left;
        for (const auto& [text, both] : values) {
            const std::size_t common = std::min(both.from.size(), both.to.size());
            for (std::size_t i = 0; i < common; ++i) out_.origins[both.to[i]] = both.from[i];
            // One more or one less of several that look alike: which one?
            if (common != 0 && both.from.size() != both.to.size()) {
                out_.ambiguous = out_.ambiguous || std::any_of(both.from.begin(), both.from.end(), hides_);
            }
            const auto rest = static_cast<std::ptrdiff_t>(common);
            left.from.insert(left.from.end(), both.from.begin() + rest, both.from.end());
            left.to.insert(left.to.end(), both.to.begin() + rest, both.to.end());
        }
        std::sort(left.from.begin(), left.from.end());
        std::sort(left.to.begin(), left.to.end());
        return left;
    }

    /// The gaps between the elements that are matched, by the number of those before; of no meaning if these have
    /// moved.
    void find_gaps() {
        std::vector<bool> matched(from_.size(), false);
        std::size_t count = 0, least = 0;
        for (const std::size_t origin : out_.origins) {
            to_gaps_.push_back(count);
            if (origin == element_match::none) continue;
            ++count;
            in_order_ = in_order_ && origin >= least;
            least = origin + 1;
            matched[origin] = true;
        }
        count = 0;
        for (const bool one : matched) {
            from_gaps_.push_back(count);
            if (one) ++count;
        }
    }

    /// An element that is left before and one that is left after: edited, or removed and added? If both are in the same
    /// gap, nobody knows. In different ones they are two, unless they have something in common.
    void refuse_riddles(const group& left) {
        for (const std::size_t i : left.from) {
            if (out_.ambiguous || !hides_(i)) continue;
            out_.ambiguous = std::any_of(left.to.begin(), left.to.end(), [&](std::size_t j) {
                return !in_order_ || from_gaps_[i] == to_gaps_[j] || has_common_member(from_[i], to_[j]);
            });
        }
    }

    static bool has_common_member(const json::value& a, const json::value& b) {
        const auto *x = a.if_object(), *y = b.if_object();
        if (x == nullptr || y == nullptr) return true;
        return std::any_of(x->begin(), x->end(), [&](const auto& member) {
            const auto* other = y->if_contains(member.key());
            return other != nullptr && *other == member.value();
        });
    }

    /// Where nothing is hidden it makes no difference, but for the size of a patch: as many in the same gap are edited
    /// ones.
    void match_places(const group& left) {
        if (!in_order_) return;
        for (std::size_t i = 0, j = 0; i < left.from.size() && j < left.to.size();) {
            const std::size_t gap = from_gaps_[left.from[i]];
            if (to_gaps_[left.to[j]] != gap) {
                to_gaps_[left.to[j]] < gap ? ++j : ++i;
                continue;
            }
            std::size_t before = 1, after = 1;
            while (i + before < left.from.size() && from_gaps_[left.from[i + before]] == gap) ++before;
            while (j + after < left.to.size() && to_gaps_[left.to[j + after]] == gap) ++after;
            for (std::size_t k = 0; before == after && k < before; ++k) out_.origins[left.to[j + k]] = left.from[i + k];
            i += before;
            j += after;
        }
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
    std::vector<std::size_t> from_gaps_, to_gaps_;  // of each element
    bool in_order_ = true;                          // what is matched has kept its order
    element_match out_;
};

}  // namespace detail

KCONTROL_DECL element_match match_elements(const place_in_kind& list, const json::array& from, const json::array& to,
                                           const std::function<bool(std::size_t)>& hides) {
    return detail::element_matcher(list, from, to, hides).match();
}

}  // namespace kcontrol
