#include "testserver/owned_fields.hpp"
#include "testserver/schema_shape.hpp"

#include <algorithm>
#include <utility>

namespace kcontrol::inline v0_1::testing {
namespace detail {
namespace {

void merge_value(const resource_type& type, const owned_path& path, json::value& into, const json::value& applied);

// The order in which the items of two merged lists stand: as in both, those of the applied list first where nothing
// else says so. Source: structured-merge-diff v6, merge.go, visitListItems
class item_order {
public:
    item_order(std::vector<std::string> live, std::vector<std::string> applied)
        : live_(std::move(live)), applied_(std::move(applied)) {
        for (const auto& step : applied_) {
            if (in(live_, step)) shared_.push_back(step);
        }
    }

    std::vector<std::string> merged() {
        while (l_ < live_.size() || a_ < applied_.size()) take_one();
        return std::move(out_);
    }

private:
    static bool in(const std::vector<std::string>& steps, const std::string& step) {
        return std::find(steps.begin(), steps.end(), step) != steps.end();
    }
    bool is_next_shared(const std::string& step) const { return s_ < shared_.size() && shared_[s_] == step; }

    void take_one() {
        if (l_ < live_.size() && a_ < applied_.size()) {
            const std::string& live = live_[l_];
            if (live == applied_[a_]) {
                ++l_;
                return take_applied();
            }
            // In both, but its turn comes with another item of the applied list.
            if (in(applied_, live) && s_ < shared_.size() && !is_next_shared(live)) {
                ++l_;
                return;
            }
        }
        if (l_ < live_.size()) {
            const std::string& live = live_[l_];
            if (!in(applied_, live)) {
                out_.push_back(live);
                ++l_;
                return;
            }
            if (in(out_, live)) ++l_;
        }
        if (a_ < applied_.size()) take_applied();
    }
    void take_applied() {
        const std::string& step = applied_[a_++];
        if (is_next_shared(step)) ++s_;
        out_.push_back(step);
    }

    std::vector<std::string> live_, applied_, shared_, out_;
    std::size_t l_ = 0, a_ = 0, s_ = 0;
};

std::vector<std::string> item_steps(const list_shape& shape, const json::array& items) {
    std::vector<std::string> out;
    for (const auto& item : items) out.push_back(item_step(shape, item));
    return out;
}

void merge_items(const resource_type& type, const owned_path& path, const list_shape& shape, json::array& into,
                 const json::array& applied) {
    json::array merged;
    for (const auto& step : item_order(item_steps(shape, into), item_steps(shape, applied)).merged()) {
        const json::value* live = find_item(shape, std::as_const(into), step);
        const json::value* wanted = find_item(shape, applied, step);
        merged.push_back(live != nullptr ? *live : *wanted);
        if (live != nullptr && wanted != nullptr) merge_value(type, below(path, step), merged.back(), *wanted);
    }
    into = std::move(merged);
}

void merge_value(const resource_type& type, const owned_path& path, json::value& into, const json::value& applied) {
    const list_shape shape = shape_of(type, path);
    if (into.is_object() && applied.is_object() && !is_atomic_map(type, path)) {
        for (const auto& member : applied.get_object()) {
            json::value* found = into.get_object().if_contains(member.key());
            if (found != nullptr) {
                merge_value(type, below(path, "f:" + std::string(member.key())), *found, member.value());
            } else {
                into.get_object()[member.key()] = member.value();
            }
        }
    } else if (is_merged_list(shape, into) && is_merged_list(shape, applied)) {
        merge_items(type, path, shape, into.get_array(), applied.get_array());
    } else if (!is_merged_list(shape, into) || !applied.is_array() || !applied.get_array().empty()) {
        into = applied;
    }
}

}  // namespace
}  // namespace detail

void merge_fields(const resource_type& type, json::object& object, const json::object& applied) {
    for (const auto& member : applied) {
        json::value* found = object.if_contains(member.key());
        if (found != nullptr) {
            detail::merge_value(type, {"f:" + std::string(member.key())}, *found, member.value());
        } else {
            object[member.key()] = member.value();
        }
    }
}

}  // namespace kcontrol::testing
