// Marks that nobody takes: found before they are sent, or found out when the API server refuses what they are part of.
#pragma once

#include <kcontrol/base/result.hpp>
#include <kcontrol/runtime/executor.hpp>

#include "node/node_marks.hpp"

#include <functional>
#include <set>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

namespace gpu_labeler {

/// A label or an annotation that is not taken.
struct refused_mark {
    std::string key;
    std::string value;
    std::string why;
};

/// Takes the labels out of `marks` whose key or value is none that Kubernetes takes: one would cost all of them.
std::vector<refused_mark> take_invalid(node_marks& marks);

/// Asks the server whether it would take these marks; nothing is changed.
using try_function = std::function<kcontrol::awaitable<kcontrol::result<void>>(node_marks, std::stop_token)>;

/// Which of `marks` the server refuses (422 Invalid), each by itself: by halves, 2 log2 n questions for one of n.
/// Empty where it is none of them by itself: then it refuses all that is asked of this object, or some of them
/// together. Errors: any other answer than a yes or a refusal.
kcontrol::awaitable<kcontrol::result<std::vector<refused_mark>>> find_refused(node_marks marks, try_function ask,
                                                                              std::stop_token stop);

/// Remembers what is refused, so that the rest is written and it is told once.
///
/// Thread-safety: distinct objects safe; shared objects unsafe.
class refusals {
public:
    /// The server refuses this one. True: it was not told before.
    bool note(const refused_mark& mark);
    /// Whether it was told before, of one that is refused anyway.
    bool is_news(const refused_mark& mark) { return told_.emplace(mark.key, mark.value).second; }
    /// Without what the server refuses. Another value of the same name is another mark.
    node_marks without(node_marks marks) const;
    /// They may be taken by now.
    void forget() { refused_.clear(); }

private:
    using name_and_value = std::pair<std::string, std::string>;
    std::set<name_and_value> refused_;
    std::set<name_and_value> told_;
};

}  // namespace gpu_labeler
