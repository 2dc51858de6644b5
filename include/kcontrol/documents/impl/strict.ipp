#pragma once

#include <kcontrol/base/log.hpp>
#include <kcontrol/documents/impl/value.ipp>
#include <kcontrol/documents/strict.hpp>

#include <algorithm>
#include <string>
#include <vector>

namespace kcontrol::inline v0_1::json {
namespace detail {

/// Walks a document and stops at the first fault; the path is put together on the way back.
class strict_walk {
public:
    explicit strict_walk(std::size_t max_depth) : max_depth_(max_depth) {}

    bool visit(node at, std::size_t depth) {
        if (!at.is_object() && !at.is_array()) return true;
        if (depth == max_depth_) return fail("nested deeper than " + std::to_string(max_depth_) + " levels");
        return at.is_object() ? visit_object(at, depth) : visit_array(at, depth);
    }

    error failure() const { return error(errc::decode_failed, (path_.empty() ? "" : path_ + ": ") + problem_); }

private:
    bool fail(std::string problem) {
        problem_ = std::move(problem);
        return false;
    }

    // "spec" before "", ".name" or "[0]".
    bool inside(std::string step) {
        if (!path_.empty() && path_.front() != '[') step += '.';
        path_.insert(0, step);
        return false;
    }

    bool visit_array(node at, std::size_t depth) {
        std::size_t index = 0;
        for (node element : at.elements()) {
            if (!visit(element, depth + 1)) return inside("[" + std::to_string(index) + "]");
            ++index;
        }
        return true;
    }

    bool visit_object(node at, std::size_t depth) {
        if (const auto twice = find_duplicate(at); twice.data() != nullptr) {
            return fail("member \"" + escape_control(twice.substr(0, 80)) + "\" twice");
        }
        for (auto [name, value] : at.members()) {
            if (!visit(value, depth + 1)) return inside(escape_control(name.substr(0, 80)));
        }
        return true;
    }

    // A name that appears twice; its data() is null if there is none.
    std::string_view find_duplicate(node at) {
        names_.clear();
        for (auto [name, value] : at.members()) names_.push_back(name);
        std::sort(names_.begin(), names_.end());
        const auto found = std::adjacent_find(names_.begin(), names_.end());
        return found == names_.end() ? std::string_view() : *found;
    }

    std::size_t max_depth_;
    std::vector<std::string_view> names_;
    std::string path_;
    std::string problem_;
};

}  // namespace detail

KCONTROL_DECL result<void> check_strict(node root, std::size_t max_depth) {
    detail::strict_walk walk(max_depth);
    if (!walk.visit(root, 0)) return walk.failure();
    return {};
}

KCONTROL_DECL result<node> parse_strict(document& into, std::string_view text, const strict_limits& limits) {
    if (text.size() > limits.max_bytes()) {
        return error(errc::too_large, "JSON of " + std::to_string(text.size()) + " bytes; at most " +
                                          std::to_string(limits.max_bytes()) + " are read");
    }
    auto root = into.parse(text);
    if (!root && root.error() == errc::decode_failed) {
        return error(errc::decode_failed, root.error().message() + detail::value_error_place(text));
    }
    if (!root) return root;
    if (auto checked = check_strict(*root, limits.max_depth()); !checked) return checked.error();
    return root;
}

}  // namespace kcontrol::json
