// Where something stands in an object, as a rule names it: "status.replicatedJobsStatus[].ready".
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/json/reader.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace training_monitor {

/// Names of members with dots between them. A name that ends with `[]` stands for each element of that list, or each
/// value of that map; a dot that belongs to a name is written `\.`.
class field_path {
public:
    field_path() = default;

    /// Errors: invalid_config, what is wrong with the text and how it would be right.
    static kcontrol::result<field_path> parse(std::string_view text);

    bool empty() const noexcept { return steps_.empty(); }

    /// Calls `take` with every value that is there; null is none.
    template <class Take>
    void each(kcontrol::json::node from, Take take) const {
        walk(from, 0, take);
    }

    /// The first value; a node that is null if there is none.
    kcontrol::json::node first(kcontrol::json::node from) const;
    /// The first value as text: numbers and booleans as they are written. Empty if there is none.
    std::string text(kcontrol::json::node from) const;
    /// All numbers together, each between 0 and 2^31, or `otherwise` if there is none.
    std::int64_t sum(kcontrol::json::node from, std::int64_t otherwise) const;

private:
    struct step {
        std::string name;
        bool all = false;
    };

    template <class Take>
    void walk(kcontrol::json::node from, std::size_t at, Take& take) const {
        if (from.is_null()) return;
        if (at == steps_.size()) return take(from);
        if (!from.is_object()) return;
        const kcontrol::json::node next = from[steps_[at].name];
        if (!steps_[at].all) return walk(next, at + 1, take);
        if (next.is_array()) {
            for (const kcontrol::json::node element : next.elements()) walk(element, at + 1, take);
        } else if (next.is_object()) {
            for (const auto member : next.members()) walk(member.value, at + 1, take);
        }
    }

    std::vector<step> steps_;
};

/// A value as text, numbers and booleans as they are written. Empty of null, lists and objects.
std::string scalar_text(kcontrol::json::node value);

/// It says something: true, a number but 0, a text, list or object that is not empty.
bool says_yes(kcontrol::json::node value);

}  // namespace training_monitor
