#include "compare.hpp"

#include <kcontrol/base/log.hpp>
#include <kcontrol/values/quantity.hpp>
#include <kcontrol/values/time.hpp>

namespace transcode {
namespace {

namespace json = kcontrol::json;

class comparison {
public:
    void compare(json::node before, json::node after) {
        if (before.is_null()) return;
        if (before.is_object() && after.is_object()) {
            compare_members(before, after);
        } else if (before.is_array() && after.is_array()) {
            compare_elements(before, after);
        } else if (!same_scalar(before, after)) {
            lost_.push_back(path_);
        }
    }

    std::vector<std::string> take() { return std::move(lost_); }

private:
    template <class Action>
    void step(const std::string& name, Action action) {
        const std::size_t length = path_.size();
        path_ += name;
        action();
        path_.resize(length);
    }

    void compare_members(json::node before, json::node after) {
        for (const auto member : before.members()) {
            const bool plain = member.name.find_first_of("./") == std::string_view::npos;
            const std::string name = kcontrol::escape_control(member.name);
            const std::string shown = plain ? (path_.empty() ? "" : ".") + name : "[" + name + "]";
            step(shown, [&] {
                if (path_ == "metadata.managedFields") return;
                const json::node other = after[member.name];
                if (other.is_null() && member.value.is_object() && is_hollow(member.value)) return;
                compare(member.value, other);
            });
        }
    }

    void compare_elements(json::node before, json::node after) {
        const std::size_t count = after.size();
        std::size_t index = 0;
        auto others = after.elements().begin();
        for (const json::node element : before.elements()) {
            step("[" + std::to_string(index) + "]", [&] {
                if (index < count) {
                    compare(element, *others);
                } else {
                    lost_.push_back(path_);
                }
            });
            if (index < count) ++others;
            ++index;
        }
    }

    // An object with nothing in it but nulls and objects of that sort.
    static bool is_hollow(json::node object) {
        for (const auto member : object.members()) {
            if (member.value.is_null()) continue;
            if (!member.value.is_object() || !is_hollow(member.value)) return false;
        }
        return true;
    }

    static bool same_scalar(json::node a, json::node b) {
        if (a.is_string() && b.is_string()) {
            if (a.as_string() == b.as_string()) return true;
            const auto one = kcontrol::parse_time(a.as_string());
            const auto other = kcontrol::parse_time(b.as_string());
            if (one && other) return *one == *other;
            const auto amount = kcontrol::quantity::parse(a.as_string());
            const auto same = kcontrol::quantity::parse(b.as_string());
            return amount && same && *amount == *same;
        }
        if (b.is_string()) return a.to_json() == b.as_string();  // a quantity that was written as a number
        return !a.is_object() && !a.is_array() && a.to_json() == b.to_json();
    }

    std::string path_;
    std::vector<std::string> lost_;
};

}  // namespace

std::vector<std::string> lost_between(json::node before, json::node after) {
    comparison comparing;
    comparing.compare(before, after);
    return comparing.take();
}

}  // namespace transcode
